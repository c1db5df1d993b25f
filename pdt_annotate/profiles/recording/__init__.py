"""`pdt-annotate run`: observe a program that is not ours to call, in all of its processes. docs/run.md has the costs.

`gathering` starts it and merges what it left. In the program, `startup/sitecustomize.py` waits for code of the project,
and then `recorder` observes. It rests while nothing new comes; calls of modules wake it.
"""
