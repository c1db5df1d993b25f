"""From the compiler's message to the next annotation to try. Repair proposes; the compiler judges.

Each file is a repairer, which knows one kind of failure. Three are helpers: `situation` is the input of all repairers,
`expect` finds the types with which an expression gets an expected type, `family` the class body to annotate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pdt_annotate.search.repair import (
    abstract,
    arguments,
    branch_types,
    defaults,
    empty_containers,
    flags,
    hooks,
    misuse,
    module_attributes,
    neighbours,
    operators,
    quoted,
    returns,
    script_classes,
    tolist,
    unnamed_methods,
    variables,
    wrong_answers,
)
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.values.slots import Annotation

REPAIRERS: tuple[Callable[[Situation], Iterator[Proposal]], ...] = (
    defaults.propose,
    abstract.propose,
    flags.propose,
    arguments.propose,
    unnamed_methods.propose,
    variables.propose,
    branch_types.propose,
    returns.propose,
    hooks.propose,
    tolist.propose,
    quoted.propose,
    module_attributes.propose,
    operators.propose,
    empty_containers.propose,
    script_classes.propose,
    misuse.propose,
    neighbours.propose,
    flags.propose_in_callers,
    wrong_answers.propose,
)
"""In order of trust: facts in the message, then hints in the failing statement, then neighbours."""


def propose(situation: Situation) -> Iterator[Proposal]:
    """Changes that may mend the failure, the most trusted first, none twice."""
    given: set[tuple[Annotation, ...]] = set()
    for repairer in REPAIRERS:
        for proposal in repairer(situation):
            key = tuple(sorted(proposal.changes, key=lambda a: (a.slot.sort_key, a.slot.name, str(a.type))))
            if key not in given:
                given.add(key)
                yield proposal


__all__ = ["Proposal", "Situation", "propose"]
