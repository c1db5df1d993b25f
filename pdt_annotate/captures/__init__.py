"""The ways in which PyTorch captures a program, tried on one target, one by one.

`table` lists the ways, `ways` has a function for each, which only a child imports; `examine` tries one of them.
"""
