"""From observations to the annotations with which the search begins: of parameters, and of results that the compiler
does not infer. `search/repair` uses `consolidate` and `legalize` for the other slots.

evidence     joins the observations of all runs, and chooses annotations as functions come in reach; knows the types of
             slots of the same name; divides observed types between `@torch.jit._overload` stubs
choose_slot  chooses for one slot; it asks the others in turn
inference    types that the source shows, for functions that no example entered
consolidate  the observed types of a slot as one type
legalize     that type as TorchScript can take it: several lengths or number types become one type here
"""
