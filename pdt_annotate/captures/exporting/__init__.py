"""A Python file with which torch.export takes a target, for the calls that its examples show.

seen      what the arguments of calls are, and in what calls differ
plan      the program that serves the most calls, and the sizes that vary in it
refusals  what torch.export asks for instead, read from its message; what people must know of a program
file      the text

Only a child imports these:

values    what the file says as Python, and values as plain data
describe  the tasks that describe target and calls, and that run a file
"""
