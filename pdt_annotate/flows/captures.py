"""`captures`, which tries every way of capturing a target, and `graph`, which shows its computation graph."""

import os
import queue
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from pdt_annotate.captures.exporting.export_plan import ExportPlan, make_plan
from pdt_annotate.captures.exporting.file import ExportSheet, write
from pdt_annotate.captures.exporting.refusals import ExportStep, concede, findings_of, rather_others, reason_in, wish
from pdt_annotate.captures.table import EXPORTER, choose, modules_of, named
from pdt_annotate.emit.capture_rows import WhyNot, by_target, reasons_of
from pdt_annotate.emit.words import on_calls, shown
from pdt_annotate.findings.messages.capture_refusals import refusal
from pdt_annotate.flows.from_files import annotate
from pdt_annotate.flows.observe import import_ahead
from pdt_annotate.flows.trace_mend import with_trace_mends
from pdt_annotate.processes import tasks
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.moves import moves_of, trace
from pdt_annotate.values.budget import ALLOWANCES, Progress
from pdt_annotate.values.capture_results import Capture, Captures, Fate, Requirement, Way
from pdt_annotate.values.errors import TargetError, UserCodeError, UserError, VerificationError
from pdt_annotate.values.exports import Exportable, Exported
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.outcome import FileChange, sources_of
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure

READ_FROM_SOURCE = ("script", "frozen")  # the ways that may succeed once the source is annotated


def captures(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Captures, ...]:
    """Try every way on every target, unchanged and, if the tool can annotate it, annotated."""
    ways = choose(options.ways, options.require)
    import_ahead(options, zygote, *modules_of(ways))
    versions = [try_all(options, zygote, each, "as it is", progress, ways) for each in options.targets]
    versions = [with_trace_mends(options, zygote, each, progress) for each in versions]
    changes, note = annotated_version(options, zygote, progress)
    done = [replace(each, note=note) for each in versions]
    if changes:
        # These ways compile source, which annotations may change; a model that compiles a part of itself does in all.
        compiles = any(b"jit." in change.before for change in changes)
        read = tuple(way for way in ways if compiles or way.name in ("script", "trace-mixed"))
        for target, version in zip(options.targets, versions, strict=True):
            tried = try_all(options, zygote, target, "annotated", progress, read, sources_of(changes))
            tried = trace(tried, moves_of(changes))
            known = {each.way: each for each in (*version.captures, *tried.captures)}
            done.append(replace(tried, captures=tuple(known[way.name] for way in ways), ways=ways))
    return with_required(done, options.require)


def try_all(
    options: Options,
    zygote: Zygote,
    target: Target,
    version: str,
    progress: Progress,
    ways: Sequence[Way],
    sources: Mapping[str, bytes] = {},
) -> Captures:
    """Try the ways, as many at a time as there are cores; a session runs one at a time."""
    idle, opening = queue.SimpleQueue[Session](), threading.Lock()

    def work(way: Way) -> Capture:
        try:
            session = idle.get_nowait()
        except queue.Empty:
            with opening:
                session = tasks.open_session(options, zygote, target, sources, with_libraries=True)
        progress(f"capturing {version} with {way.title}")
        try:
            return tasks.examine(session, way)
        except UserCodeError as error:  # it crashed, or took too long
            return Capture(way.name, failure=Failure(error.message))
        finally:
            idle.put(session)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        tried = tuple(pool.map(work, ways))
    while not idle.empty():
        idle.get().close()
    return Captures(target, version, tried, ways=tuple(ways), root=options.root)


def with_required(found: Iterable[Captures], require: Iterable[str]) -> tuple[Captures, ...]:
    """Return the captures with a verdict for each required way, on each target's last version (annotated, if any)."""
    names = [way.name for way in named(require, "--require")]
    judged: list[Captures] = []
    for versions in by_target(found):
        *before, last = versions.found
        by_way = {each.way: each for each in last.captures}
        required = tuple(Requirement(name, _reason(by_way[name])) for name in names)
        judged += [*before, replace(last, required=required)]
    return tuple(judged)


def _reason(capture: Capture) -> str:
    if capture.fate is Fate.SAME:
        return ""
    reason = next(each for each in reasons_of(capture) if each.why is not WhyNot.NOT_COMPARED)
    calls = f" {on_calls(reason.calls[:1])}" if reason.calls else ""
    place = f" {shown(reason.place)}:" if reason.place.file else ""
    return f"{reason.why.value}{calls}:{place} {reason.text}"


def graph(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Graph, ...]:
    """Return the graph of every target, annotated if it scripts only then."""
    graphs: list[Graph] = []
    for target in options.targets:
        progress("importing torch and your code")
        session, changes = tasks.open_session(options, zygote, target), tuple[FileChange, ...]()
        progress("capturing")
        try:
            found = tasks.picture(session, options.of, options.call)
        except TargetError:
            if options.of not in READ_FROM_SOURCE:
                raise
            changes, _ = annotated_version(replace(options, targets=(target,)), zygote, progress)
            if not changes:
                raise
            progress("capturing the annotated version")
            session = tasks.open_session(options, zygote, target, sources_of(changes))
            found = tasks.picture(session, options.of, options.call)
        graphs.append(replace(found, target=target.text, body=trace(found.body, moves_of(changes))))
    return tuple(graphs)


def annotated_version(options: Options, zygote: Zygote, progress: Progress) -> tuple[tuple[FileChange, ...], str]:
    """Return the changes with which the targets script and answer as before; without any, a note says why."""
    annotating = replace(options, write_back=WriteBack.DIFF, no_probe=True, json="", html="")
    try:
        outcome = annotate(annotating, zygote, lambda text: progress(f"annotating: {text}"))
    except UserError as error:  # annotating has more requirements than capturing
        return (), f"there is no annotated version: {error.message}"
    if outcome.verified:
        note = "" if outcome.changes else "no annotation is needed, so the annotated version is the same"
        return outcome.changes, note
    note = "there is no annotated version: verification failed with all annotations"
    if failure := outcome.failure:
        note += f"; {refusal(failure)}" + (f" ({shown(failure.place)})" if failure.place.file else "")
    return (), note


def export(options: Options, zygote: Zygote, command: str, progress: Progress) -> tuple[Exported, ...]:
    """Return the file of every target, which quotes the `command` as it was typed.

    Raises a `VerificationError` if torch.export does not take the target, or its program answers differently.
    """
    return tuple(_Export(options, zygote, command, progress, target).run() for target in options.targets)


@dataclass(frozen=True)
class _Export:
    options: Options
    zygote: Zygote
    command: str
    progress: Progress
    target: Target

    def run(self) -> Exported:
        self.progress("importing torch and your code")
        import_ahead(self.options, self.zygote, EXPORTER)
        session = tasks.open_session(self.options, self.zygote, self.target, with_libraries=True)
        exportable = tasks.describe(session, self.target, self.options.spec)
        plan, steps = self._search(session, exportable)
        findings = tuple(findings_of(steps, plan))
        text = self._text(session, exportable, plan, findings)
        self.progress("verifying the file in a process of its own")
        alone = tasks.open_session_with(self.options, self.zygote, self.target, self._file, text)
        judged = self._try(alone, text, plan)
        if judged.failure:
            raise self._refusal(judged.failure)
        for call in (each for each in judged.calls if each.fate is not Fate.SAME):
            said = f"differs from eager mode on the call `{call.call}`: {call.message}"
            raise VerificationError(f"the exported program of {self.target.text} {said}; nothing was written")
        return Exported(self.target, text, tuple(call.name for call in plan.served), findings)

    def _search(self, session: Session, exportable: Exportable) -> tuple[ExportPlan, list[ExportStep]]:
        """Return the first plan that torch.export takes, with the calls that it accepts, and the tries before it."""
        plan = make_plan(exportable)
        if plan is None:
            why = "".join(f"\n  `{call.name}`: {call.apart or 'the call is held back'}" for call in exportable.calls)
            raise VerificationError(f"no example call of {self.target.text} can be exported from{why}")
        steps: list[ExportStep] = []
        while True:
            self.progress(f"exporting{f', attempt {len(steps) + 1}' if steps else ''}")
            tried = self._try(session, self._text(session, exportable, plan, ()), plan)
            if tried.failure is None:
                fates = zip(plan.served, tried.calls, strict=True)
                refused = ((call.number, fate.message) for call, fate in fates if fate.fate is Fate.REFUSED)
                said = "the exported program does not accept the call"
                return plan.without({number: f"{said}: {message}" for number, message in refused}), steps
            asked = wish(plan, tried.failure.text) or concede(plan)
            after = make_plan(exportable, asked) if asked else None
            others = rather_others(plan, after, reason_in(tried.failure))
            if others:
                asked, after = others, make_plan(exportable, others)
            if asked is None or after is None or len(steps) + 1 == ALLOWANCES["exports"].steps:
                raise self._refusal(tried.failure)
            steps.append(ExportStep(plan, tried.failure, asked))
            plan = after

    def _text(self, session: Session, exportable: Exportable, plan: ExportPlan, findings: Sequence[Finding]) -> str:
        spelled = tasks.spell_call(session, plan.example.number, plan.passed.names, plan.instead)
        name = self.target.text
        return write(ExportSheet(name, self.command, self._file, exportable, plan, spelled, tuple(findings)))

    def _try(self, session: Session, text: str, plan: ExportPlan) -> Capture:
        return tasks.run_export(session, self._file, text, plan.arrangement, tuple(call.number for call in plan.served))

    def _refusal(self, failure: Failure) -> VerificationError:
        said = f"torch.export does not accept {self.target.text}: {reason_in(failure)}; nothing was written"
        return VerificationError(f"{said}\n  at {shown(failure.place)}" if failure.place.file else said)

    @property
    def _file(self) -> str:
        return os.path.abspath(self.options.output or "export.py")  # printed output needs a name too
