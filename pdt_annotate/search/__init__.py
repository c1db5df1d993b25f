"""The search for annotations that verify, and for mends. `problems.find_plan` searches for annotations.

best_first    the search itself, which knows nothing of TorchScript
problems      the problems to search: the whole target, or one function alone
plan          the annotations to try, and how they are tried
repair        proposes the next annotations, from the compiler's message
prune         drops unneeded annotations
repair_parts  repairs modules one by one, if the whole fails
find_blame    asks `blame` for the parts at fault
keep_parts    keeps the annotations of parts that work, for `--write-partial`
find_mends    changes the code with `mends`, if no annotations suffice, and searches again
"""
