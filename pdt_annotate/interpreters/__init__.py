"""The Pythons that run the user's code: which one, what it is asked, and what it is lent of ours."""
