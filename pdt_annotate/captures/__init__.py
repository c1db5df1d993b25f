"""The ways in which PyTorch captures a program, tried side by side on one target.

table     the ways, a line each
ways      a file each; only a child imports them
subject   what is captured, and from which calls; a module around what is none
lies      does a trace answer for other calls than its own?
adapter   rich arguments and results for the tracer; flattened is a part of it
merge     one scripted module of a trace for each value of a flag
examine   one way tried: captured, run on every call from fresh state, compared with eager mode, timed; what a trace
          took for good
"""
