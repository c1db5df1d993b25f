"""`pdt-annotate verify`."""

from __future__ import annotations

from typing import Any

from pdt_annotate.cli.deliver import deliver, present_verdicts
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.load import load_named
from pdt_annotate.cli.options import TARGETS, VERIFY, options_of
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options


@main_group.command(params=[TARGETS, *options_of(VERIFY)])
def verify(targets: tuple[str, ...], **_: Any) -> int:
    """Script each TARGET as it stands and compare answers; where it fails, show which modules are at fault."""
    loaded = load_named(VERIFY, targets)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import verify_several  # noqa: PLC0415

        return verify_several(loaded.runs, loaded.jobs)
    return _verify(loaded.runs[0].options)


def _verify(options: Options) -> int:
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import verify as flow  # noqa: PLC0415

        outcome = flow.verify(options, zygote, progress)
    return deliver(outcome, options, report, present_verdicts)
