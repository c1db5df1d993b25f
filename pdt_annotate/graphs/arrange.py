"""A graph as a drawing: the boxes, their text, and the frames around them."""

import linecache
import math
import re
from collections.abc import Iterable, Mapping

from pdt_annotate.graphs import node_names
from pdt_annotate.graphs.collapse import MODULE, bunch
from pdt_annotate.graphs.drawing import Box, Drawing, Edge, Ends, Frame
from pdt_annotate.graphs.flow import Flow, Folds
from pdt_annotate.graphs.node_names import cut, relative, shared
from pdt_annotate.values.graphs import Graph, GraphNode
from pdt_annotate.values.groups import grouped

WIDEST = 46  # characters of the longest line in a box; the facts have the full text
# A line with the condition of an If or a Loop; other lines lead to code that has it.
DECIDES = re.compile(r"\b(if|elif|while|for|assert|and|or)\b")
TITLES = {"then": "then", "else": "else", "loop": "each turn"}  # of regions, by name


def arrange(graph: Graph) -> Drawing:
    return _Arrangement(graph).drawing()


class _Arrangement:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.folds = Folds(graph)
        self.flow = Flow(self.folds)
        self.order: list[Ends] = []  # pairs of boxes, one below the other, between which no value flows

    def drawing(self) -> Drawing:
        body = self.graph.body
        inputs = []
        for index, name in enumerate(body.inputs):
            value, default = self.folds.value(name), self.graph.defaults.get(name, "")
            lines = _cut((node_names.shape(value), f"= {default}" if default else ""))
            facts = _filled({"input": name, "type": value.type, "default": default})
            head = node_names.shortened(node_names.plain(name), WIDEST)
            inputs.append(Box(f"in-{index}", "input", head, lines=lines, facts=facts))
        members = self._level(body.nodes, "")
        # The results: each item of a tuple has an edge to it.
        results = []
        for index, name in enumerate(body.outputs):
            lines = _cut(map(self._shape_or_text, self.folds.items(name)))
            facts = {"returns": self.folds.text(name)}
            results.append(Box(f"out-{index}", "output", "return", lines=lines, facts=facts))
        root = Frame("root", "root", self.graph.target, (*inputs, *members, *results))
        edges = []
        for (source, target), names in self.flow.edges.items():
            tensors = any("Tensor" in self.folds.value(name).type for name in names)
            edges.append(Edge(source, target, tuple(names), "\n".join(self._shaped(names)), tensors))
        edges += [Edge(*ends) for ends in self.order if ends not in self.flow.edges]
        return Drawing(root, tuple(edges))

    def _shaped(self, names: Iterable[str]) -> list[str]:
        return [f"%{name}: {node_names.shape(self.folds.value(name))}" for name in names]

    def _shape_or_text(self, name: str) -> str:
        value = self.folds.value(name)
        return self.folds.text(name) if value.is_stored else node_names.shape(value)

    def _level(self, nodes: Iterable[GraphNode], prefix: str) -> list[Box | Frame]:
        """The nodes of a region that one module runs, in the frames of the modules within."""
        shown = [node for node in nodes if not self.folds.is_folded(node)]
        members: list[Box | Frame] = []
        inside, depth = (f"{prefix}.", prefix.count(".") + 2) if prefix else ("", 1)
        paths = {node.id: cut(node.module, depth) if node.module.startswith(inside) else "" for node in shown}
        for each in bunch(shown, lambda node: paths[node.id], lambda node: self.flow.needs.get(node.id, ())):
            if not each.path or len(each.nodes) == 1:
                members += [self._framed(n, prefix) if n.regions else self._box(n, prefix) for n in each.nodes]
                continue
            inner = ".".join(shared([node.module.split(".") for node in each.nodes]))
            known = self.graph.modules.get(inner, "")
            title = node_names.flat(f"{inner}  {known.rpartition('.')[2]}".rstrip())
            key = f"m{each.nodes[0].id}-{inner.count('.')}"
            within = tuple(self._level(each.nodes, inner))
            members.append(Frame(key, "module", title, within, {"module": inner, "class": known}))
        return members

    def _box(self, node: GraphNode, prefix: str) -> Box:
        # Whether the box is all of a module.
        whole = node.kind == (self.graph.modules.get(node.module) or MODULE)
        family = node_names.family(node.kind)
        family = "module" if family == "other" and whole else family
        made = ", ".join(node_names.shape(self.folds.value(name)) for name in node.outputs)
        inside = (each for each in self.graph.state if each.parameter and each.path.startswith(f"{node.module}."))
        count = sum(math.prod(each.shape) for each in inside) if whole else 0
        values = (each for name in node.inputs for each in self.folds.stored(name))
        stored = grouped((node_names.sizes(each), each.path.rpartition(".")[2]) for each in values)
        facts = self._facts(node)
        # The constants that a node takes, except obvious ones; "[2, 2]" is drawn as "[2,2]".
        taken = ((node_names.argument_name(node, index), name) for index, name in enumerate(node.inputs))
        known = ((name, self.folds.text(v)) for name, v in taken if not (self.folds.flowing(v) or self.folds.stored(v)))
        texts = ((name, re.sub(r"(?<=\d), (?=-?\d)", ",", text)) for name, text in known)
        constants = (f"{name} {text}".strip() for name, text in texts if not node_names.is_quiet(name, text))
        lines = (
            f"{count:,} parameters" if count else "",
            " · ".join(f"{', '.join(names)} {size}" for size, names in stored.items()),
            " · ".join(constants) if node.outputs else facts.get("python", ""),
            f"→ {made}" if made else "",
        )
        head = node_names.shortened(node_names.operator(node.kind), WIDEST)
        aside = node_names.shortened(relative(node.module, prefix), WIDEST // 2)
        return Box(f"n{node.id}", family, head, aside, _cut(lines), node.place, facts, node)

    def _facts(self, node: GraphNode) -> dict[str, str]:
        facts = {
            "operator": node.kind,
            "module": " ".join(filter(None, (node.module, self.graph.modules.get(node.module, "")))),
            "line": node_names.line(node.place),
            "source": linecache.getline(node.place.file, node.place.line).strip(),
        }
        for index, name in enumerate(node.inputs):
            key = node_names.argument_name(node, index) or f"input {index + 1}"
            text = self.folds.text(name)
            if self.folds.flowing(name) or self.folds.stored(name):
                text = f"{text}: {node_names.shape(self.folds.value(name))}".rstrip(": ")
            facts[key if key not in facts else f"{key} (argument)"] = text
        # The operation in Python has the names of this drawing for its inputs.
        python = re.sub(r"\{(\d+)\}", lambda found: self.folds.text(node.inputs[int(found[1])]), node.python)
        return _filled({**facts, "python": python, "makes": "\n".join(self._shaped(node.outputs))})

    def _framed(self, node: GraphNode, prefix: str) -> Frame:
        """An If or a Loop: the condition on top, the regions below, and their results at the bottom."""
        key = f"n{node.id}"
        title = node_names.operator(node.kind)
        line = linecache.getline(node.place.file, node.place.line).strip()
        aside = node_names.shortened(relative(node.module, prefix), WIDEST // 2)
        lines = _cut([line] if DECIDES.search(line) else [])
        head = Box(key, "control", title, aside, lines, node.place, self._facts(node), node)
        bodies: list[Frame] = []
        for index, region in enumerate(node.regions):
            # The values at the start of a branch or a turn, the nodes, and the values at its end.
            inside = f"{key}-{index}"
            begins = Box(f"{inside}-in", "carry", "begins with", lines=_cut(self._shaped(region.inputs)))
            inner = self._level(region.nodes, node.module)
            returned = _cut(map(self._shape_or_text, region.outputs))
            last = Box(f"{inside}-out", "carry", "ends with", lines=returned)
            members = (*[begins][: len(region.inputs)], *inner, *[last][: len(region.outputs)])
            bodies.append(Frame(inside, "region", TITLES.get(region.name, region.name), members))
            self.order += [(key, first.key) for first in list(bodies[-1].boxes())[:1]]
        ends = self.flow.ends.get(node.id)
        end = [] if ends is None else [Box(f"{key}-end", "carry", f"after {title}", lines=_cut(self._shaped(ends)))]
        shown: tuple[Box | Frame, ...] = (head, *(body for body in bodies if body.members), *end)
        return Frame(f"{key}-frame", "control", title, shown, head.facts, node.place)


def _filled(facts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in facts.items() if text}


def _cut(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(node_names.shortened(line, WIDEST) for line in lines if line)
