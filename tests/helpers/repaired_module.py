"""Modules whose annotations the search finds with the messages of the real compiler, and the rendered result."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.from_files import FilesRun
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.flows.review import review, unreached
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan, Trials, render
from pdt_annotate.search.problems import find_any_plan, trim
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation, SlotKind
from pdt_annotate.values.types import TENSOR

HEAD = """\
import math
from typing import Dict, Final, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn


class Point(NamedTuple):
    x: Tensor
    n: int
"""
ONCE = "(torch.ones(2, 2),)"
TWICE = f"{ONCE}, {ONCE}"


class Case(NamedTuple):
    """A module, the expected annotations except `Tensor` for parameters, and example calls."""

    source: str
    annotations: str
    calls: str = ONCE
    head: str = HEAD

    @property
    def expected(self) -> list[str]:
        return sorted(each.strip() for each in self.annotations.replace("\n", ";").split(";") if each.strip())


@dataclass(frozen=True)
class Repaired:
    """The result of the search for the annotations of a module."""

    options: Options
    trials: Trials
    step: Step

    @property
    def outcome(self) -> Outcome:
        """The outcome of a run before its verification in a fresh import."""
        evidence = self.trials.evidence
        rendered = render(self.step.plan, evidence)
        trial, written = self.step.trial, rendered.written
        findings = (*review(evidence, written, trial), *rendered.refused)
        unread = unreached(evidence, trial)
        options = self.options
        return Outcome(
            options.targets, options.root, rendered.changes, written, findings, trial.verdicts, unread, trial.ok
        )

    @property
    def said(self) -> list[str]:
        """The annotations except `Tensor` for parameters."""
        found = self.outcome.annotations
        return sorted(describe(a) for a in found if a.type != TENSOR or a.slot.kind is not SlotKind.PARAMETER)


def describe(annotation: Annotation) -> str:
    slot, type_ = annotation.slot, annotation.type
    return f"{slot.owner.qualname}.{slot.name}: " + (f"Final[{type_}]" if annotation.final else str(type_))


def options_for(folder: Path, source: str, calls: str = ONCE, names: Sequence[str] = ("Net",)) -> Options:
    """Write a module and its example calls (argument tuples). No calls are generated."""
    model, spec = folder / "model.py", folder / "inputs.py"
    model.write_text(dedent(source).lstrip("\n"))
    spec.write_text(f"import torch\n\nexample_inputs = [{calls}]\n")
    targets = tuple(parse(f"{model}:{name}") for name in names)
    return Options(targets, spec_source(str(spec), ()), str(folder), no_probe=True)


def observe(zygote: Zygote, options: Options) -> Trials:
    """The trials of the targets, whose examples have run."""
    project, runs = observe_targets(options, zygote, lambda text: None)
    evidence = Evidence(project, [run.observed for run in runs])
    return Trials(runs, evidence, options, partial(FilesRun(options=options, zygote=zygote).rebuild, {}))


def begin(trials: Trials) -> Step:
    """The plan that is made from the observations, with its trial."""
    plan = Plan().with_(trials.evidence.choose(trials.evidence.entered))
    return Step(plan, trials.try_whole(plan))


def search(zygote: Zygote, options: Options) -> Repaired:
    """The whole search, without the verification of the written files."""
    trials = observe(zygote, options)
    return Repaired(options, trials, trim(trials, find_any_plan(trials)))
