"""`graph`: the computation graph of each target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pdt_annotate.flows.annotated import annotated_version
from pdt_annotate.processes.tasks import open_session, picture
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import Moves
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target

READ_FROM_SOURCE = ("script", "frozen")
"""The ways that may succeed once the source is annotated."""


def graph(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Graph, ...]:
    """The graph of every target: as it is or, where it has to be annotated to be scripted, with annotations.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    return tuple(_graph(options, zygote, target, progress) for target in options.targets)


def _graph(options: Options, zygote: Zygote, target: Target, progress: Progress) -> Graph:
    progress("importing torch and your code")
    session = open_session(options, zygote, target)
    progress("capturing")
    try:
        return replace(picture(session, options.of, options.call), target=target.text)
    except TargetError:
        if options.of not in READ_FROM_SOURCE:
            raise
        annotated = annotated_version(replace(options, targets=(target,)), zygote, progress)
        if not annotated.changes:
            raise
    progress("capturing it annotated")
    session = open_session(options, zygote, target, annotated.sources)
    found = picture(session, options.of, options.call)
    moves = {change.file: Moves(change.before, change.edits) for change in annotated.changes}
    return replace(found, target=target.text, body=_on_disk(found.body, moves))


def _on_disk(region: GraphRegion, moves: Mapping[str, Moves]) -> GraphRegion:
    """The places of a region in the files as they are on disk."""
    return replace(region, nodes=tuple(_node_on_disk(node, moves) for node in region.nodes))


def _node_on_disk(node: GraphNode, moves: Mapping[str, Moves]) -> GraphNode:
    place = moves[node.place.file].trace_place(node.place) if node.place.file in moves else node.place
    return replace(node, place=place, regions=tuple(_on_disk(region, moves) for region in node.regions))
