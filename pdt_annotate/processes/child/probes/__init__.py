"""Draws calls in addition to the examples, runs them in Python and scripted, and spells them for a spec."""
