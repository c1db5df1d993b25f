"""What flows from which box to which, in the order of the program.

A value comes from the node that made it, or that changed it last: a list from the last `append`, so that what reads it
comes after. What a region changed comes from the end of the node that holds the region, as what it returns does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from pdt_annotate.graphs.folds import MUTATORS, Folds
from pdt_annotate.values.graphs import GraphNode, GraphRegion

Sources = dict[str, str]
"""By value, the key of the box that it comes from."""


class Flow:
    """The edges of a drawing.

    Attributes:
        edges: by the keys of both ends, the names of the values.
        ends: by node with regions, the values that come from its end, where it has one.
    """

    def __init__(self, folds: Folds) -> None:
        self.folds = folds
        self.edges: dict[tuple[str, str], list[str]] = {}
        self.ends: dict[int, tuple[str, ...]] = {}
        self.around: dict[int, tuple[int, ...]] = {}
        """By node, those that hold the regions in which it is."""
        body = folds.graph.body
        latest = {name: f"in-{index}" for index, name in enumerate(body.inputs)}
        self._nodes(body, latest, ())
        for index, name in enumerate(body.outputs):
            self._lead(name, f"out-{index}", latest)

    @cached_property
    def needs(self) -> Mapping[int, Sequence[int]]:
        """By node, those from which something flows to it, or into its regions; with each those that hold it."""
        needed: dict[int, dict[int, None]] = defaultdict(dict)
        for source, target in self.edges:
            givers, takers = self._with_holders(source), self._with_holders(target)
            for taker in takers:
                if taker not in givers:
                    needed[taker].update(dict.fromkeys(giver for giver in givers if giver not in takers))
        return {number: tuple(each) for number, each in needed.items()}

    def _with_holders(self, key: str) -> tuple[int, ...]:
        """The node of a box and those around it; none of an input or output of the program."""
        number = key.partition("-")[0].removeprefix("n")
        return (int(number), *self.around[int(number)]) if number.isdigit() else ()

    def _nodes(self, region: GraphRegion, latest: Sources, around: tuple[int, ...]) -> None:
        for node in self.folds.nodes(region):
            self.around[node.id] = around
            for name in node.inputs:
                self._lead(name, f"n{node.id}", latest)
            changed = self._regions(node, latest) if node.regions else self._changed(node)
            made = f"n{node.id}-end" if node.regions else f"n{node.id}"
            latest.update(dict.fromkeys((*changed, *node.outputs), made))

    def _changed(self, node: GraphNode) -> Iterator[str]:
        """The values that a node changes: the first that it takes, if it does."""
        if node.inputs and is_change(node.kind):
            yield from self.folds.flowing(node.inputs[0])

    def _regions(self, node: GraphNode, latest: Sources) -> tuple[str, ...]:
        """Lead values through the regions of a node; those that were there before and that these change."""
        end, changed = f"n{node.id}-end", dict[str, None]()
        for index, region in enumerate(node.regions):
            inner = self._region(node, f"n{node.id}-{index}", region, dict(latest))
            for name in latest:
                if inner[name] != latest[name]:
                    self._add(inner[name], end, name)
                    changed[name] = None
        if node.outputs or changed:
            self.ends[node.id] = (*node.outputs, *changed)
        return tuple(changed)

    def _region(self, node: GraphNode, key: str, region: GraphRegion, latest: Sources) -> Sources:
        """Lead values through one region; where each comes from at its end."""
        for name in region.inputs:
            self._add(f"n{node.id}", f"{key}-in", name)
            latest[name] = f"{key}-in"
        self._nodes(region, latest, (node.id, *self.around[node.id]))
        for name in region.outputs:
            self._lead(name, f"{key}-out", latest)
            if node.outputs:
                self._add(f"{key}-out", f"n{node.id}-end", name)
        return latest

    def _lead(self, name: str, key: str, latest: Sources) -> None:
        """Lead a value, or what it is made up of, to the box that takes it."""
        for each in self.folds.flowing(name):
            if each in latest:
                self._add(latest[each], key, each)

    def _add(self, source: str, target: str, name: str) -> None:
        names = self.edges.setdefault((source, target), [])
        if name not in names:
            names.append(name)


def is_change(kind: str) -> bool:
    """Whether an operator changes its first input.

    >>> is_change("aten::append"), is_change("aten::add_"), is_change("aten::__not__"), is_change("aten::add")
    (True, True, False, False)
    """
    name = kind.rpartition("::")[2]
    return name in MUTATORS or (name.endswith("_") and not name.endswith("__"))
