"""Draws calls in addition to the examples, runs them in Python and scripted, and spells them for a spec.

argument_tree  the values in a call, and copies of it with other values
space          the calls that may be drawn: each varies an example
drafts         draws from the space with hypothesis, and shrinks a call that differs
drawn_runs     runs drawn calls both ways, and compares
spec_lines     a drawn call as a line for a spec
"""
