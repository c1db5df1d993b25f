"""The ways in which PyTorch captures a program, tried side by side on one target.

table     the ways, a line each
ways      a file each; only a child imports them
subject   what is captured, and from which calls
examine   one way tried: captured, run on every call from fresh state, compared with eager mode, timed
"""
