"""`captures --emit export`: a Python file that exports a target with torch.export, verified on the calls it serves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.export_plan import ExportPlan, make_plan
from pdt_annotate.captures.exporting.file import ExportSheet, write
from pdt_annotate.captures.exporting.refusals import ExportStep, concede, findings_of, rather_others, reason_in, wish
from pdt_annotate.captures.table import EXPORTER
from pdt_annotate.emit.words import shown
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import describe, open_session, open_session_with, run_export, spell_call
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.capture_results import Capture, Fate
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.exports import Exportable, Exported
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure


def export(
    options: Options, zygote: Zygote, command: str, progress: Progress = lambda text: None
) -> tuple[Exported, ...]:
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
        self.zygote.import_libraries((EXPORTER,))
        session = open_session(self.options, self.zygote, self.target, with_libraries=True)
        exportable = describe(session, self.target, self.options.spec)
        plan, steps = self._search(session, exportable)
        findings = tuple(findings_of(steps, plan))
        text = self._text(session, exportable, plan, findings)
        self.progress("verifying the file in a process of its own")
        alone = open_session_with(self.options, self.zygote, self.target, self._file, text)
        judged = self._try(alone, text, plan)
        if judged.failure:
            raise self._refusal(judged.failure)
        for call in judged.calls:
            if call.fate is not Fate.SAME:
                said = f"answers otherwise than eager mode on the call `{call.call}`: {call.message}"
                raise VerificationError(f"the exported program of {self.target.text} {said}; nothing was written")
        return Exported(self.target, text, tuple(call.name for call in plan.served), findings)

    def _search(self, session: Session, exportable: Exportable) -> tuple[ExportPlan, list[ExportStep]]:
        """Return the first plan that torch.export takes, with the calls that it accepts, and the tries before it."""
        plan = make_plan(exportable)
        if plan is None:
            why = "".join(f"\n  `{call.name}`: {call.apart or 'it is held back'}" for call in exportable.calls)
            raise VerificationError(f"no example call of {self.target.text} can be exported from{why}")
        steps: list[ExportStep] = []
        while True:
            self.progress(f"exporting{f', attempt {len(steps) + 1}' if steps else ''}")
            tried = self._try(session, self._text(session, exportable, plan, ()), plan)
            if tried.failure is None:
                fates = zip(plan.served, tried.calls, strict=True)
                refused = {call.number: fate.message for call, fate in fates if fate.fate is Fate.REFUSED}
                return plan.without({each: f"the program refuses it: {said}" for each, said in refused.items()}), steps
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
        spelled = spell_call(session, plan.example.number, plan.passed.names, plan.instead)
        name = self.target.text
        return write(ExportSheet(name, self.command, self._file, exportable, plan, spelled, tuple(findings)))

    def _try(self, session: Session, text: str, plan: ExportPlan) -> Capture:
        return run_export(session, self._file, text, plan.arrangement, tuple(call.number for call in plan.served))

    def _refusal(self, failure: Failure) -> VerificationError:
        said = f"torch.export does not take {self.target.text}: {reason_in(failure)}; nothing was written"
        return VerificationError(f"{said}\n  at {shown(failure.place)}" if failure.place.file else said)

    @property
    def _file(self) -> str:
        return os.path.abspath(self.options.output or "export.py")  # printed output needs a name too
