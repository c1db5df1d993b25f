"""The judges that run in a child: does it script, does it answer the same.

`clones` copies the arguments of calls. `objects` is for a target that is a class. `mends/judge.py` has judges of mends.
"""
