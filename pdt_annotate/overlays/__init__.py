"""Sources that replace files at import, without touching them. Standard library only."""
