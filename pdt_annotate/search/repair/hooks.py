"""`Pre-hook 'scale' on module 'Linear' is missing a return annotation`: the compiler infers no hook's return."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.said import HOOK_RETURN
from pdt_annotate.search.repair.situation import Proposal, Situation, return_slot


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return of the hook, for which the message has only a name, with the observed type."""
    hook = HOOK_RETURN.read(situation.message)
    if hook is None:
        return
    for function in (*situation.functions_named(hook["name"]), *situation.uncompiled_named(hook["name"])):
        slot = return_slot(function)
        if situation.observed(slot) and not function.returns and not function.settled:
            yield from situation.propose(slot, situation.observed(slot))
