"""Judges of a rewrite, and traps in compiled code. `flows/verify.py` and `processes/child/attempt.py` run the judges.

text_judges  the first three judges: they read text alone, and need no torch; and which differences are accepted
judges       the comparisons of a scripted target with the eager one, in a child
traps        known silent differences between TorchScript and Python, in a child
"""
