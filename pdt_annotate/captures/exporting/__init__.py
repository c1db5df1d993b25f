"""A Python file with which torch.export takes a target, for the calls that its examples show.

sizes        the sizes of all calls: which varied, which vary together, which a `Dim` says
kinds        what calls are alike in beside
plan         what one exported program is
group        calls that one may serve: what varies among them, and which are left out
choose       the group that is served
suggestions  what torch.export asks for instead, read from its message
findings     what people must know of it
differences  in which respect calls differ, in words
layout       what the text is made from
file         the text; `arguments` and `making` are parts of it

Only a child imports these:

binding      calls by the names of parameters
values       live values as plain data, and as Python
building     how a target is made, as Python
describe     the tasks that tell of target and calls
run          the task that runs a file
"""
