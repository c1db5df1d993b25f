"""Annotations for a live object. What runs it does so in forks of the process that holds it: nothing there changes."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import make_outcome, review, review_cut_off
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs.calls import read_calls
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.observers import Store, imported_elsewhere, imported_under
from pdt_annotate.processes.child.compiler_state import remembering_nothing
from pdt_annotate.processes.child.prepared import Prepared, check_calls
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.processes.session import ForkedSession
from pdt_annotate.processes.tasks import TargetRun, import_answers, observe
from pdt_annotate.search.find_plan import find_any_plan
from pdt_annotate.search.plan import render
from pdt_annotate.search.prune import keep_in_scope
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.source.places import Places
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.errors import SpecError, UserError, VerificationError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Annotation, Finding

NOT_COPIED = "mend its __deepcopy__, or annotate the source with the command line, which builds it anew"

log = logging.getLogger("pdt_annotate")

_for_good = contextlib.ExitStack()


def find_annotations(obj: Any, inputs: Any, options: Options) -> tuple[Candidate, tuple[str, ...]]:
    """Run the object on its example inputs, and look for annotations with which it scripts and answers alike.

    Nobody reads them, so none is dropped for not being needed, and where the first trial holds it is the only one.

    Returns:
        the annotations, and the names of methods that the calls name, which are to be compiled as well.

    Raises:
        UserError: the object, the inputs or the user's code is at fault.
        VerificationError: none were found.
    """
    _import_for_forks()
    foreign = imported_elsewhere(options.root) if options.types_third_party else {}
    project = Project(options.root, imported_under(options.root), third_party=foreign)
    with ForkedSession(partial(prepare, obj, inputs, options), options.timeout) as session:
        observed = observe(session, as_scripted=project.mentions(b"is_scripting"))
        evidence = Evidence(project, [observed])
        runs = (TargetRun(options.targets[0], session, observed),)
        trials = Trials(runs, evidence, options.returns, budget=Budget(options.budget))
        step = find_any_plan(trials)
        step, blame = (step, ()) if step.trial.ok else repair_parts(trials, step)
        plan = keep_in_scope(step, evidence, options.scope)
    if not step.trial.ok:
        rendered = replace(render(plan, project, evidence.classes), changes=())
        notes = review_cut_off(step.cut_off, options.budget, project)
        outcome = make_outcome(options, evidence, trials.on_disk(plan, step.trial), blame, rendered, notes)
        raise VerificationError(in_fork(_describe, outcome) or "the annotations do not verify", outcome)
    if log.isEnabledFor(logging.INFO):
        _tell(plan.annotations.values(), review(evidence, plan.annotations.values(), step.trial))
    return trials.render(plan), observed.methods


def _import_for_forks() -> None:
    """Import once, here, what each fork would import anew: what answers, and numpy's generators, which are seeded."""
    import_answers()
    if "numpy" in sys.modules:
        importlib.import_module("numpy.random")


def _describe(outcome: Outcome) -> str:
    """What failed, in words. In a fork, because to show lines is to remember them, in `linecache`."""
    from pdt_annotate.emit.terminal.report import describe  # noqa: PLC0415 - and rich is nothing for the caller

    return describe(outcome)


def _tell(annotations: Iterable[Annotation], findings: Iterable[Finding]) -> None:
    places = Places()
    for annotation in annotations:
        slot = annotation.slot
        log.info("%s %s %s: %s", places.of_slot(slot), slot.owner.qualname, slot.name, annotation.type)
    for finding in findings:
        log.info("%s %s %s", finding.place, finding.code, finding.message)


def prepare(obj: Any, inputs: Any, options: Options) -> Prepared:
    """The object in a fork of its own, where the compiler has met nothing yet."""
    _for_good.enter_context(remembering_nothing())
    subject = subject_of(obj, partial(_refuse_to_copy, obj))
    spec = read_inputs(inputs, type(obj))
    prepared = Prepared(options.root, subject, obj, spec, Store(), options.types_third_party)
    check_calls(prepared)
    return prepared


def read_inputs(inputs: Any, cls: type) -> specs.Spec:
    """Example calls: values in the forms that a Python spec may give them, or the path of a spec file.

    How such a file constructs the model, of the class `cls`, says nothing here: the object is there.

    Raises:
        SpecError: they are none of this, or there is no call.
    """
    if isinstance(inputs, (str, os.PathLike)):
        return specs.read(spec_source(os.fspath(inputs), ()), cls)
    calls = tuple(read_calls(inputs))
    if not calls:
        raise SpecError("there is no example call", hint="give a list of tuples: example_inputs=[(x,), (y, None)]")
    return specs.Spec(calls)


def _refuse_to_copy(obj: Any) -> Any:
    raise UserError(f"the {type(obj).__qualname__} cannot be copied to compare answers", hint=NOT_COPIED)
