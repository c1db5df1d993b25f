"""Inline: a call of something that the compiler cannot read becomes the code that it runs.

Safe because arguments are evaluated once and in order, or may be evaluated at any time.
"""
