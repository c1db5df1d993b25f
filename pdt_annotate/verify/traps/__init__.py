"""Known silent differences between TorchScript and Python, found in compiled code: a family of traps a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pdt_annotate.values.further import Trap
from pdt_annotate.verify.traps import border, branches, containers, numbers, overrides, texts, values, wrappers
from pdt_annotate.verify.traps.view import View

TrapRule = Callable[[View], Iterator[Trap]]

# In the order in which their traps are reported.
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


def find(view: View) -> tuple[Trap, ...]:
    """The traps in a compiled target, each code once a place."""
    found = (trap for rule in TRAP_RULES for trap in rule(view))
    return tuple({(trap.code, trap.place): trap for trap in reversed(list(found))}.values())[::-1]
