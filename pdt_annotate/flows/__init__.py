"""The runs, from what was asked to what came of it. Start with `annotate`."""
