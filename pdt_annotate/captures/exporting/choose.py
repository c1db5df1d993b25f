"""Which calls one exported program serves: the largest group, by what calls were seen to be, and what torch asks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.exporting.group import Group, shows
from pdt_annotate.captures.exporting.kinds import kind_of
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Wishes, numbers_of
from pdt_annotate.values.exports import Arrangement, CallSeen, Exportable, NamedParameter, Path
from pdt_annotate.values.torch_releases import FREE_INTS, has

RESERVED = frozenset(
    ("HERE", "Dim", "Path", "Target", "args", "build", "dynamic_shapes", "export", "importlib", "kwargs", "load")
) | {"program", "sys", "torch"}
"""Names that the file has."""

NO_WISHES = Wishes()


def make_plan(exportable: Exportable, wishes: Wishes = NO_WISHES) -> ExportPlan | None:
    """The program that serves the most calls; None where it would serve none."""
    wishes = replace(wishes, fixed=wishes.fixed | ints_of_torch(exportable))
    filled = [_fill(call, exportable.parameters, wishes.apart) for call in exportable.calls]
    kinds = {call.number: kind_of(call, wishes.fixed) for call in filled}
    shown = Counter(kinds[call.number] for call in filled if shows(call))
    if not shown:
        return None
    held_back = Counter(kinds[call.number] for call in filled if call.held_back and not call.apart)
    chosen = max(shown, key=lambda kind: (shown[kind], held_back[kind]))
    alike = [call for call in filled if kinds[call.number] == chosen and not call.apart]
    others = [] if wishes.alone else [call for call in filled if call not in alike and shows(call)]
    group = Group.of(alike, others, wishes, _taken(exportable))
    if group is None:
        return None
    if group.stuck:
        return make_plan(exportable, replace(wishes, fixed=wishes.fixed | group.stuck))
    numbers = {call.number for call in alike}
    passed = [call for call in exportable.calls if call.number in numbers]
    return group.plan(filled, arrange(exportable.parameters, passed))


def ints_of_torch(exportable: Exportable) -> frozenset[Path]:
    """The ints in the calls that stay as they are in the example, because the torch that is here leaves none free."""
    if has(exportable.torch, FREE_INTS):
        return frozenset()
    return frozenset(path for call in exportable.calls for path in numbers_of(call))


def _taken(exportable: Exportable) -> frozenset[str]:
    """The names that the file has for something else than sizes."""
    return RESERVED | {each.name or each.module for each in exportable.building.imports}


def _fill(call: CallSeen, parameters: Iterable[NamedParameter], apart: Mapping[int, str]) -> CallSeen:
    """The call with the defaults of what it leaves out, and why it is not served where that is known already."""
    defaults = {each.name: each.default for each in parameters if each.default is not None}
    return replace(call, arguments={**defaults, **call.arguments}, apart=call.apart or apart.get(call.number, ""))


def arrange(parameters: Sequence[NamedParameter], calls: Sequence[CallSeen]) -> Arrangement:
    """How the program is called: what comes first and was ever passed by position goes so, the rest by keyword.

    What stands before a parameter that only a position can reach goes by position, too.
    """
    passed = [each for each in parameters if any(each.name in call.arguments for call in calls)]
    ever = frozenset[str]().union(*(call.by_position for call in calls))
    must = max((number for number, each in enumerate(passed, start=1) if not each.keyword), default=0)
    first = itertools.takewhile(
        lambda numbered: numbered[0] < must or (numbered[1].positional and numbered[1].name in ever), enumerate(passed)
    )
    names = [each.name for each in passed]
    count = len(list(first))
    return Arrangement(tuple(names[:count]), tuple(names[count:]))
