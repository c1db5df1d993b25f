"""Sources that stand in for files without touching them. Standard library only."""
