"""`captures`: every way of capturing a target, tried on it as it is and as annotated, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.captures.table import choose
from pdt_annotate.flows.annotate import annotate
from pdt_annotate.flows.trace_mend import mend_trace
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import examine, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.project import NO_SOURCES
from pdt_annotate.values.captures import Capture, Captures, Fate, Way
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure

AS_IT_IS = "as it is"
ANNOTATED = "annotated"
TRACE = "trace"

MENDED = "PDT087"
HOW = "then a trace answers right: `--emit trace-mend` prints the verified diff"


def captures(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Captures, ...]:
    """Try every way on every target, as it is and, where the tool can annotate it, as annotated.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    annotating = replace(options, write_back=WriteBack.DIFF, no_probe=True)
    outcome = annotate(annotating, zygote, progress)
    tried = (_try_all(options, zygote, each, AS_IT_IS, progress) for each in options.targets)
    done = [_with_trace_mends(options, zygote, each, progress) for each in tried]
    if outcome.changes and outcome.verified:
        sources = {change.file: change.after for change in outcome.changes}
        done += [_try_all(options, zygote, each, ANNOTATED, progress, sources) for each in options.targets]
    return tuple(done)


def _with_trace_mends(options: Options, zygote: Zygote, tried: Captures, progress: Progress) -> Captures:
    """With what may be done about a trace that does not answer right, or that something speaks against."""
    traced = next((each for each in tried.captures if each.way == TRACE and each.captured), None)
    if traced is None or (traced.fate is Fate.SAME and not traced.findings):
        return tried
    outcome = mend_trace(options, zygote, tried.target, progress)
    mends = (Finding(MENDED, f"{each.summary}; {HOW}", each.place) for each in outcome.mends)
    told = replace(traced, findings=(*traced.findings, *mends, *outcome.findings))
    return replace(tried, captures=tuple(told if each is traced else each for each in tried.captures))


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
    return Captures(target, version, tuple(_try(session, ways, progress)), ways=ways, root=options.root)


def _try(session: Session, ways: Sequence[Way], progress: Progress) -> Iterator[Capture]:
    for way in ways:
        progress(f"capturing with {way.title}")
        try:
            yield examine(session, way)
        except UserCodeError as error:  # it crashed, or took too long
            yield Capture(way.name, failure=Failure(error.message))
