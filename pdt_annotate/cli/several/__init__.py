"""Several targets in one command."""
