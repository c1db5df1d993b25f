"""The search for annotations that verify. `find_plan.py` has all of it in order; `repair` proposes what to try next."""
