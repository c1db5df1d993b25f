"""From the compiler's message to the next annotation to try. Repair proposes; the compiler judges.

A repairer is a function that knows one kind of failure: of `arguments`, `attributes`, `returns` or `variables`. Two
files propose what no message asks for: `flags` makes module attributes that decide a branch `Final`, `neighbours`
changes planned annotations to other legal types. Three files are helpers: `situation` is the input of all repairers,
`expect` finds the types with which an expression gets an expected type, `family` the class body to annotate.
"""

from collections.abc import Callable, Iterator

from pdt_annotate.search.repair import arguments, attributes, flags, neighbours, returns, variables
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.values.slots import Annotation

REPAIRERS: tuple[Callable[[Situation], Iterator[Proposal]], ...] = (
    arguments.propose_defaults,
    returns.propose_abstract,
    flags.propose_flags,
    arguments.propose_arguments,
    arguments.propose_unnamed_methods,
    variables.propose_variables,
    variables.propose_branch_types,
    returns.propose_returns,
    returns.propose_hooks,
    variables.propose_tolist,
    attributes.propose_quoted,
    attributes.propose_module_attributes,
    arguments.propose_operators,
    variables.propose_empty_containers,
    attributes.propose_script_classes,
    arguments.propose_misuse,
    neighbours.propose_neighbours,
    flags.propose_in_callers,
    neighbours.propose_wrong_answers,
)
"""In order of trust: facts in the message, then hints in the failing statement, then neighbours."""

# The front end, which knows no types, refuses the function. A FrontendError may also come of a call that is compiled.
SYNTAX = ("NotSupportedError", "UnsupportedNodeError")


def propose(situation: Situation) -> Iterator[Proposal]:
    """Changes that may mend the failure, the most trusted first, none twice."""
    given: set[tuple[Annotation, ...]] = set()
    for repairer in (flags.propose_in_callers,) if situation.failure.kind in SYNTAX else REPAIRERS:
        for proposal in repairer(situation):
            key = tuple(sorted(proposal.changes, key=lambda a: (a.slot.sort_key, a.slot.name, str(a.type))))
            if key not in given:
                given.add(key)
                yield proposal


__all__ = ["Proposal", "Situation", "propose"]
