"""Known silent differences between TorchScript and Python, found in compiled code: a family of traps a file.

All families read `compiled_view` (functions as source and graph), `graph_facts` and `value_flow` (nodes and values).
"""

from collections.abc import Callable, Iterator

from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps import (
    arithmetic,
    border,
    changed_containers,
    overrides,
    scripting_branches,
    strings,
    type_dependent,
    wrappers,
)
from pdt_annotate.verify.traps.compiled_view import View

# In the order in which their traps are reported.
TRAP_RULES: tuple[Callable[[View], Iterator[Trap]], ...] = (
    wrappers.find,
    overrides.find,
    overrides.find_of_instances,
    changed_containers.find,
    scripting_branches.find,
    type_dependent.find,
    strings.find,
    arithmetic.find,
    arithmetic.find_dtypes,
    changed_containers.find_in_loops,
    border.find,
)


def find(view: View) -> tuple[Trap, ...]:
    """The traps in a compiled target, each code once a place."""
    found = (trap for rule in TRAP_RULES for trap in rule(view))
    return tuple({(trap.code, trap.place): trap for trap in reversed(list(found))}.values())[::-1]
