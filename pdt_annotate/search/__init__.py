"""The search for annotations that verify, and for mends. `flows/annotate.py` calls `problems.find_any_plan`, then
`find_mends` if no annotations suffice, then `problems.trim`.

best_first    the search itself, which knows nothing of TorchScript
problems      the problems to search: the whole target, or one function alone; and the end of a search, which drops
              the annotations that the target verifies without, and those of functions out of scope
plan          the annotations to try, and how they are tried
repair        proposes the next annotations, from the compiler's message
repair_parts  asks `blame` for the parts at fault if the whole fails, and repairs modules one by one
find_mends    changes the code with `mends` in a loop of its own, and searches again for annotations
"""
