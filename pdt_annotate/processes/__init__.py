"""Where user code runs: a zygote, sessions forked from it, and forks of those, one a task."""
