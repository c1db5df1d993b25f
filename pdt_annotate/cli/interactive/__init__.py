"""`--interactive`: the user chooses annotations at the terminal, function by function."""
