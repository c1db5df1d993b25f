"""`pdt-annotate observe`."""

from __future__ import annotations

from typing import Any

from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.load import load_named
from pdt_annotate.cli.options import OBSERVE, TARGETS, options_of
from pdt_annotate.cli.saying import say
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options
from pdt_annotate.values.exits import EXIT_DONE


@main_group.command(params=[TARGETS, *options_of(OBSERVE)])
def observe(targets: tuple[str, ...], **_: Any) -> int:
    """Run each TARGET on example inputs and save what was observed, without annotating."""
    loaded = load_named(OBSERVE, targets)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import observe_several  # noqa: PLC0415

        return observe_several(loaded.runs, loaded.jobs, _present)
    return _observe(loaded.runs[0].options)


def _observe(options: Options) -> int:
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import observe as flow  # noqa: PLC0415

        profile = flow.observe(options, zygote, progress)
    return _present(profile, options, report)


def _present(profile: Any, options: Options, report: Any) -> int:
    if options.verbosity >= 0:
        say(f"observed {describe_seen(profile)}; saved in {options.save_profile}")
    return EXIT_DONE


def describe_seen(profile: Any) -> str:
    """ "2 functions, 7 slots": what a profile holds."""
    from pdt_annotate.emit.words import plural  # noqa: PLC0415

    return f"{plural(profile.functions, 'function')}, {plural(profile.slots, 'slot')}"
