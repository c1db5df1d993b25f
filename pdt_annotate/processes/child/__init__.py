"""The code that answers in a child: any of it may run the user's code."""
