"""What answers in a child: everything here may run the user's code."""
