"""Annotations for a live object, found in a fork of the process that holds it: nothing there changes."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from functools import partial
from typing import Any

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.terminal.report import describe
from pdt_annotate.flows.observe import read_project
from pdt_annotate.flows.review import make_outcome
from pdt_annotate.flows.script import FoundAnnotations, Request
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs.calls import read_calls
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.observers import Store
from pdt_annotate.processes.child.compiler_state import remembering_nothing
from pdt_annotate.processes.child.prepared import Prepared, check_calls
from pdt_annotate.processes.session import ForkedSession
from pdt_annotate.processes.tasks import TargetRun, judge, observe
from pdt_annotate.search.find_blame import blame_failing
from pdt_annotate.search.find_plan import find_plan
from pdt_annotate.search.plan import render
from pdt_annotate.search.prune import keep_reached
from pdt_annotate.search.trials import Trials
from pdt_annotate.values.errors import SpecError, UserError
from pdt_annotate.verify.judging import accept_alike

NOT_COPIED = "mend its __deepcopy__, or annotate the source with the command line, which builds it anew"

_for_good = contextlib.ExitStack()


def find_annotations(request: Request) -> FoundAnnotations:
    """Run the object on its example inputs, and look for annotations with which it scripts and answers alike.

    Raises:
        UserError: the object, the inputs or the user's code is at fault.
    """
    options = request.options
    with ForkedSession(partial(prepare, request), options.timeout) as session:
        project = read_project(options, [session])
        observed = observe(session, as_scripted=project.mentions(b"is_scripting"))
        evidence = Evidence(project, [observed])
        trials = Trials((TargetRun(options.targets[0], session, observed),), evidence, options.returns)
        step = find_plan(trials)
        plan = keep_reached(step, evidence)
        candidate = trials.render(plan)
        trial = accept_alike(judge(session, candidate)) if step.trial.ok else step.trial
        blame = () if trial.ok else blame_failing(trials, plan, trial)
    rendered, trial = render(plan, project, evidence.classes), trials.on_disk(plan, trial)
    outcome = make_outcome(options, evidence, trial, blame, rendered if trial.ok else replace(rendered, changes=()))
    return FoundAnnotations(outcome, candidate, "" if trial.ok else describe(outcome))


def prepare(request: Request) -> Prepared:
    """The object in a fork of its own, where the compiler has met nothing yet."""
    _for_good.enter_context(remembering_nothing())
    obj, options = request.obj, request.options
    subject = subject_of(obj, partial(_refuse_to_copy, obj))
    spec = read_inputs(request.inputs, type(obj))
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
