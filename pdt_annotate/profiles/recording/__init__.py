"""`pdt-annotate run`: observe a program that we cannot call ourselves, in all its processes. docs/run.md has the costs.

`gathering` starts it and merges its observations. In the program, `startup/sitecustomize.py` waits for code of the
project, and then `recorder` observes. It pauses while it finds nothing new; calls of modules wake it.
"""
