"""Asking at the terminal, function by function."""
