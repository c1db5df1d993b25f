"""The ten moves: each a folder, with a rule in each of its files."""
