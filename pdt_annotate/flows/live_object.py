"""Annotations for a live object, which other processes run, and `pdt_annotate.annotated_source`, which shows them."""

import ast
import linecache
import logging
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows import script as script_flow
from pdt_annotate.flows.annotate import AnnotationRun, Judged, ObservedTargets, Solution, annotate
from pdt_annotate.flows.beyond_examples import look_further, review_further, seconds_to_probe
from pdt_annotate.flows.live_session import live_sessions
from pdt_annotate.flows.script import How, Inputs, make_options
from pdt_annotate.inputs.resolve import MODULE, is_instance
from pdt_annotate.mends.mended import Mended
from pdt_annotate.observers.cells import MAIN, know_cells
from pdt_annotate.observers.files import imported_elsewhere, imported_under
from pdt_annotate.processes.child.apply import restore
from pdt_annotate.processes.fork import CAN_FORK, in_fork
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import TargetRun, judge_behaviour, observe, record_behaviour
from pdt_annotate.search.plan import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import Places
from pdt_annotate.source.project import Project
from pdt_annotate.source.text import decode
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.outcome import FileChange, Outcome, Rendered
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.runs import Candidate

log = logging.getLogger("pdt_annotate")


@dataclass(frozen=True)
class InPlace:
    """The changes with which a live object scripts, for the process that has it."""

    sources: Mapping[str, bytes]  # the mended files
    candidate: Candidate
    methods: tuple[str, ...]  # called by examples, so they are compiled as well


def find_annotations(obj: Any, inputs: Any, options: Options, *, shown: bool = False) -> tuple[InPlace, Outcome]:
    """Run the object on its example inputs, and look for annotations with which it scripts and answers alike.

    If annotations are not enough, mends that `options` allow are looked for. If a person reads the result (`shown`),
    files are rendered, without unnecessary annotations; otherwise the first trial that holds ends the search. Raises a
    `VerificationError` if no annotations were found.
    """
    foreign = imported_elsewhere(options.root) if options.types_third_party else {}
    # A session may have redefined its class, or those of its parts, since the object was made.
    cells = know_cells([obj, *(obj.modules() if is_instance(obj, MODULE) else ())])
    own = imported_under(options.root) | {f"{MAIN}#{number}": file for number, file in enumerate(cells)}
    project = Project(options.root, own, third_party=foreign, sources=cells)
    with live_sessions(obj, inputs, options) as open_session:
        run = LiveRun(options=options, trims=shown, advises=False, project=project, open_session=open_session)
        outcome = annotate(run)
    if not outcome.verified:
        raise VerificationError(_describe(outcome), outcome)
    if log.isEnabledFor(logging.INFO):
        places = Places()
        for annotation in outcome.annotations:
            slot = annotation.slot
            log.info("%s %s %s: %s", places.of_slot(slot), slot.owner.qualname, slot.name, annotation.type)
        for finding in outcome.findings:
            log.info("%s %s %s", finding.place, finding.code, finding.message)
    return run.in_place, outcome


@dataclass(kw_only=True)
class LiveRun(AnnotationRun):
    """A run of an object in sessions that inherit it. The annotations are compiled in place, so no file is rendered."""

    project: Project
    open_session: Callable[[Mapping[str, bytes]], Session]
    in_place: InPlace = field(init=False)

    def observe(self) -> ObservedTargets:
        trials = self.observe_mended(Mended(self.project))
        return ObservedTargets(trials.runs, trials)

    def observe_mended(self, mended: Mended) -> Trials:
        session = self.open_session(mended.sources)
        observed = observe(session, as_scripted=self.project.mentions("is_scripting"))
        runs = (TargetRun(self.options.targets[0], session, observed),)
        return self.make_trials(runs, Evidence(mended.project, [observed]), "live object")

    def verify(self, solution: Solution) -> Judged:
        """Judge whether mends keep the object's behaviour in Python, and draw calls, fewer than for files."""
        trials, trial, mended = solution.trials, solution.step.trial, solution.mended
        if mended.mends:
            recorded = record_behaviour(solution.observed.runs[0].session)
            trial = replace(trial, verdicts=(*trial.verdicts, *judge_behaviour(trials.runs[0].session, recorded)))
        candidate = trials.render(solution.found.plan)
        self.in_place = InPlace(mended.sources, candidate, trials.runs[0].observed.methods)
        if self.trims:
            return Judged(solution.found.rendered, trial)
        rendered = Rendered((), tuple(solution.found.plan.annotations.values()), (), ())
        if not trial.ok:
            return Judged(rendered, trial)
        seconds = ALLOWANCES["generated calls of script"].of(seconds_to_probe(self.options))
        further = look_further(trials.runs, candidate, seconds)
        return Judged(rendered, trial, tuple(review_further(further, refusing=False)))


def _describe(outcome: Outcome) -> str:
    """Return the failure in words, without side effects here: describing imports, caches lines and draws numbers."""
    if CAN_FORK:
        return in_fork(_describe_here, outcome) or "the annotations failed verification"
    lines, drawn = dict(linecache.cache), random.getstate()
    try:
        return _describe_here(outcome)
    finally:
        restore(linecache.cache, lines)
        random.setstate(drawn)


def _describe_here(outcome: Outcome) -> str:
    from pdt_annotate.emit.terminal.failure import describe  # noqa: PLC0415 - it imports rich, which draws numbers

    return describe(outcome)


def annotated_source(obj: Callable[..., Any], example_inputs: Inputs, **how: Unpack[How]) -> str:
    """The source that `script` annotates for the same arguments, with the annotations that it needs.

    It has the changed imports, functions and classes, from notebook cells, prompts or files; if there are several
    files, each part is below the name of its file. Nothing is written, nor scripted in this process. Empty if no
    annotation is missing.

    Raises:
        UserError: the object, the inputs or the code that they run is at fault.
        VerificationError: no annotations were found; `script` would raise the same.
    """
    options = make_options(obj, **how)
    with script_flow.alone:
        _, outcome = find_annotations(obj, example_inputs, options, shown=True)
    changes = sorted(outcome.all_changes, key=lambda change: change.file)
    parts = ["\n\n\n".join(_blocks(change)) for change in changes]
    if len(parts) > 1:
        # A file is named relative to the working directory; a cell has its own name.
        names = [named_from(change.file) if os.path.isfile(change.file) else change.file for change in changes]
        parts = [f"# {name}\n{part}" for name, part in zip(names, parts, strict=True)]
    return "\n\n\n".join(parts)


def _blocks(change: FileChange) -> Iterator[str]:
    """Yield the statements of a source that it did not have before, imports together."""
    before = {text for _, text in _statements(change.before)}
    new = [(node, text) for node, text in _statements(change.after) if text not in before]
    imports = [text for node, text in new if isinstance(node, ast.Import | ast.ImportFrom)]
    if imports:
        yield "\n".join(imports)
    yield from (text for node, text in new if text not in imports)


def _statements(source: bytes) -> Iterator[tuple[ast.stmt, str]]:
    text = decode(source)
    for node in ast.parse(text.body).body:
        first = min(line.lineno for line in (node, *getattr(node, "decorator_list", ())))
        lines = text.body[text.line_start(first) : text.line_start((node.end_lineno or first) + 1)]
        yield node, lines.decode().rstrip()
