"""What the user asked not to hear of, for the commands that find something."""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.cli.saying import say
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome


def set_aside(found: Sequence[tuple[Options, Outcome]], *, whole: bool) -> list[Outcome]:
    """The outcomes without what is to be ignored; with `--update-baseline`, what they have is written there.

    Args:
        found: all outcomes of a command, each with what was asked for.
        whole: no configured target is left out.

    Raises:
        UserError: a baseline cannot be read or written.
    """
    from pdt_annotate.flows import ignore  # noqa: PLC0415 - with what emits and surveys

    outcomes = ignore.set_aside(found, whole=whole)
    update_baselines([(options, outcome) for (options, _), outcome in zip(found, outcomes, strict=True)])
    return outcomes


def update_baselines(found: Sequence[tuple[Options, Outcome]]) -> None:
    """Write what the outcomes of a command have into the files of `--update-baseline`, each with all that name it."""
    from pdt_annotate.flows import baseline  # noqa: PLC0415

    for file in dict.fromkeys(options.baseline for options, _ in found if options.update_baseline):
        outcomes = [outcome for options, outcome in found if options.baseline == file]
        if all(outcome.verified or outcome.text_only for outcome in outcomes):
            known = baseline.update(file, outcomes)
            said = f"{file}: {known} finding{'' if known == 1 else 's'} known from now on"
        else:
            said = f"{file} is as it was: what does not verify has no complete findings"
        if found[0][0].verbosity >= 0:
            say(said)
