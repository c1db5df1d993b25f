"""Bind: `*args`, `**kwargs` and keyword-only parameters become parameters with names.

Safe because every call in the project still fits; where other callers may pass more, the mend is frozen.
"""
