"""A graph as a drawing: which boxes there are, what stands in them, and in which frames they are."""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from pdt_annotate.graphs import words
from pdt_annotate.graphs.collapse import MODULE
from pdt_annotate.graphs.drawing import Box, Drawing, Edge, Frame
from pdt_annotate.graphs.folds import Folds
from pdt_annotate.graphs.grouping import bunch, common_path
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion

WIDEST = 46
"""Characters of the longest line in a box; what is cut stands in the facts."""

DECIDES = re.compile(r"\b(if|elif|while|for|assert|and|or)\b")
"""A line that says what an If or a Loop goes by; others lead to code that does."""

TITLES = {"then": "then", "else": "else", "loop": "each turn"}
"""Of regions, by name."""


def arrange(graph: Graph) -> Drawing:
    """What is drawn of a graph."""
    return _Arrangement(graph).drawing()


class _Arrangement:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.folds = Folds(graph)
        self.edges: dict[tuple[str, str], list[str]] = {}
        self.makers: dict[str, str] = {}
        """By value, the key of the box that it comes from."""

    def drawing(self) -> Drawing:
        body = self.graph.body
        inputs = [self._input(index, name) for index, name in enumerate(body.inputs)]
        members = self._level(body, body.nodes, "")
        results = [self._result(index, name) for index, name in enumerate(body.outputs)]
        root = Frame("root", "root", self.graph.target, (*inputs, *members, *results))
        return Drawing(root, tuple(self._edge(*ends, names) for ends, names in self.edges.items()))

    def _edge(self, source: str, target: str, names: Sequence[str]) -> Edge:
        facts = "\n".join(f"%{name}: {words.shape(self.folds.value(name))}" for name in names)
        return Edge(source, target, tuple(names), facts, any(map(self._is_tensor, names)))

    def _is_tensor(self, name: str) -> bool:
        return "Tensor" in self.folds.value(name).type

    def _join(self, name: str, key: str) -> None:
        """Lead a value to the box that takes it."""
        for each in self.folds.flowing(name):
            if each in self.makers:
                names = self.edges.setdefault((self.makers[each], key), [])
                if each not in names:
                    names.append(each)

    def _input(self, index: int, name: str) -> Box:
        key = f"in-{index}"
        self.makers[name] = key
        value = self.folds.value(name)
        default = self.graph.defaults.get(name, "")
        lines = (words.shape(value), f"= {default}" if default else "")
        facts = {"input": name, "type": value.type, "default": default}
        return Box(
            key,
            "input",
            words.shortened(words.plain(name), WIDEST),
            lines=_cut(filter(None, lines)),
            facts={k: v for k, v in facts.items() if v},
        )

    def _result(self, index: int, name: str) -> Box:
        """A result of the program: what is returned, a tuple's items each led to it."""
        key = f"out-{index}"
        self._join(name, key)
        lines = [self._shape_or_text(each) for each in self.folds.items(name)]
        return Box(key, "output", "return", lines=_cut(lines), facts={"returns": self.folds.text(name)})

    def _shape_or_text(self, name: str) -> str:
        return self.folds.text(name) if self.folds.is_stored(name) else words.shape(self.folds.value(name))

    def _level(self, region: GraphRegion, nodes: Iterable[GraphNode], prefix: str) -> list[Box | Frame]:
        """The nodes of a region that one module runs, in the frames of the modules within."""
        shown = [node for node in nodes if not self.folds.is_folded(node)]
        members: list[Box | Frame] = []
        for each in bunch(shown, prefix, self._needed):
            members += self._bunched(region, each.path, each.nodes, prefix)
        return members

    def _bunched(self, region: GraphRegion, path: str, nodes: list[GraphNode], prefix: str) -> list[Box | Frame]:
        if not path or len(nodes) == 1:
            return [self._node(node, prefix) for node in nodes]
        inner = common_path(nodes)
        title = words.flat(f"{inner}  {self.graph.modules.get(inner, '').rpartition('.')[2]}".rstrip())
        facts = {"module": inner, "class": self.graph.modules.get(inner, "")}
        key = f"m{nodes[0].id}-{inner.count('.')}"
        return [Frame(key, "module", title, tuple(self._level(region, nodes, inner)), facts)]

    def _needed(self, node: GraphNode) -> Sequence[int]:
        return self._needs[node.id]

    @cached_property
    def _needs(self) -> Mapping[int, Sequence[int]]:
        """By node, those on which it, or what is in its regions, depends."""
        return {node.id: tuple(self._makers_of(node)) for node in self.graph.walk()}

    def _makers_of(self, node: GraphNode) -> Iterator[int]:
        for name in _taken(node):
            for each in self.folds.flowing(name):
                if each in self.folds.makers:
                    yield self.folds.makers[each].id

    def _node(self, node: GraphNode, prefix: str) -> Box | Frame:
        return self._framed(node, prefix) if node.regions else self._plain(node, prefix)

    def _plain(self, node: GraphNode, prefix: str) -> Box:
        key = f"n{node.id}"
        for name in node.inputs:
            self._join(name, key)
        for name in node.outputs:
            self.makers[name] = key
        return self._box(node, prefix)

    def _box(self, node: GraphNode, prefix: str) -> Box:
        made = words.shapes(map(self.folds.value, node.outputs))
        constants = self._constant_line(node) if node.outputs else self._python(node)
        parts = (self._size_line(node), self._stored_line(node), constants)
        lines = (*parts, f"→ {made}" if made else "")
        return Box(
            f"n{node.id}",
            self._family(node),
            words.shortened(words.operator(node.kind), WIDEST),
            words.shortened(below(node.module, prefix), WIDEST // 2),
            _cut(filter(None, lines)),
            node.place,
            self._facts(node),
            node,
        )

    def _is_module(self, node: GraphNode) -> bool:
        """Whether a node stands for all of a module."""
        return node.kind == (self.graph.modules.get(node.module) or MODULE)

    def _family(self, node: GraphNode) -> str:
        known = words.family(node.kind)
        return "module" if known == "other" and self._is_module(node) else known

    def _size_line(self, node: GraphNode) -> str:
        """How many parameters a module has."""
        if not self._is_module(node):
            return ""
        inside = (each for each in self.graph.state if each.parameter and each.path.startswith(f"{node.module}."))
        count = sum(math.prod(each.shape) for each in inside)
        return f"{count:,} parameters" if count else ""

    def _stored_line(self, node: GraphNode) -> str:
        """The parameters of a node, by the last part of their paths."""
        stored: dict[str, list[str]] = {}
        for each in (each for name in node.inputs for each in self.folds.stored(name)):
            stored.setdefault(words.sizes(each), []).append(each.path.rpartition(".")[2])
        return " · ".join(f"{', '.join(names)} {size}" for size, names in stored.items())

    def _constant_line(self, node: GraphNode) -> str:
        """The constants that a node is given, but those that go without saying."""
        given = ((words.argument_name(node, index), name) for index, name in enumerate(node.inputs))
        texts = ((name, _tight(self.folds.text(value))) for name, value in given if self._is_constant(value))
        return " · ".join(f"{name} {text}".strip() for name, text in texts if not words.is_quiet(name, text))

    def _is_constant(self, name: str) -> bool:
        return not self.folds.flowing(name) and not self.folds.stored(name)

    def _facts(self, node: GraphNode) -> dict[str, str]:
        """All that there is to know of a node."""
        line = linecache.getline(node.place.file, node.place.line).strip() if node.place.file else ""
        facts = {
            "operator": node.kind,
            "module": " ".join(filter(None, (node.module, self.graph.modules.get(node.module, "")))),
            "line": words.line(node.place),
            "source": line,
        }
        for index, name in enumerate(node.inputs):
            key = words.argument_name(node, index) or f"input {index + 1}"
            facts[key if key not in facts else f"{key} (argument)"] = self._described(name)
        facts["python"] = self._python(node)
        makes = (f"%{name}: {words.shape(self.folds.value(name))}" for name in node.outputs)
        return {key: text for key, text in {**facts, "makes": "\n".join(makes)}.items() if text}

    def _python(self, node: GraphNode) -> str:
        """The operation as Python says it, its inputs as they are called here."""
        return re.sub(r"\{(\d+)\}", lambda found: self.folds.text(node.inputs[int(found[1])]), node.python)

    def _described(self, name: str) -> str:
        value, text = self.folds.value(name), self.folds.text(name)
        return text if self._is_constant(name) else f"{text}: {words.shape(value)}".rstrip(": ")

    def _framed(self, node: GraphNode, prefix: str) -> Frame:
        """An If or a Loop: what decides on top, the regions below, and what comes of them at the bottom."""
        key = f"n{node.id}"
        for name in node.inputs:
            self._join(name, key)
        head = self._head(node, prefix)
        bodies = [self._region(node, index, region) for index, region in enumerate(node.regions)]
        end = [self._end(node)] if node.outputs else []
        for name in node.outputs:
            self.makers[name] = f"{key}-end"
        title = words.operator(node.kind)
        members: tuple[Box | Frame, ...] = (head, *(body for body in bodies if body.members), *end)
        return Frame(f"{key}-frame", "control", title, members, head.facts, node.place)

    def _head(self, node: GraphNode, prefix: str) -> Box:
        line = linecache.getline(node.place.file, node.place.line).strip() if node.place.file else ""
        told = [line] if DECIDES.search(line) else []
        aside = words.shortened(below(node.module, prefix), WIDEST // 2)
        head = words.operator(node.kind)
        return Box(f"n{node.id}", "control", head, aside, _cut(told), node.place, self._facts(node), node)

    def _region(self, node: GraphNode, index: int, region: GraphRegion) -> Frame:
        key = f"n{node.id}-{index}"
        head, top = f"n{node.id}", [self._turn(key, region, node)] if region.inputs else []
        inner = [*top, *self._level(region, region.nodes, node.module)]
        yields = [self._yielded(key, region)] if region.outputs else []
        title = TITLES.get(region.name, region.name)
        frame = Frame(key, "region", title, (*inner, *yields))
        for first in list(frame.boxes())[:1]:
            self.edges.setdefault((head, first.key), [])
        for last in yields if node.outputs else ():
            self.edges[last.key, f"{head}-end"] = list(region.outputs)
        return frame

    def _turn(self, key: str, region: GraphRegion, node: GraphNode) -> Box:
        """What a turn of a loop begins with."""
        for name in region.inputs:
            self.makers[name] = f"{key}-in"
        self.edges[f"n{node.id}", f"{key}-in"] = list(region.inputs)
        lines = [f"%{name}: {words.shape(self.folds.value(name))}" for name in region.inputs]
        return Box(f"{key}-in", "carry", "begins with", lines=_cut(lines))

    def _yielded(self, key: str, region: GraphRegion) -> Box:
        """What a branch or a turn ends with."""
        for name in region.outputs:
            self._join(name, f"{key}-out")
        lines = [self._shape_or_text(name) for name in region.outputs]
        return Box(f"{key}-out", "carry", "ends with", lines=_cut(lines))

    def _end(self, node: GraphNode) -> Box:
        lines = [f"%{name}: {words.shape(self.folds.value(name))}" for name in node.outputs]
        return Box(f"n{node.id}-end", "carry", f"after {words.operator(node.kind)}", lines=_cut(lines))


def _taken(node: GraphNode) -> Iterator[str]:
    """The names of the values that a node takes, those that its regions take from outside included."""
    yield from node.inputs
    for region in node.regions:
        yield from region.outputs
        for inner in region.nodes:
            yield from _taken(inner)


def below(path: str, prefix: str) -> str:
    """A module's path from the frame on; "" for the module of the frame itself.

    >>> below("layer1.0.conv1", "layer1.0"), below("layer1", "layer1"), below("fc", "")
    ('conv1', '', 'fc')
    """
    if path == prefix:
        return ""
    return path.removeprefix(f"{prefix}.") if prefix else path


def _tight(text: str) -> str:
    """
    >>> _tight("[2, 2]"), _tight("'a, b'")
    ('[2,2]', "'a, b'")
    """
    return re.sub(r"(?<=\d), (?=-?\d)", ",", text)


def _cut(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(words.shortened(line, WIDEST) for line in lines)
