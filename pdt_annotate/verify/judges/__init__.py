"""The judges that run in a child: does it script, does it answer the same.

`clones` copies the arguments of calls, and makes objects of a class. `mends/judge.py` has judges of mends.
"""
