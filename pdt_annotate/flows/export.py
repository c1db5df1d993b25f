"""`captures --emit export`: a Python file with which torch.export takes a target, verified on the calls it serves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.choose import make_plan
from pdt_annotate.captures.exporting.file import write
from pdt_annotate.captures.exporting.findings import ExportStep, findings_of
from pdt_annotate.captures.exporting.layout import ExportSheet
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Wishes
from pdt_annotate.captures.exporting.suggestions import (
    concede,
    rather_others,
    reason_in,
    wish,
)
from pdt_annotate.emit.words import shown
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import describe, open_session, open_session_with, run_export, spell_call
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.captures import Fate
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.exports import CallsMade, Exportable, Exported, Tried
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure

ATTEMPTS = 10
"""Exports of one target at most, each with what torch asked for before."""

STDOUT = "export.py"
"""Where the file is taken to lie, in the working directory, if it is printed."""


def export(
    options: Options, zygote: Zygote, command: str, progress: Progress = lambda text: None
) -> tuple[Exported, ...]:
    """The file of every target.

    Args:
        command: as it was typed; the file tells it.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
        VerificationError: torch.export does not take the target, or its program answers otherwise.
    """
    return tuple(_Export(options, zygote, command, progress, target).run() for target in options.targets)


@dataclass(frozen=True)
class _Export:
    """The search for the file of one target."""

    options: Options
    zygote: Zygote
    command: str
    progress: Progress
    target: Target

    def run(self) -> Exported:
        """The file, verified."""
        self.progress("importing torch and your code")
        session = open_session(self.options, self.zygote, self.target)
        exportable = describe(session, self.target, self._source)
        plan, steps, tried = self._search(session, exportable)
        plan = plan.without(_refused(plan, tried))
        findings = tuple(findings_of(steps, plan, exportable))
        text = self._text(session, exportable, plan, findings)
        self.progress("verifying the file in a process of its own")
        alone = open_session_with(self.options, self.zygote, self.target, self._file, text)
        self._judge(run_export(alone, self._file, text, _made(plan)))
        return Exported(self.target, text, tuple(call.name for call in plan.served), findings)

    def _search(self, session: Session, exportable: Exportable) -> tuple[ExportPlan, list[ExportStep], Tried]:
        """The first program that torch.export takes, and what was tried before it."""
        plan = make_plan(exportable)
        if plan is None:
            raise VerificationError(f"no example call of {self.target.text} can be exported from{_reasons(exportable)}")
        steps: list[ExportStep] = []
        for number in range(1, ATTEMPTS + 1):
            self.progress(f"exporting{f', attempt {number}' if steps else ''}")
            text = self._text(session, exportable, plan, ())
            tried = run_export(session, self._file, text, _made(plan))
            if tried.failure is None and tried.ends_hold:
                return plan, steps, tried
            wishes, after = _next(exportable, plan, tried.failure)
            if wishes is None or after is None:
                break
            steps += [ExportStep(plan, tried.failure, wishes)] if tried.failure else []
            plan = after
        raise self._refusal(tried.failure)

    def _text(self, session: Session, exportable: Exportable, plan: ExportPlan, findings: Sequence[Finding]) -> str:
        spelled = spell_call(session, plan.example.number, plan.passed.names, plan.instead)
        name = self.target.text
        return write(ExportSheet(name, self.command, self._file, exportable, plan, spelled, tuple(findings)))

    def _judge(self, tried: Tried) -> None:
        """
        Raises:
            VerificationError: the program is refused, or does otherwise than eager mode.
        """
        if tried.failure:
            raise self._refusal(tried.failure)
        for call in tried.calls:
            if call.fate is not Fate.SAME:
                said = f"answers otherwise than eager mode on the call `{call.call}`: {call.message}"
                raise VerificationError(f"the exported program of {self.target.text} {said}; nothing was written")

    def _refusal(self, failure: Failure | None) -> VerificationError:
        said = reason_in(failure) if failure else ""
        place = f"\n  at {shown(failure.place)}" if failure and failure.place.file else ""
        return VerificationError(f"torch.export does not take {self.target.text}: {said}; nothing was written{place}")

    @property
    def _source(self) -> SpecSource:
        return self.options.spec

    @property
    def _file(self) -> str:
        return os.path.abspath(self.options.output or STDOUT)


def _next(exportable: Exportable, plan: ExportPlan, failure: Failure | None) -> tuple[Wishes | None, ExportPlan | None]:
    """What to ask for after a refusal, or where sizes that only other calls showed do not hold; the program for it."""
    wishes = (wish(plan, failure.text) if failure else None) or concede(plan)
    after = make_plan(exportable, wishes) if wishes else None
    others = rather_others(plan, after, reason_in(failure)) if failure else None
    return (others, make_plan(exportable, others)) if others else (wishes, after)


def _reasons(exportable: Exportable) -> str:
    return "".join(f"\n  `{call.name}`: {call.apart or 'it is held back'}" for call in exportable.calls)


def _made(plan: ExportPlan) -> CallsMade:
    return CallsMade(plan.arrangement, tuple(call.number for call in plan.served), plan.example.number, plan.ends)


def _refused(plan: ExportPlan, tried: Tried) -> dict[int, str]:
    """The calls that the program itself refuses, by number, with what it says."""
    fates = zip(plan.served, tried.calls, strict=True)
    return {call.number: f"the program refuses it: {fate.message}" for call, fate in fates if fate.fate is Fate.REFUSED}
