"""Split: what has several types under one name gets a name, or a statement, for each.

Safe because every read sees the value that it saw before.
"""
