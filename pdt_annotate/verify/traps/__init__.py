"""Where TorchScript is known to differ from Python in silence: a family of traps a file, found in what was compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pdt_annotate.values.further import Trap
from pdt_annotate.verify.traps import (
    border,
    branches,
    containers,
    numbers,
    overrides,
    texts,
    values,
    wrappers,
)
from pdt_annotate.verify.traps.view import View

TrapRule = Callable[[View], Iterator[Trap]]

TRAP_RULES: tuple[TrapRule, ...] = (
    wrappers.find,
    overrides.find,
    overrides.find_of_instances,
    containers.find,
    branches.find,
    values.find,
    texts.find,
    numbers.find,
    numbers.find_dtypes,
    containers.find_in_loops,
    border.find,
)
"""In the order in which what they find is told."""


def find(view: View) -> tuple[Trap, ...]:
    """The traps in a compiled target, one of a code a place."""
    found = (trap for rule in TRAP_RULES for trap in rule(view))
    return tuple({(trap.code, trap.place): trap for trap in reversed(list(found))}.values())[::-1]
