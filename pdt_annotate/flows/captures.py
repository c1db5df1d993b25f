"""`captures`: every way of capturing a target, tried on it as it is and as annotated, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.required import with_required
from pdt_annotate.captures.table import choose
from pdt_annotate.emit.words import shown
from pdt_annotate.findings.messages.refused import refusal
from pdt_annotate.flows.annotate import annotate
from pdt_annotate.flows.trace_mend import with_trace_mends
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import examine, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.project import NO_SOURCES
from pdt_annotate.values.captures import Capture, Captures, Way
from pdt_annotate.values.errors import UserCodeError, UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Failure

AS_IT_IS = "as it is"
ANNOTATED = "annotated"
NOTHING_TO_ANNOTATE = "no annotation is needed, so there is one version"


def captures(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Captures, ...]:
    """Try every way on every target, as it is and, where the tool can annotate it, as annotated.

    Raises:
        UserError: the target, the spec or the user's code is at fault, or there is no such way.
    """
    tried = (_try_all(options, zygote, each, AS_IT_IS, progress) for each in options.targets)
    versions = [with_trace_mends(options, zygote, each, progress) for each in tried]
    sources, note = _annotate(options, zygote, progress)
    done = [replace(each, note=note) for each in versions]
    if sources:
        done += [_try_all(options, zygote, each, ANNOTATED, progress, sources) for each in options.targets]
    return with_required(done, options.require)


def _annotate(options: Options, zygote: Zygote, progress: Progress) -> tuple[Mapping[str, bytes], str]:
    """The annotated sources; none where there are none that verify, and why that is."""
    annotating = replace(options, write_back=WriteBack.DIFF, no_probe=True)
    try:
        outcome = annotate(annotating, zygote, lambda text: progress(f"annotating: {text}"))
    except UserError as error:  # what only annotating asks for
        return NO_SOURCES, f"there is no annotated version: {error.message}"
    if not outcome.verified:
        return NO_SOURCES, f"there is no annotated version: {_why_not(outcome)}"
    return {change.file: change.after for change in outcome.changes}, "" if outcome.changes else NOTHING_TO_ANNOTATE


def _why_not(outcome: Outcome) -> str:
    failure = next((each.failure for each in outcome.verdicts if not each.ok and each.failure), None)
    if failure is None:
        return "no annotations verify"
    where = f" ({shown(failure.place)})" if failure.place.file else ""
    return f"no annotations verify; {refusal(failure)}{where}"


def _try_all(
    options: Options,
    zygote: Zygote,
    target: Target,
    version: str,
    progress: Progress,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> Captures:
    ways = choose(options.ways, options.require, options.compare)
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
