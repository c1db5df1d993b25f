"""Annotations for a live object, found in a fork of the process that holds it: nothing there changes."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import Any

from pdt_annotate import specs
from pdt_annotate import target as targets
from pdt_annotate.child import Prepared, label_calls, with_checked_calls
from pdt_annotate.compiler_state import remembering_nothing
from pdt_annotate.config import spec_source
from pdt_annotate.culprits import blame_failing
from pdt_annotate.errors import SpecError, UserError
from pdt_annotate.evidence import Evidence
from pdt_annotate.fresh import OBSERVE
from pdt_annotate.ir import Outcome
from pdt_annotate.isolate import ForkedSession
from pdt_annotate.observers import Store
from pdt_annotate.observing import FILES, THIRD_PARTY, read_project
from pdt_annotate.plan import render
from pdt_annotate.report import describe
from pdt_annotate.review import review, unreached
from pdt_annotate.scripting import Found, Request
from pdt_annotate.specs.calls import read_calls
from pdt_annotate.trials import Run, Trials, judge, settle

NOT_COPIED = "mend its __deepcopy__, or annotate the source with the command line, which builds it anew"

_for_good = contextlib.ExitStack()


def find_annotations(request: Request) -> Found:
    """Run the object on its example inputs, and look for annotations with which it scripts and answers alike.

    Raises:
        UserError: the object, the inputs or the user's code is at fault.
    """
    options = request.options
    with ForkedSession(partial(prepare, request), options.timeout) as session:
        foreign = [session.run(THIRD_PARTY)] if options.types_third_party else []
        project = read_project(options, [session.run(FILES)], foreign)
        observed = session.run(OBSERVE, project.mentions(b"is_scripting"))
        evidence = Evidence(project, [observed])
        trials = Trials((Run(options.targets[0], session, observed),), evidence, options.returns)
        step = trials.search()
        plan = trials.keep_reached(step)
        candidate = trials.render(plan)
        trial = settle(judge(session, candidate)) if step.trial.ok else step.trial
        blame = () if trial.ok else blame_failing(trials, plan, trial)
    rendered = render(plan, project, evidence.classes)
    outcome = Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes if trial.ok else (),
        annotations=rendered.written,
        findings=(*review(evidence, rendered.written, trial), *rendered.refused),
        verdicts=trial.verdicts,
        unreached=unreached(evidence, trial),
        verified=trial.ok,
        blame=blame,
    )
    return Found(outcome, candidate, "" if trial.ok else describe(outcome))


def prepare(request: Request) -> Prepared:
    """The object in a fork of its own, where the compiler has met nothing yet."""
    _for_good.enter_context(remembering_nothing())
    obj, options = request.obj, request.options
    subject = targets.subject_of(obj, partial(_refuse_to_copy, obj))
    spec = read_inputs(request.inputs, type(obj))
    prepared = Prepared(options.root, subject, obj, spec, label_calls(spec), Store(), options.types_third_party)
    return with_checked_calls(prepared)


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
