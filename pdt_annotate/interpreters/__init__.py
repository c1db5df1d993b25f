"""The Pythons that run the user's code: finding them, their description, and the packages that we lend them."""
