"""One exported program: the calls that it serves, and the sizes that vary among them."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pdt_annotate.values import exports
from pdt_annotate.values.exports import Arrangement, Axis, CallSeen, ConstantSeen, Exportable, NamedParameter
from pdt_annotate.values.groups import grouped

SPECIAL = 2  # a size below this, in the example, is a constant to torch.export

# Names that the file has.
RESERVED = {"HERE", "Dim", "Path", "Target", "args", "build", "dynamic_shapes", "export", "importlib", "kwargs", "load"}
RESERVED |= {"program", "sys", "torch"}

Range = tuple[int, int]  # the least and the greatest


@dataclass(frozen=True)
class Size:
    """`factor * root + offset`, where a root is a size that varies.

    >>> str(Size("x_1", 2, -1))
    '2 * x_1 - 1'
    """

    root: str
    factor: int = 1
    offset: int = 0

    def __str__(self) -> str:
        product = self.root if self.factor == 1 else f"{self.factor} * {self.root}"
        return product if not self.offset else f"{product} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"

    def solve(self, size: int) -> int | None:
        """The root's value for a size; None if no value produces it."""
        value, left = divmod(size - self.offset, self.factor)
        return value if not left else None


@dataclass(frozen=True)
class Wishes:
    """The constraints that torch.export asked for."""

    fixed: frozenset[Axis] = frozenset()  # axes that keep the sizes of the example
    sizes: Mapping[str, Size] = field(default_factory=dict)  # by the name of a size
    ranges: Mapping[str, tuple[int, float]] = field(default_factory=dict)  # by name, the least and the greatest size
    apart: Mapping[int, str] = field(default_factory=dict)  # by number, why a call is left to another program

    def resolve(self, name: str) -> Size:
        size, met = Size(name), {name}
        while size.root in self.sizes and (wanted := self.sizes[size.root]).root not in met:
            met.add(wanted.root)
            size = Size(wanted.root, size.factor * wanted.factor, size.factor * wanted.offset + size.offset)
        return size

    def allow(self, name: str, size: int) -> bool:
        low, high = self.ranges.get(name, (0, float("inf")))
        return low <= size <= high


@dataclass(frozen=True)
class ExportPlan:
    arrangement: Arrangement  # how it is called
    passed: Arrangement  # how it calls the target: with the same arguments, and the ones that it holds
    example: CallSeen  # the call that it is made from
    instead: Mapping[Axis, int]  # other sizes of the example, in place of sizes that torch would take for constants
    named: Mapping[str, tuple[Axis, ...]]  # by name, the axes that have this size
    ranges: Mapping[str, Range]  # by root, the least and the greatest value in the calls that are served
    wishes: Wishes  # the constraints that torch asked for
    served: tuple[CallSeen, ...]  # the calls that it serves, held-back ones included
    left: tuple[tuple[CallSeen, str], ...] = ()  # the other calls, each with the reason

    @property
    def names(self) -> dict[Axis, str]:
        return {axis: name for name, group in self.named.items() for axis in group}

    def why_not(self, call: CallSeen, roots: Mapping[str, int] | None) -> str:
        """Why the program does not serve a call; "" if it does. The roots are None if no values fit the call."""
        if call.apart:
            return call.apart
        if call.mode != self.example.mode:
            return f"it is made in {call.mode or 'another'} mode"
        other = exports.difference(call.arguments, self.example.arguments)
        if other:
            return other
        there, names = exports.sizes_of(self.example), self.names
        for (path, axis), size in exports.sizes_of(call).items():
            if (path, axis) not in names and size != there[path, axis]:
                return f"size {axis} of `{exports.spelled_path(path)}` is {size}, not {there[path, axis]}"
        if roots is None:
            return "its sizes break a constraint of torch.export"
        for root, (low, high) in self.ranges.items():
            if not low <= roots[root] <= high:
                return f"`{root}` is {roots[root]}, outside the range {low} to {high}"
        return ""

    def without(self, refused: Mapping[int, str]) -> "ExportPlan":
        """The same program for fewer calls: by number, the calls that it refuses, each with the reason."""
        left = [(call, refused[call.number]) for call in self.served if call.number in refused]
        served = tuple(call for call in self.served if call.number not in refused)
        return replace(self, served=served, left=(*self.left, *left))


def make_plan(exportable: Exportable, wishes: Wishes | None = None) -> ExportPlan | None:
    """The program that serves the most calls under the constraints; None if it would serve none."""
    wishes = wishes or Wishes()
    defaults = {each.name: each.default for each in exportable.parameters if each.default is not None}
    filled = [replace(call, arguments={**defaults, **call.arguments}) for call in exportable.calls]
    calls = [replace(call, apart=call.apart or wishes.apart.get(call.number, "")) for call in filled]
    alike = _largest_group([call for call in calls if not call.apart], wishes.fixed)
    shown = [call for call in alike if not call.held_back]
    if not shown:
        return None
    columns = {axis: [exports.sizes_of(call)[axis] for call in shown] for axis in exports.sizes_of(shown[0])}
    taken = RESERVED | {each.name or each.module for each in exportable.building.imports}
    named = name_groups(vary_together(columns, wishes.fixed), columns, taken)
    found = {call.number: roots_in(named, exports.sizes_of(call), wishes) for call in alike}
    roots = {number: each for number, each in found.items() if each is not None}
    shown = [call for call in shown if call.number in roots]
    if not shown:
        return None
    seen = [roots[call.number] for call in shown]
    ranges = {root: (min(each[root] for each in seen), max(each[root] for each in seen)) for root in seen[0]}
    stuck = {name for name in named if len({*ranges[wishes.resolve(name).root]}) == 1}
    if stuck:  # constant in the calls that torch's constraints leave
        return make_plan(exportable, replace(wishes, fixed=wishes.fixed.union(*(named[name] for name in stuck))))
    names = {axis: name for name, group in named.items() for axis in group}
    # The calls in which a size that varies is a constant to torch.
    special = {call.number for call in shown if any(exports.sizes_of(call)[axis] < SPECIAL for axis in names)}
    example = max(shown, key=lambda call: (call.number not in special, len({*roots[call.number].values()})))
    numbers = {call.number for call in alike}
    passed = arrange(exportable.parameters, [call for call in exportable.calls if call.number in numbers])
    held = {name for name, value in example.arguments.items() if isinstance(value, ConstantSeen) and value.held}
    sizes = {axis: wishes.resolve(name) for axis, name in names.items()} if example.number in special else {}
    instead = {axis: size.factor * ranges[size.root][1] + size.offset for axis, size in sizes.items()}
    plan = ExportPlan(passed.without(held), passed, example, instead, named, ranges, wishes, tuple(calls))
    why = ((call.number, plan.why_not(call, roots.get(call.number))) for call in calls)
    return plan.without({number: said for number, said in why if said})


def _largest_group(calls: Sequence[CallSeen], fixed: frozenset[Axis]) -> list[CallSeen]:
    """The calls of the most frequent kind; held-back calls count only between kinds that are equally frequent."""
    kinds = {call.number: exports.kind_of(call, fixed) for call in calls}
    shown = Counter(kinds[call.number] for call in calls if not call.held_back)
    if not shown:
        return []
    every = Counter(kinds.values())
    chosen = max(shown, key=lambda kind: (shown[kind], every[kind]))
    return [call for call in calls if kinds[call.number] == chosen]


def vary_together(columns: Mapping[Axis, Sequence[int]], fixed: Container[Axis]) -> list[tuple[Axis, ...]]:
    """The axes that vary and are not fixed, in groups with equal columns; a column has a size for each call."""
    varying = ((axis, column) for axis, column in columns.items() if len(set(column)) > 1 and axis not in fixed)
    return [tuple(group) for group in grouped((tuple(column), axis) for axis, column in varying).values()]


def name_groups(
    groups: Iterable[tuple[Axis, ...]], columns: Iterable[Axis], taken: Container[str] = ()
) -> dict[str, tuple[Axis, ...]]:
    """The groups by name: "batch" is the first size of all tensors, others have the name of their first axis.

    >>> name_groups([((("x",), 1), (("y", "k"), 0))], [])
    {'x_1': ((('x',), 1), (('y', 'k'), 0))}
    """
    first = {axis for axis in columns if axis[1] == 0}
    named = {}
    for group in groups:
        path, index = group[0]
        name = "batch" if first and first <= set(group) else re.sub(r"\W", "_", "_".join(map(str, (*path, index))))
        while name in named or name in taken:
            name += "_"
        named[name] = group
    return named


def roots_in(named: Mapping[str, tuple[Axis, ...]], sizes: Mapping[Axis, int], wishes: Wishes) -> dict[str, int] | None:
    """The values of the roots in a call with these sizes; None if no values produce all sizes."""
    roots: dict[str, int] = {}
    for name, group in named.items():
        size = wishes.resolve(name)
        for axis in group:
            value = size.solve(sizes[axis])
            if value is None or roots.setdefault(size.root, value) != value:
                return None
        if not wishes.allow(name, sizes[group[0]]):
            return None
    return roots if all(wishes.allow(root, value) for root, value in roots.items()) else None


def arrange(parameters: Sequence[NamedParameter], calls: Sequence[CallSeen]) -> Arrangement:
    """How the program is called: by position as far as a call did so or a parameter needs it, the rest by keyword."""
    passed = [each for each in parameters if any(each.name in call.arguments for call in calls)]
    ever = frozenset[str]().union(*(call.by_position for call in calls))
    must = max((number for number, each in enumerate(passed, start=1) if not each.keyword), default=0)
    others = (n for n, each in enumerate(passed) if n >= must and not (each.positional and each.name in ever))
    count, names = next(others, len(passed)), [each.name for each in passed]
    return Arrangement(tuple(names[:count]), tuple(names[count:]))
