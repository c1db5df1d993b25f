"""A captured program as a graph, which `pdt-annotate graph` draws, walks and turns back into Python."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pdt_annotate.values.slots import NO_PLACE, Place


@dataclass(frozen=True)
class GraphValue:
    """A value that flows along an edge: a node, a region or a caller makes it once, and others use it by name."""

    name: str  # its name, unique in the graph
    type: str = "Tensor"  # the compiler's spelling of its type: "Tensor", "List[int]"
    # A tensor's shape in the captured call; None if there was no call, or the value is not a tensor.
    shape: tuple[int, ...] | None = None
    dtype: str = ""  # its dtype, such as "float32"; "" in the same cases
    constant: str = ""  # a constant's Python source: "[1, 1]", "torch.float32"
    path: str = ""  # the path of a parameter, buffer or attribute from the target: "layer1.0.weight"

    @property
    def is_stored(self) -> bool:
        """Whether no node computes it: it is a constant, a parameter or an attribute."""
        return bool(self.constant or self.path)


@dataclass(frozen=True)
class GraphRegion:
    """Nodes that run together, in order: the body of the graph, a branch of an If, the body of a Loop."""

    name: str  # "body", "then", "else", "loop"
    nodes: "tuple[GraphNode, ...]"
    inputs: tuple[str, ...] = ()  # the names of the values that it takes
    outputs: tuple[str, ...] = ()  # the names of the values that it returns

    def mapped(self, change: "Callable[[GraphNode], GraphNode]") -> "GraphRegion":
        """The same region with every node changed, a node before those in its regions."""
        nodes = (replace(n, regions=tuple(each.mapped(change) for each in n.regions)) for n in map(change, self.nodes))
        return replace(self, nodes=tuple(nodes))


@dataclass(frozen=True)
class GraphNode:
    """One operation."""

    id: int  # its number in the graph, in program order
    kind: str  # the operator: "aten::conv2d", "prim::If"
    inputs: tuple[str, ...] = ()  # the names of its input values, in the operator's order
    arguments: tuple[str, ...] = ()  # the operator's names for the inputs, if it has a schema
    outputs: tuple[str, ...] = ()  # the names of the values that it makes
    place: Place = NO_PLACE  # the source line that it comes from
    module: str = ""  # the path of the module that runs it: "layer1.0.conv", "" for the target itself
    python: str = ""  # the operation in Python, "{0}" for the first input: "torch.relu({0})"; "" if it has no such form
    regions: tuple[GraphRegion, ...] = ()  # the regions of an If or a Loop

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
    """A parameter or buffer of the target, whether the program reads it or not, or an attribute that it sets."""

    path: str  # the name in `state_dict()`: "layer1.0.weight"
    shape: tuple[int, ...] = ()
    dtype: str = "float32"  # "" if it is not a tensor
    constant: str = ""  # the Python source of an unsaved one's value at capture, if that is short
    parameter: bool = True  # it is a parameter, not a buffer
    saved: bool = True  # it is in `state_dict()`; some buffers are not


@dataclass(frozen=True)
class Graph:
    """A captured program."""

    target: str  # its text on the command line
    of: str  # the way in which it was captured: "script", "frozen", "trace"
    body: GraphRegion  # the outermost region; its inputs are the program's
    values: Mapping[str, GraphValue] = field(default_factory=dict)  # all values by name, including those inside regions
    # The qualified class names, by path, of the modules that nodes name and of the modules around them.
    modules: Mapping[str, str] = field(default_factory=dict)
    state: tuple[GraphState, ...] = ()  # the parameters and buffers of the target, in its order
    defaults: Mapping[str, str] = field(default_factory=dict)  # the default values of optional inputs, as Python source

    def walk(self) -> Iterator[GraphNode]:
        """Every node; a node in a region comes after the node that holds the region."""
        for node in self.body.nodes:
            yield from node.walk()
