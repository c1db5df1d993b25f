"""The set-up of a session like the tool's own, but without some of the example calls. It runs in forked children."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pdt_annotate.processes.child import prepared as setup
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.runs import SpecSource, Target

PREPARE = "left_out:prepare"
NAMES = "left_out:names"


class LeavingOut(Zygote):
    """A zygote whose sessions leave out the calls of `LeftOut`."""

    def session(self, setup: str, *args: Any, **flags: Any) -> Session:
        return super().session(PREPARE, *args, **flags)


@dataclass(frozen=True)
class LeftOut(SpecSource):
    """A source of example calls, from which the calls with these names are left out."""

    without: frozenset[str] = frozenset()


def prepare(target: Target, source: SpecSource, *args: Any, **flags: Any) -> Prepared:
    """The target built from its spec, with fewer calls. The names of the remaining calls do not change."""
    prepared = setup.prepare(target, source, *args, **flags)
    if isinstance(source, LeftOut):
        calls = tuple(call for call in prepared.calls if call.name not in source.without)
        prepared.spec = replace(prepared.spec, calls=calls)
    return prepared


def names(prepared: Prepared) -> list[tuple[str, bool]]:
    """The names of the calls in their order, each with whether it is held back."""
    return [(call.name, call.held_back) for call in prepared.calls]
