"""The frozen values by stage, and the error tree. Standard library only."""
