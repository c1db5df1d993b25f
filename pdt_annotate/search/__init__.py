"""The search for annotations that verify. `find_plan` says all of it in order; `repair` says what to try next."""
