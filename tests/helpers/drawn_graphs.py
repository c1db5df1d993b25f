"""Graphs to draw, written by hand."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue
from pdt_annotate.values.slots import NO_PLACE, Place

HOSTILE = "</title><script>pwned = 1</script>\"&'\\\n\x00"


@dataclass
class Sketch:
    values: dict[str, GraphValue] = field(default_factory=dict)
    count: int = 0

    def value(self, name: str, type: str = "Tensor", shape: tuple[int, ...] | None = (2, 3), **more: str) -> str:
        self.values[name] = GraphValue(name, type, shape, "float32" if shape is not None else "", **more)
        return name

    def constant(self, name: str, text: str) -> str:
        return self.value(name, "int", None, constant=text)

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        module: str = "",
        arguments: Sequence[str] = (),
        regions: Sequence[GraphRegion] = (),
        place: Place = NO_PLACE,
    ) -> GraphNode:
        self.count += 1
        for name in outputs:
            if name not in self.values:
                self.value(name)
        parts = (tuple(inputs), tuple(arguments), tuple(outputs), place, module)
        return GraphNode(self.count, kind, *parts, regions=tuple(regions))

    def graph(self, inputs: Sequence[str], nodes: Sequence[GraphNode], outputs: Sequence[str], **classes: str) -> Graph:
        body = GraphRegion("body", tuple(nodes), tuple(inputs), tuple(outputs))
        modules = {path.replace("__", "."): name for path, name in classes.items()}
        return Graph("model.py:Net", "frozen", body, self.values, modules)


def residual(place: Place = NO_PLACE) -> Graph:
    """Two blocks of a ResNet. The input of each block is added to its result."""
    made = Sketch()
    made.value("x")
    nodes = []
    given = "x"
    for index in range(2):
        module = f"blocks.{index}"
        stride = [made.constant(f"one{index}", "1"), made.constant(f"two{index}", "2")]
        nodes.append(made.node("prim::ListConstruct", stride, [f"stride{index}"]))
        weight = made.value(f"p.{module}.conv.weight", shape=(4, 3, 3, 3), path=f"{module}.conv.weight")
        names = ("input", "weight", "stride")
        taken = [given, weight, f"stride{index}"]
        nodes.append(made.node("aten::conv2d", taken, [f"c{index}"], f"{module}.conv", names, place=place))
        nodes.append(made.node("aten::relu", [f"c{index}"], [f"r{index}"], module, ("self",), place=place))
        nodes.append(made.node("aten::add", [given, f"r{index}"], [f"a{index}"], module, place=place))
        given = f"a{index}"
    classes = {"blocks__0": "net.Block", "blocks__1": "net.Block", "blocks": "torch.nn.Sequential"}
    return made.graph(["x"], nodes, [given], **classes)


def branches(place: Place = NO_PLACE) -> Graph:
    """An If that produces a value, then a Loop with an If inside that passes a value on unchanged."""
    made = Sketch()
    for name in ("x", "y", "z", "carried", "kept"):
        made.value(name)
    for name in ("n", "turn"):
        made.value(name, "int", None)
    for name in ("positive", "late"):
        made.value(name, "bool", None)
    one, true = made.constant("one", "1"), made.constant("true", "True")
    first = made.node("aten::Bool", ["x"], ["positive"], place=place)
    double = made.node("aten::mul", ["x", "x"], ["double"], "lin")
    less = made.node("aten::sub", ["x", one], ["less"])
    regions = [GraphRegion("then", (double,), (), ("double",)), GraphRegion("else", (less,), (), ("less",))]
    decision = made.node("prim::If", ["positive"], ["y"], regions=regions, place=place)
    squashed = made.node("aten::tanh", ["carried"], ["squashed"])
    asked = made.node("aten::gt", ["turn", one], ["late"])
    more = made.node("aten::add", ["squashed", "y"], ["more"])
    inner = [GraphRegion("then", (more,), (), ("more",)), GraphRegion("else", (), (), ("squashed",))]
    again = made.node("prim::If", ["late"], ["kept"], regions=inner)
    turns = GraphRegion("loop", (squashed, asked, again), ("turn", "carried"), (true, "kept"))
    loop = made.node("prim::Loop", ["n", true, "y"], ["z"], regions=[turns], place=place)
    return made.graph(["x", "n"], [first, decision, loop], ["z", "y"])


def relus(made: Sketch, *steps: tuple[str, str, str]) -> list[GraphNode]:
    """Nodes in a module, each with one input and one output."""
    made.value("x")
    return [made.node("aten::relu", [taken], [given], module) for taken, given, module in steps]


def late_taker() -> Graph:
    """A module whose second node uses the result of a module that begins after this one."""
    made = Sketch()
    nodes = relus(made, ("x", "a0", "a"), ("x", "b0", "b"), ("b0", "b1", "b"), ("b1", "a1", "a"))
    return made.graph(["x"], nodes, ["a0", "a1"])


def gathering() -> Graph:
    """A list that a loop fills, and that is read after the loop."""
    made = Sketch()
    for name in ("n", "turn"):
        made.value(name, "int", None)
    made.value("x")
    made.value("all", "List[Tensor]", None)
    true = made.constant("true", "True")
    empty = made.node("prim::ListConstruct", [], ["all"])
    more = made.node("aten::append", ["all", "x"], ["same"])
    loop = made.node("prim::Loop", ["n", true], [], regions=[GraphRegion("loop", (more,), ("turn",), (true,))])
    return made.graph(["x", "n"], [empty, loop, made.node("aten::cat", ["all"], ["joined"])], ["joined"])


def called_twice() -> Graph:
    """A module that runs, then another module on its result, then the first module again."""
    made = Sketch()
    names = ("x", *(f"v{index}" for index in range(6)))
    return made.graph(["x"], relus(made, *zip(names, names[1:], "aabbaa", strict=False)), ["v5"])


def mixed_order() -> Graph:
    """Two independent modules whose nodes the compiler has mixed."""
    made = Sketch()
    nodes = relus(made, ("x", "v0", "a"), ("x", "v1", "b"), ("v0", "v2", "a"), ("v1", "v3", "b"))
    nodes.append(made.node("aten::add", ["v2", "v3"], ["sum"]))
    return made.graph(["x"], nodes, ["sum"])


def wild(seed: int, count: int = 50) -> Graph:
    """A meaningless graph: short and long edges, modules in three levels, and parts that are connected to nothing."""
    draw = random.Random(seed)
    made = Sketch()
    known = [made.value("x"), made.value("y")]
    nodes = []
    for index in range(count):
        reach = known[-draw.choice([2, 3, 8, len(known)]) :]
        inputs = draw.sample(reach, min(len(reach), draw.choice([0, 1, 1, 1, 2, 2, 3])))
        block = index * 6 // count
        module = draw.choice(["", f"m{block}", f"m{block}.{draw.randrange(2)}", f"m{block}.{draw.randrange(2)}.n"])
        nodes.append(made.node(draw.choice(["aten::relu", "aten::add_", "my::op"]), inputs, [f"v{index}"], module))
        known.append(f"v{index}")
    return made.graph(["x", "y"], nodes, known[-2:])


def hostile() -> Graph:
    """Every text is markup, quotes and invisible characters."""
    made = Sketch()
    for name in (f"x{HOSTILE}", f"y{HOSTILE}"):
        made.value(name)
    made.value("text", "str", None, constant=repr(HOSTILE))
    inputs = [f"x{HOSTILE}", "text"]
    node = made.node(
        f"my::{HOSTILE}", inputs, [f"y{HOSTILE}"], f"m{HOSTILE}", (HOSTILE,), place=Place(HOSTILE.strip("\0"), 3)
    )
    again = made.node("aten::relu", [f"y{HOSTILE}"], ["z"], f"m{HOSTILE}")
    body = GraphRegion("body", (node, again), (f"x{HOSTILE}",), ("z",))
    return Graph(f"model.py:{HOSTILE}", "frozen", body, made.values, {f"m{HOSTILE}": f"a.{HOSTILE}"})
