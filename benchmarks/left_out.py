"""A session's setup like the tool's own, but without some of the example calls; it runs in forked children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pdt_annotate.processes.child import prepare as setup
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.runs import SpecSource, Target

PREPARE = "left_out:prepare"
NAMES = "left_out:names"


class LeavingOut(Zygote):
    """A zygote whose sessions obey `LeftOut`."""

    def session(self, setup: str, *args: Any) -> Session:
        return super().session(PREPARE, *args)


@dataclass(frozen=True)
class LeftOut(SpecSource):
    """A source of example calls of which the calls with these names are not read."""

    without: frozenset[str] = frozenset()


def prepare(target: Target, source: SpecSource, root: str, sources: Mapping[str, bytes]) -> Prepared:
    """The target built from its spec, with fewer calls; the names of the others stay."""
    prepared = setup.prepare(target, source, root, sources)
    if not isinstance(source, LeftOut):
        return prepared
    kept = [(name, call) for name, call in prepared.calls if name not in source.without]
    calls = tuple(call for _, call in kept)
    prepared.spec, prepared.names = replace(prepared.spec, calls=calls), tuple(name for name, _ in kept)
    return prepared


def names(prepared: Prepared) -> list[tuple[str, bool]]:
    """The names of the calls in their order, each with whether it is held back."""
    return [(name, call.held_back) for name, call in prepared.calls]
