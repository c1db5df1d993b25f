"""Hoist: what configuration alone decides is computed in `__init__`, or at the top of the module.

Safe because nothing changes the configuration later; where that cannot be proved, the mend is frozen.
"""
