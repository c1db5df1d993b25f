"""The ways in which PyTorch captures a program, tried side by side on one target.

table     the ways, a line each
ways      a file each; only a child imports them
subject   what is captured, and from which calls
baked     what a trace took for good from the call that it was made from, and where
examine   one way tried: captured, run on every call from fresh state, compared with eager mode, timed
"""
