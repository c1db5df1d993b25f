"""Writes and prints an outcome as the options ask for, without the findings that the user ignores."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from pdt_annotate.cli.entry import Failed, errors_in_documents, report_error, say, what_ended
from pdt_annotate.cli.group import PROGRAM
from pdt_annotate.settings.options import Options, OutputFile, WriteBack
from pdt_annotate.values import shell
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_MISSING, EXIT_UNVERIFIED
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.outcome import Outcome

OUTPUTS = ("--json", "--html", "--output-format", "--output-file")  # they do not change the result

Show = Callable[[Any, Options, Any], int]  # (result, options, report) → the exit code


def present(outcome: Outcome, options: Options, report: Any) -> int:
    """Write the annotations to their destination, and report them; return the exit code."""
    from pdt_annotate.emit import EMITTERS  # noqa: PLC0415
    from pdt_annotate.emit.files import overlay_dir  # noqa: PLC0415

    sound = outcome.is_sound
    report.outcome(outcome, next_command(outcome))
    if outcome.outdated:
        report.outdated(outcome.outdated)
    done = "nothing else to annotate" if outcome.outdated else "nothing to annotate" if sound else "nothing was written"
    done = "" if options.write_back is WriteBack.NOTHING else done  # `verify` only reports
    kept = overlay_dir.emit(outcome, options) if sound else ""
    if outcome.changes and sound:
        done = EMITTERS[options.write_back](outcome, options, sys.stdout.buffer)
    report.closing("; ".join(filter(None, (done, kept))), outcome)
    if not (outcome.verified or outcome.text_only):
        return EXIT_UNVERIFIED
    writes = options.write_back.value.changes_sources
    by_code = options.exit_non_zero_on_write if writes else options.write_back.fails_on_missing
    return EXIT_MISSING if by_code and (outcome.changes or outcome.outdated) else EXIT_DONE


def deliver(outcome: Outcome, options: Options, report: Any, *, whole: bool = False) -> int:
    """Show people the outcome, and write its documents; return the code. `whole`: no configured target was left out."""
    with errors_in_documents([options]):
        from pdt_annotate.flows import ignore  # noqa: PLC0415 - it imports emitters and modules

        (outcome,) = ignore.set_aside([(options, outcome)], whole=whole)
        update_baselines([(options, outcome)])
        code = present(outcome, options, report)
        code = EXIT_DONE if options.exit_zero else code  # then only errors have another one
    write_each(partial(write_document, document, outcome, options, code) for document in options.documents)
    return code


def write_each(writes: Iterable[Callable[[], object]]) -> None:
    """Do all the writes, even if some fail; of several errors the last is raised and the others are reported."""
    failed: list[UserError] = []
    for write in writes:
        try:
            write()
        except UserError as error:
            failed.append(error)
    for each in failed[:-1]:
        report_error(each)
    if failed:
        raise failed[-1]


def write_document(
    document: OutputFile, outcome: Outcome, options: Options, code: int, failed: Sequence[Failed] = ()
) -> None:
    """Write the outcome in one form; `failed` are runs without a result."""
    from pdt_annotate.emit import render  # noqa: PLC0415
    from pdt_annotate.emit.files import deliver  # noqa: PLC0415

    invocation = replace(invocation_of(options, code, failed), command=next_command(outcome, OUTPUTS))
    written = render(document.format, outcome, invocation)
    deliver(written, document.file, sys.stdout.buffer)


def invocation_of(options: Options, code: int, failed: Sequence[Failed] = ()) -> Any:
    """Return the facts about the command for documents, an `Invocation`."""
    from pdt_annotate.emit.machine.invocation import Invocation, NoResult, choose_base  # noqa: PLC0415

    base = choose_base(options.root, os.getcwd())
    ended = ((tuple(each.text for each in of.targets), what_ended(error)) for of, error in failed)
    without = tuple(NoResult(targets, each.message, each.place, each.hint) for targets, each in ended)
    return Invocation(base, options.write_back, code, given_words(), options.stubs, options.overlay, without)


def update_baselines(found: Sequence[tuple[Options, Outcome]]) -> None:
    """Write the findings of a command's outcomes into their `--update-baseline` files, those of one file together."""
    from pdt_annotate.flows import baseline  # noqa: PLC0415

    for file in dict.fromkeys(options.baseline for options, _ in found if options.update_baseline):
        outcomes = [outcome for options, outcome in found if options.baseline == file]
        if all(outcome.verified or outcome.text_only for outcome in outcomes):
            known = baseline.update(file, outcomes)
            said = f"{file}: {known} finding{'' if known == 1 else 's'} hidden from now on"
        else:
            said = f"{file} was not changed, because findings are complete only if every target is verified"
        if found[0][0].verbosity >= 0:
            say(said)


def given_words() -> tuple[str, ...]:
    return (PROGRAM, *(click.get_current_context().obj or ()))


def next_command(outcome: Outcome, without: Collection[str] = ()) -> str:
    """Return the same command with the mends that would help, and without options that have a value (`without`).

    It has no `--watch`, which does not end, and no `--check` if that finds annotations missing.
    """
    program, *words = given_words()
    if not words:
        return ""
    ended = {"--watch", "--check" if outcome.is_sound else ""}
    words = [word for word in words if word not in ended]
    for option in without:
        pairs = zip(("", *words), words, strict=False)
        words = [word for before, word in pairs if option not in (before, word) and not word.startswith(f"{option}=")]
    return shell.join((program, *(words_with(words, outcome.advised.level) if outcome.advised else words)))


def words_with(words: Sequence[str], level: MendLevel) -> list[str]:
    """Replace the `--mend` options among words of a command line by one level; options end at a double dash.

    >>> words_with(["m:Net", "--mend", "exact", "--", "n:Net"], MendLevel.ALL)
    ['m:Net', '--mend', 'all', '--', 'n:Net']
    """
    end, option = words.index("--") if "--" in words else len(words), "--mend"
    levels = {each.value for each in MendLevel}
    kept = [
        word
        for before, word in zip(("", *words), words[:end], strict=False)
        if word != option and not word.startswith(f"{option}=") and not (before == option and word in levels)
    ]
    return [*kept, option, level.value, *words[end:]]
