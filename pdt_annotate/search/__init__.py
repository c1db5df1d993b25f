"""The search for annotations that verify. `find_plan.py` runs it in order; `repair` proposes the next change to try."""
