"""`Pre-hook 'scale' on module 'Linear' is missing a return annotation`: the compiler infers no hook's return."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.search.repair.situation import Proposal, Situation, return_slot

MESSAGE = re.compile(r"Pre-hook '(?P<name>\w+)' on module '\w+' is missing a return annotation")


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return of the hook, which the message tells by name alone, with what was observed."""
    match = MESSAGE.search(situation.failure.message)
    if match is None:
        return
    for function in (*situation.functions_named(match["name"]), *situation.uncompiled_named(match["name"])):
        slot = return_slot(function)
        if situation.observed(slot) and not function.returns and not function.settled:
            yield from situation.propose(slot, situation.observed(slot))
