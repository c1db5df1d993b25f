"""Annotations for a live object, and `pdt_annotate.annotated_source`, which shows them.

Other processes run the object, so nothing changes in the process that holds it.
"""

from __future__ import annotations

import ast
import linecache
import logging
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows import script as script_flow
from pdt_annotate.flows.live_session import live_sessions
from pdt_annotate.flows.on_disk import rendered_on_disk, tell_of_disk
from pdt_annotate.flows.review import make_outcome, review, review_cut_off, review_mends
from pdt_annotate.flows.script import How, Inputs, make_options
from pdt_annotate.flows.verify import look_further, review_further, seconds_to_probe
from pdt_annotate.inputs.resolve import MODULE, is_instance
from pdt_annotate.observers.cells import MAIN, know_cells
from pdt_annotate.observers.files import imported_elsewhere, imported_under
from pdt_annotate.processes.fork import CAN_FORK, in_fork
from pdt_annotate.processes.tasks import TargetRun, judge_behaviour, observe, record_behaviour
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_mends import MendSearch, Version
from pdt_annotate.search.find_plan import find_any_plan, trim
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.plan import render
from pdt_annotate.search.prune import keep_in_scope
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import Places
from pdt_annotate.source.project import Project
from pdt_annotate.source.text import decode
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.further import NOTHING_FURTHER
from pdt_annotate.values.outcome import NOTHING_RENDERED, FileChange, Outcome
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Annotation, Finding

log = logging.getLogger("pdt_annotate")

AT_ONCE = 0.3  # seconds of processor time for drawn calls: `script()` itself takes as long without them


@dataclass(frozen=True)
class FoundLive:
    """The changes with which a live object scripts.

    `sources` are the mended files, `changes` all changes if they will be shown. `methods` are called by examples, so
    they are compiled as well.
    """

    sources: Mapping[str, bytes]
    candidate: Candidate
    methods: tuple[str, ...]
    findings: tuple[Finding, ...]
    changes: tuple[FileChange, ...] = ()


def find_annotations(obj: Any, inputs: Any, options: Options, *, shown: bool = False) -> FoundLive:
    """Run the object on its example inputs, and look for annotations with which it scripts and answers alike.

    If annotations are not enough, mends that `options` allow are looked for. If a person reads the result (`shown`),
    unnecessary annotations are dropped; otherwise the search ends with the first trial that holds. Raises a
    `VerificationError` if none were found.
    """
    foreign = imported_elsewhere(options.root) if options.types_third_party else {}
    # A session may have redefined its class, or those of its parts, since the object was made.
    cells = know_cells([obj, *(obj.modules() if is_instance(obj, MODULE) else ())])
    own = imported_under(options.root) | {f"{MAIN}#{number}": file for number, file in enumerate(cells)}
    project = Project(options.root, own, third_party=foreign, sources=cells)
    budget = Budget(options.budget)
    with live_sessions(obj, inputs, options) as open_session:

        def look(mended: Mended) -> Version:
            session = open_session(mended.sources)
            observed = observe(session, as_scripted=project.mentions("is_scripting"))
            runs = (TargetRun(options.targets[0], session, observed),)
            trials = Trials(
                runs,
                Evidence(mended.project, [observed]),
                options.returns,
                options.interpreter.libraries,
                budget=budget,
            )
            return Version(mended, trials, find_any_plan(trials))

        shipped = version = look(Mended(project))
        if options.mend and not version.step.trial.ok:
            version = MendSearch(look, options.mend.kinds, budget).run(version)
        trials, step = version.trials, _with_behaviour(shipped, version)
        evidence = trials.evidence
        step, blame = (step, ()) if step.trial.ok else repair_parts(trials, step)
        step = trim(trials, step) if shown else step
        plan = keep_in_scope(step, evidence, options.scope)
        candidate = trials.render(plan)
        further = NOTHING_FURTHER
        if step.trial.ok and not shown:
            further = look_further(trials.runs, candidate, min(AT_ONCE, seconds_to_probe(options)))
    if not step.trial.ok:
        rendered = replace(render(plan, version.project, evidence.classes), changes=())
        notes = review_cut_off(step.cut_off, options.budget, version.project)
        outcome = make_outcome(options, evidence, trials.on_disk(plan, step.trial), blame, rendered, notes)
        outcome = tell_of_disk(outcome, version.mended)
        raise VerificationError(_describe(outcome), outcome)
    mended, annotations = version.mended, plan.annotations.values()
    findings = (
        *review(evidence, annotations, step.trial),
        *review_mends(mended.mends),
        *review_further(further, refusing=False),
    )
    findings = tell_of_disk(findings, mended)
    if log.isEnabledFor(logging.INFO):
        _tell(annotations, findings)
    rendered = render(plan, version.project, evidence.classes) if shown else NOTHING_RENDERED
    changes = rendered_on_disk(rendered, mended).changes if shown else ()
    return FoundLive(mended.sources, candidate, trials.runs[0].observed.methods, findings, changes)


def _with_behaviour(shipped: Version, version: Version) -> Step:
    """Return the step of a version, with verdicts on whether its mends keep the object's behaviour in Python."""
    if not version.mended.mends or not version.step.trial.ok:
        return version.step
    recorded = record_behaviour(shipped.trials.runs[0].session)
    verdicts = judge_behaviour(version.trials.runs[0].session, recorded)
    trial = version.step.trial
    return replace(version.step, trial=replace(trial, verdicts=(*trial.verdicts, *verdicts)))


def _describe(outcome: Outcome) -> str:
    """Return the failure in words, without side effects here: describing imports, caches lines and draws numbers."""
    if CAN_FORK:
        return in_fork(_describe_here, outcome) or "the annotations do not verify"
    lines, drawn = dict(linecache.cache), random.getstate()
    try:
        return _describe_here(outcome)
    finally:
        linecache.cache.clear()
        linecache.cache.update(lines)
        random.setstate(drawn)


def _describe_here(outcome: Outcome) -> str:
    from pdt_annotate.emit.terminal.failure import describe  # noqa: PLC0415 - it imports rich, which draws numbers

    return describe(outcome)


def _tell(annotations: Iterable[Annotation], findings: Iterable[Finding]) -> None:
    places = Places()
    for annotation in annotations:
        slot = annotation.slot
        log.info("%s %s %s: %s", places.of_slot(slot), slot.owner.qualname, slot.name, annotation.type)
    for finding in findings:
        log.info("%s %s %s", finding.place, finding.code, finding.message)


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
        changes = find_annotations(obj, example_inputs, options, shown=True).changes
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
