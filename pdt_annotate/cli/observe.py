"""`pdt-annotate observe`, and `pdt-annotate run -- PROGRAM`: profiles of example calls and of programs."""

import os
from typing import Any

import click

from pdt_annotate.cli.entry import say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import TARGETS, given_here, options_of
from pdt_annotate.cli.run_options import load_named, load_values
from pdt_annotate.cli.working import working
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE


@main_group.command(params=[TARGETS, *options_of("observe")])
def observe(targets: tuple[str, ...], **_: Any) -> int:
    """Run each TARGET on example inputs, and save the observed types as a profile."""
    loaded = load_named("observe", targets)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import observe_several  # noqa: PLC0415

        return observe_several(loaded.runs, loaded.jobs, _present)
    options = loaded.runs[0].options
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import observe as flow  # noqa: PLC0415

        profile = flow.observe(options, zygote, progress)
    return _present(profile, options, report)


def _present(profile: Any, options: Options, report: Any) -> int:
    if options.verbosity >= 0:
        say(f"observed {_describe_seen(profile)}; saved in {options.save_profile}")
    return EXIT_DONE


def _describe_seen(profile: Any) -> str:
    """ "2 functions, 7 slots": the size of a profile."""
    from pdt_annotate.emit.words import plural  # noqa: PLC0415

    return f"{plural(profile.functions, 'function')}, {plural(profile.slots, 'slot')}"


WORDS = click.Argument(["program"], nargs=-1, required=True, metavar="-- PROGRAM [ARGS]...", type=click.UNPROCESSED)


@main_group.command(context_settings={"allow_interspersed_args": False}, params=[WORDS, *options_of("run")])
def run(program: tuple[str, ...], **_: Any) -> int:
    """Run a program, and save the types observed in all its processes as a profile.

    The program is train.py, -m MODULE, torchrun or pytest, with its arguments.
    """
    from pdt_annotate.emit.files import assert_led_by_no_link, assert_writable  # noqa: PLC0415
    from pdt_annotate.interpreters.interpreter import find_interpreter  # noqa: PLC0415
    from pdt_annotate.profiles.recording.gathering import record_program  # noqa: PLC0415

    given = load_values("run", given_here())
    root, save_profile = os.path.abspath(given["root"] or find_root(())), given["save_profile"]
    if not os.path.isdir(root):
        raise UserError(f"the root is not a directory: {root}")
    interpreter = find_interpreter(given["python"])
    assert_led_by_no_link(save_profile, root, "--save-profile")
    assert_writable(save_profile, "--save-profile")
    code, profile, count = record_program(program, root, save_profile, interpreter)
    processes = f"{count} process{'es' if count > 1 else ''}"
    said = f"observed {_describe_seen(profile)} in {processes}; saved in {save_profile}"
    if not profile.functions:
        hint = "--root sets the directory of your files"
        said = f"no function in a file below {root} ran, so no profile was saved; {hint}"
    if not given["quiet"]:
        say(f"pdt-annotate: {said}")
    return code
