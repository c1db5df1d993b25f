"""`captures`: every way of capturing a target, tried on it as it is and as annotated, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.required import with_required
from pdt_annotate.captures.table import choose
from pdt_annotate.flows.annotated import annotated_version
from pdt_annotate.flows.on_disk import tell_before
from pdt_annotate.flows.trace_mend import with_trace_mends
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import examine, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import NO_SOURCES
from pdt_annotate.values.captures import Capture, Captures, Way
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Failure

AS_IT_IS = "as it is"
ANNOTATED = "annotated"


def captures(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Captures, ...]:
    """Try every way on every target, as it is and, where the tool can annotate it, as annotated.

    Raises:
        UserError: the target, the spec or the user's code is at fault, or there is no such way.
    """
    versions = [_try_all(options, zygote, each, AS_IT_IS, progress) for each in options.targets]
    versions = [with_trace_mends(options, zygote, each, progress) for each in versions]
    annotated = annotated_version(options, zygote, progress)
    done = [replace(each, note=annotated.note) for each in versions]
    if annotated.changes:
        tried = [_try_all(options, zygote, each, ANNOTATED, progress, annotated.sources) for each in options.targets]
        done += [tell_before(each, annotated.changes) for each in tried]
    return with_required(done, options.require)


def _try_all(
    options: Options,
    zygote: Zygote,
    target: Target,
    version: str,
    progress: Progress,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> Captures:
    ways = choose(options.ways, options.require)
    modules = dict.fromkeys(way.made_by.partition(":")[0] for way in ways)
    session = open_session(options, zygote, target, sources, with_modules=tuple(modules))
    tried = tuple(_try(session, ways, version, progress))
    session.close()
    return Captures(target, version, tried, ways=ways, root=options.root)


def _try(session: Session, ways: Sequence[Way], version: str, progress: Progress) -> Iterator[Capture]:
    for way in ways:
        progress(f"capturing {version} with {way.title}")
        try:
            yield examine(session, way)
        except UserCodeError as error:  # it crashed, or took too long
            yield Capture(way.name, failure=Failure(error.message))
