"""`captures`: every way of capturing a target, tried on it as it is and as annotated, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.beside import count, put_beside
from pdt_annotate.captures.required import with_required
from pdt_annotate.captures.table import COMPARED, choose, compared
from pdt_annotate.flows.annotated import annotate_aside, sources_of
from pdt_annotate.flows.on_disk import tell_before
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import code, examine, open_session, picture
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import NO_SOURCES
from pdt_annotate.values.captures import Capture, CapturedProgram, Captures, SideBySide, Way
from pdt_annotate.values.errors import UserCodeError, UserError
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Failure

AS_IT_IS = "as it is"
ANNOTATED = "annotated"

FROZEN = {"script": "frozen", "trace": "frozen-trace", "trace-mixed": "frozen-trace-mixed"}
"""By way, the graph of it that is compared, where that is a frozen one."""

NEEDS_NONE = "annotated, it is the same: there is nothing to annotate"
FAILS = "annotated, it is left out, since no annotations make it script and answer as before: `pdt-annotate TARGET -i SPEC --diff` says why"


def captures(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Captures, ...]:
    """Try every way on every target, as it is and, where the tool can annotate it, as annotated.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    outcome = annotate_aside(options, zygote, progress)
    done = [_try_all(options, zygote, each, AS_IT_IS, progress) for each in options.targets]
    if outcome.changes and outcome.verified:
        sources = sources_of(outcome.changes)
        annotated = [_try_all(options, zygote, each, ANNOTATED, progress, sources) for each in options.targets]
        done += [tell_before(each, outcome.changes) for each in annotated]
    else:
        done = [replace(each, note=NEEDS_NONE if outcome.verified else FAILS) for each in done]
    return with_required(done, options.require)


def _try_all(
    options: Options,
    zygote: Zygote,
    target: Target,
    version: str,
    progress: Progress,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> Captures:
    ways = choose(options.ways, options.require, options.compare)
    session = open_session(options, zygote, target, sources)
    tried = tuple(_try(session, ways, progress))
    both = [way for way in compared(options.compare) if any(each.way == way.name and each.captured for each in tried)]
    beside = _put_beside(session, *both) if len(both) == COMPARED else None
    return Captures(target, version, tried, ways=ways, beside=beside, root=options.root)


def _put_beside(session: Session, left: Way, right: Way) -> SideBySide | None:
    try:
        return put_beside(_read(session, left), _read(session, right))
    except UserError:  # one of them is captured, but torch keeps its graph to itself
        return None


def _read(session: Session, way: Way) -> tuple[CapturedProgram, Graph]:
    graph = picture(session, FROZEN.get(way.name, way.name))
    return count(way.name, code(session, way), graph), graph


def _try(session: Session, ways: Sequence[Way], progress: Progress) -> Iterator[Capture]:
    for way in ways:
        progress(f"capturing with {way.title}")
        try:
            yield examine(session, way)
        except UserCodeError as error:  # it crashed, or took too long
            yield Capture(way.name, failure=Failure(error.message))
