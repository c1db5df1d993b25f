"""The directory that a recorded program finds first on its PYTHONPATH. Nothing imports it by this name."""
