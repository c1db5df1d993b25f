"""A captured program as a graph, which `pdt-annotate graph` draws, walks and turns back into Python."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.slots import NO_PLACE, Place


@dataclass(frozen=True)
class GraphValue:
    """A value that flows along an edge: a node, a region or a caller makes it once, and others use it by name.

    Args:
        name: its name, unique in the graph.
        type: the compiler's spelling of its type: "Tensor", "List[int]".
        shape: a tensor's shape in the captured call; None if there was no call, or the value is not a tensor.
        dtype: its dtype, such as "float32"; "" in the same cases.
        constant: a constant's Python source: "[1, 1]", "torch.float32".
        path: the path of a parameter, buffer or attribute from the target: "layer1.0.weight".
    """

    name: str
    type: str = "Tensor"
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    constant: str = ""
    path: str = ""

    @property
    def is_stored(self) -> bool:
        """Whether no node computes it: it is a constant, a parameter or an attribute."""
        return bool(self.constant or self.path)


@dataclass(frozen=True)
class GraphRegion:
    """Nodes that run together, in order: the body of the graph, a branch of an If, the body of a Loop.

    Args:
        name: "body", "then", "else", "loop".
        inputs: the names of the values that it takes.
        outputs: the names of the values that it returns.
    """

    name: str
    nodes: "tuple[GraphNode, ...]"
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphNode:
    """One operation.

    Args:
        id: its number in the graph, in program order.
        kind: the operator: "aten::conv2d", "prim::If".
        inputs: the names of its input values, in the operator's order.
        arguments: the operator's names for the inputs, if it has a schema.
        outputs: the names of the values that it makes.
        place: the source line that it comes from.
        module: the path of the module that runs it: "layer1.0.conv", "" for the target itself.
        regions: the regions of an If or a Loop.
        python: the operation in Python, "{0}" for the first input: "torch.relu({0})"; "" if it has no such form.
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
        """Its inputs, and the values that its regions return."""
        return (*self.inputs, *(name for region in self.regions for name in region.outputs))

    def walk(self) -> "Iterator[GraphNode]":
        yield self
        for region in self.regions:
            for node in region.nodes:
                yield from node.walk()


@dataclass(frozen=True)
class GraphState:
    """A parameter or buffer of the target, whether the program reads it or not, or an attribute that the program sets.

    Args:
        path: the name in `state_dict()`: "layer1.0.weight".
        shape, dtype: the tensor's; an attribute that is not a tensor has no dtype.
        parameter: it is a parameter, not a buffer.
        saved: it is in `state_dict()`; some buffers are not.
        constant: the Python source of an unsaved one's value at capture, if that is short.
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
        target: its text on the command line.
        of: the way in which it was captured: "script", "frozen", "trace".
        body: the outermost region; its inputs are the program's.
        defaults: the default values of optional inputs, as Python source.
        values: all values by name, including those inside regions.
        modules: the qualified class names, by path, of the modules that nodes name and of the modules around them.
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
        """Every node; a node in a region comes after the node that holds the region."""
        for node in self.body.nodes:
            yield from node.walk()
