"""Which nodes share a module's frame.

A module that is called twice, or whose nodes the compiler has mixed with others, would close a circle were all of it in
one frame: a value would leave the frame and come back into it. It then has several frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pdt_annotate.values.graphs import GraphNode


@dataclass
class Bunch:
    """Nodes in one frame, or a single node without one.

    Args:
        path: of the module; "" for a node that is in none.
    """

    path: str
    nodes: list[GraphNode] = field(default_factory=list)
    needs: set[int] = field(default_factory=set)


def bunch(nodes: Sequence[GraphNode], prefix: str, needed: Callable[[GraphNode], Sequence[int]]) -> list[Bunch]:
    """The nodes of a level by the module of the next level that runs them, in the order of their first nodes.

    Args:
        nodes: in the order of the program.
        prefix: the path of the module whose level it is.
        needed: the ids of the nodes on whose values a node, or what is in its regions, depends.
    """
    made: list[Bunch] = []
    latest: dict[str, int] = {}
    where: dict[int, int] = {}
    for node in nodes:
        path = _next(node.module, prefix)
        needs = {where[each] for each in needed(node) if each in where}
        index = latest.get(path, -1) if path else -1
        if index < 0 or any(_reaches(made, each, index) for each in needs - {index}):
            index = len(made)
            made.append(Bunch(path))
            latest[path] = index
        made[index].nodes.append(node)
        made[index].needs |= needs - {index}
        where[node.id] = index
    return made


def _reaches(made: Sequence[Bunch], start: int, goal: int) -> bool:
    """Whether what one bunch makes depends on another."""
    seen, left = {start}, [start]
    while left:
        index = left.pop()
        if index == goal:
            return True
        fresh = made[index].needs - seen
        seen |= fresh
        left += fresh
    return False


def _next(path: str, prefix: str) -> str:
    """The path of the module one level below the prefix that holds this one.

    >>> _next("layer1.0.conv1", "layer1"), _next("layer1", "layer1"), _next("fc", "layer1")
    ('layer1.0', '', '')
    """
    if not prefix:
        return path.partition(".")[0]
    below = path.removeprefix(f"{prefix}.")
    return "" if below == path else f"{prefix}.{below.partition('.')[0]}"


def common_path(nodes: Sequence[GraphNode]) -> str:
    """The path of the innermost module that runs all of these."""
    split = [node.module.split(".") for node in nodes]
    shared = list(_shared(split))
    return ".".join(shared)


def _shared(paths: Sequence[Sequence[str]]) -> Iterator[str]:
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            return
        yield parts[0]
