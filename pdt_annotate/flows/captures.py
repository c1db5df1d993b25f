"""`captures`: every way of capturing a target, tried on it as it is and as annotated, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.table import choose, named
from pdt_annotate.emit.capture_rows import WhyNot, by_target, reasons_of
from pdt_annotate.emit.words import on_calls, shown
from pdt_annotate.flows.annotated import annotated_version
from pdt_annotate.flows.on_disk import tell_before
from pdt_annotate.flows.trace_mend import with_trace_mends
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import examine, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import NO_SOURCES
from pdt_annotate.values.captures import Capture, Captures, Fate, Requirement, Way
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


def with_required(found: Iterable[Captures], require: Iterable[str]) -> tuple[Captures, ...]:
    """What was found, with a verdict for each way that is required: on the last version of each target, the annotated
    one where there is one.

    Args:
        require: as the option has it; the ways were tried.
    """
    names = [way.name for way in named(require, "--require")]
    targets = [versions.found for versions in by_target(found)]
    return tuple(each for *before, last in targets for each in (*before, _judged(last, names)))


def _judged(captures: Captures, names: Iterable[str]) -> Captures:
    by_way = {each.way: each for each in captures.captures}
    return replace(captures, required=tuple(Requirement(name, _reason(by_way[name])) for name in names))


def _reason(capture: Capture) -> str:
    if capture.fate is Fate.SAME:
        return ""
    reason = next(each for each in reasons_of(capture) if each.why is not WhyNot.NOT_COMPARED)
    calls = f" {on_calls(reason.calls[:1])}" if reason.calls else ""
    place = f" {shown(reason.place)}:" if reason.place.file else ""
    return f"{reason.why.value}{calls}:{place} {reason.text}"
