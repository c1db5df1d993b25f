"""A captured program as a graph: what `pdt-annotate graph` draws, walks and turns back into Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.places import NO_PLACE, Place


@dataclass(frozen=True)
class GraphValue:
    """What flows along an edge: made once, by a node, a region or a caller, and used by name.

    Args:
        name: its only one in the graph.
        type: as the compiler spells it: "Tensor", "List[int]".
        shape: of a tensor, in the call that was made; None where none was, and for what is no tensor.
        dtype: the same, as in "float32".
        constant: of a constant, as Python says it: "[1, 1]", "torch.float32".
        path: of a parameter, buffer or attribute, from the target: "layer1.0.weight".
    """

    name: str
    type: str = "Tensor"
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    constant: str = ""
    path: str = ""

    @property
    def is_stored(self) -> bool:
        """Whether it is no result of a node: a constant, a parameter, an attribute."""
        return bool(self.constant or self.path)


@dataclass(frozen=True)
class GraphRegion:
    """Nodes that run together, in order: the body of the graph, a branch of an If, the body of a Loop.

    Args:
        name: "body", "then", "else", "loop".
        inputs: names of the values that it begins with.
        outputs: names of the values that it ends with.
    """

    name: str
    nodes: tuple[GraphNode, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphNode:
    """One operation.

    Args:
        id: its number in the graph, in the order of the program.
        kind: the operator: "aten::conv2d", "prim::If".
        inputs: names of values, in the operator's order.
        arguments: the operator's names for these, where it has a schema.
        outputs: names of the values that it makes.
        place: the source line that it comes from.
        module: the path of the module that runs it: "layer1.0.conv", "" for the target itself.
        regions: of an If or a Loop.
        python: the operation as Python says it, "{0}" for the first input: "torch.relu({0})"; "" where it has no words.
    """

    id: int
    kind: str
    inputs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    place: Place = NO_PLACE
    module: str = ""
    regions: tuple[GraphRegion, ...] = ()
    python: str = ""

    @property
    def uses(self) -> tuple[str, ...]:
        """Its inputs, and the values with which its regions end."""
        return (*self.inputs, *(name for region in self.regions for name in region.outputs))

    def walk(self) -> Iterator[GraphNode]:
        """The node itself, then all in its regions."""
        yield self
        for region in self.regions:
            for node in region.nodes:
                yield from node.walk()


@dataclass(frozen=True)
class GraphState:
    """A parameter or buffer that the target has, whether or not the program reads it, or an attribute that it sets.

    Args:
        path: as in `state_dict()`: "layer1.0.weight".
        shape, dtype: of the tensor; an attribute that is none has no dtype.
        parameter: it is no buffer.
        saved: it is in `state_dict()`; some buffers are not.
        constant: of what is not, its value when captured, as Python says it, where that is short.
    """

    path: str
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    parameter: bool = True
    saved: bool = True
    constant: str = ""


@dataclass(frozen=True)
class Graph:
    """A captured program.

    Args:
        target: its text, as on the command line.
        of: the way in which it was captured: "script", "frozen", "trace".
        body: the outermost region; its inputs are those of the program.
        defaults: of those inputs that may be left out, the value they have then, as Python says it.
        values: all by name, those inside regions included.
        modules: by path, the qualified names of the classes of the modules that nodes name, and of those around them.
        state: the parameters and buffers of the target, in its order.
    """

    target: str
    of: str
    body: GraphRegion
    values: Mapping[str, GraphValue] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    state: tuple[GraphState, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)

    def walk(self) -> Iterator[GraphNode]:
        """Every node, those inside regions after the one that holds them."""
        for node in self.body.nodes:
            yield from node.walk()
