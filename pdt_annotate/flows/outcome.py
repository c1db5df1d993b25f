"""What became of targets that were compiled, with all that the user must know of it."""

from __future__ import annotations

from collections.abc import Iterable

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import review, unreached
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import NOTHING_RENDERED, Outcome, Rendered
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Blame, Trial


def make_outcome(
    options: Options,
    evidence: Evidence,
    trial: Trial,
    blame: tuple[Blame, ...],
    rendered: Rendered = NOTHING_RENDERED,
    notes: Iterable[Finding] = (),
) -> Outcome:
    """The outcome of a trial of what was rendered; `notes` are findings beside those of the review."""
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes,
        annotations=rendered.written,
        findings=(*review(evidence, rendered.written, trial), *rendered.refused, *notes),
        verdicts=trial.verdicts,
        unreached=unreached(evidence, trial),
        verified=trial.ok,
        blame=blame,
    )
