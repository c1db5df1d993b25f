"""Spell: an expression is written in other words that mean the same in Python and that the compiler knows.

Safe by the documented behaviour of both forms, for the types that were observed.
"""
