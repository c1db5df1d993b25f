"""Plans, trials, and the search for annotations that verify."""
