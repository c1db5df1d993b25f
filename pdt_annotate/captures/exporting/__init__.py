"""A Python file with which torch.export takes a target, for the calls that its examples show.

sizes        the sizes of all calls: which varied, which vary together, which a `Dim` says
plan         which calls one export serves, and with which sizes
suggestions  what torch.export asks for instead, read from its message
file         the text
binding      calls by the names of parameters      \\
describe     the task that tells of target and calls |  only a child imports these
building     how a target is made, as Python         |
run          the task that runs a file             /
"""
