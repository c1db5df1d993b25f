"""A graph as text, for the terminal: a line for each node, under the modules that run them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.words import TIMES, plural
from pdt_annotate.graphs import node_names
from pdt_annotate.graphs.arrange import TITLES
from pdt_annotate.graphs.drawing import columns
from pdt_annotate.graphs.flow import Folds
from pdt_annotate.graphs.node_names import relative, shared
from pdt_annotate.values.graphs import Graph, GraphRegion

NARROWEST = 40
ARROW = "→"


@dataclass(frozen=True)
class _Row:
    """A line of the listing: a node with its cells, or a heading without."""

    indent: int
    text: str
    number: str = ""
    flow: str = ""
    place: str = ""


def render(graph: Graph, width: int = 100) -> str:
    """The listing for a terminal of a width in characters; the text about shapes is cut to fit it."""
    rows = list(_rows(Folds(graph)))
    count = sum(1 for row in rows if row.number)
    head = f"{graph.target}  {graph.of}, {plural(count, 'node')}"
    return "\n".join([head, *_aligned(rows, max(width, NARROWEST))]) + "\n"


def _rows(folds: Folds) -> Iterator[_Row]:
    graph = folds.graph
    for name in graph.body.inputs:
        value = folds.value(name)
        default = graph.defaults.get(name, "")
        named = node_names.plain(name)
        yield _Row(0, f"{named} = {default}" if default else named, flow=node_names.shape(value))
    yield from _nodes(folds, graph.body, 0, "")
    for name in graph.body.outputs:
        yield _Row(0, "return", flow=_flow_of(folds, folds.items(name)))


def _nodes(folds: Folds, region: GraphRegion, indent: int, module: str) -> Iterator[_Row]:
    """The nodes of a region, under the path of a module if several in a row share it."""
    here = around = module.split(".") if module else []
    indent -= len(around)
    nodes = folds.nodes(region)
    paths = [node.module.split(".") if node.module else [] for node in nodes]
    for node, before, own, after in zip(nodes, [[], *paths], paths, [*paths[1:], []], strict=False):
        # The part of its module's path that a neighbour shares; at least the path around it.
        path = max(shared([before, own]), shared([own, after]), key=len)
        path = path if path[: len(around)] == around else around
        for depth in range(len(shared([here, path])), len(path)):
            heading = ".".join(path[: depth + 1])
            kind = folds.graph.modules.get(heading, "").rpartition(".")[2]
            yield _Row(indent + depth, f"{heading}  {kind}".rstrip())
        here = path
        heading = ".".join(path)
        taken = _flow_of(folds, dict.fromkeys(each for name in node.inputs for each in folds.flowing(name)))
        made = _flow_of(folds, node.outputs)
        flow = f"{taken} {ARROW} {made}" if taken and made else taken or made
        # The first parameter of a node, or else its module, from the heading on.
        stored = next((each for name in node.inputs for each in folds.stored(name)), None)
        owned = relative(stored.path if stored else node.module, heading)
        owned += f" {node_names.sizes(stored)}" if stored else ""
        head = f"{node_names.operator(node.kind)}  {owned}".rstrip()
        yield _Row(indent + len(path), head, str(node.id), flow, node_names.line(node.place))
        for inner in node.regions:
            if folds.nodes(inner):
                yield _Row(indent + len(path) + 1, TITLES.get(inner.name, inner.name))
                yield from _nodes(folds, inner, indent + len(path) + 2, node.module)


def _flow_of(folds: Folds, names: Iterable[str]) -> str:
    """The sizes of values; equal ones in a row are counted."""
    sizes = (node_names.sizes(folds.value(name)) for name in names)
    runs = [(size, len(list(run))) for size, run in groupby(sizes)]
    return ", ".join(size if count == 1 else f"{count}{TIMES}{size}" for size, count in runs)


def _aligned(rows: Sequence[_Row], width: int) -> Iterator[str]:
    """The lines: the names in one column, the sizes in another, the source lines in the last."""
    numbers = max((len(row.number) for row in rows), default=0)
    places = max((len(row.place) for row in rows), default=0)
    names = min(max((2 * row.indent + columns(row.text) for row in rows if row.flow), default=0), width // 2)
    widest = max((columns(row.flow) for row in rows), default=0)
    room = min(widest, max(width - numbers - names - places - 6, 8))
    for row in rows:
        name = "  " * row.indent + row.text
        if not row.flow and not row.place:
            yield f"{'':>{numbers}}  {node_names.shortened(name, width - numbers - 2)}".rstrip()
            continue
        name = node_names.shortened(name, names)
        # The sizes are cut in the least important part, the inputs of a node: "[8,3,32,32… → [8,16]".
        taken, arrow, made = row.flow.rpartition(f" {ARROW} ")
        left = room - len(arrow) - len(made)
        taken = taken if left >= len(taken) else node_names.shortened(taken, max(left, 1))
        flow = node_names.shortened(f"{taken}{arrow}{made}", room)
        cells = (f"{row.number:>{numbers}}", name + " " * (names - columns(name)), flow + " " * (room - columns(flow)))
        yield "  ".join((*cells, row.place)).rstrip()
