"""Declare: an attribute, a local or a parameter gets the value or the annotation that the compiler needs.

Safe because nothing in Python reads the new value, or because Python ignores annotations.
"""
