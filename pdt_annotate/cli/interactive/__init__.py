"""`--interactive`: annotations are chosen at the terminal, function by function."""
