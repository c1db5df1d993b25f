"""The command line: text → Options, errors → exit code.

Nothing here imports torch, libcst or rich before a command has been understood, so that `--help`, `--version` and
usage errors are instant. To add a command, write a function, decorate it with `@main_group.command()`, and import
what it runs inside it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from typing import Any, TypeVar

import click

from pdt_annotate import __version__, config, findings
from pdt_annotate.config import Color, Options, Returns, WriteBack
from pdt_annotate.errors import PdtError, UserError
from pdt_annotate.ir import Outcome
from pdt_annotate.isolate import Zygote

EXIT_DONE = 0
EXIT_MISSING = 1
EXIT_USER = 2
EXIT_UNVERIFIED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
"""DESIGN.md, "Exit codes". A bug of ours is sysexits' EX_SOFTWARE, because Python's own 1 would read as "missing"."""

DEFAULT_COMMAND = "annotate"
VERSIONED = ("torch", "libcst", "MonkeyType")

INTRODUCTION = """\
Annotate a PyTorch model so that torch.jit.script accepts it.

pdt-annotate runs the model on example inputs, observes the types, writes them into the source as annotations, and
proves the result: the annotated model scripts, and the scripted model answers what the eager model answers."""

EXAMPLES = """\
\b
Examples:
  Annotate a model, once verified:
    pdt-annotate mymodel:Net -i inputs.py
  Review the diff first, or apply it yourself:
    pdt-annotate mymodel:Net -i inputs.py --diff | git apply      # in the project's root
  One call, without a file of inputs:
    pdt-annotate net.py:Net.forward -a 'f32[2,3]' -a 3 -a mask=None
  Fail in CI where annotations are missing:
    pdt-annotate mymodel:Net -i inputs.yaml --check
  See why each annotation is what it is:
    pdt-annotate mymodel:make_net -i inputs.py --diff --explain

\b
Example inputs (-i) are a Python file...
    import torch
    example_inputs = [(torch.randn(2, 3),), (torch.randn(4, 3), None)]
...or a YAML file:
    calls:
      - args: [{tensor: [2, 3]}]
      - args: [{tensor: [4, 3], dtype: float64}]
        kwargs: {mask: null}
        held_back: true        # judges the result, gives no types

\b
A target is one of
    package.module:Net           a module class, an instance, a function
    package.module:Net.method    one method
    package.module:make_net      a function without parameters that makes the model
    path/to/file.py:Net          the same, by file

\b
Exit codes: 0 done, or nothing to do; 1 --check found annotations missing; 2 the command, spec or your code is at
fault; 3 the annotated source failed verification and nothing was written; 70 a bug of ours; 130 interrupted."""

BUG = """\
This is a bug in pdt-annotate, not in your code. Please report it with the traceback above, the command, and the
output of `pdt-annotate --version`. No source was changed unless a line above says so."""

Command = TypeVar("Command", bound=Callable[..., Any])


class DefaultGroup(click.Group):
    """`pdt-annotate TARGET …` is `pdt-annotate annotate TARGET …`, and `--help` shows its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, *(name for param in self.get_params(ctx) for name in param.opts)}
        if args and args[0] not in own:
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["TARGET...", "-i FILE[:NAME]", "[OPTIONS]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        command = self.commands[DEFAULT_COMMAND]
        with click.Context(command, parent=ctx, info_name=DEFAULT_COMMAND) as inner:
            command.format_options(inner, formatter)
        self.format_commands(ctx, formatter)


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends here, in words."""
    try:
        code = main_group.main(args=list(arguments), prog_name="pdt-annotate", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return EXIT_DONE
    except click.ClickException as error:
        return _fail(error.format_message(), hint="pdt-annotate --help shows examples")
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; nothing was written", code=EXIT_INTERRUPTED)
    except UserError as error:
        return _fail(error.message, file=error.file, line=error.line, hint=error.hint)
    except PdtError as error:
        return _fail(str(error), code=error.exit_code)
    except Exception:
        traceback.print_exc()
        click.echo(BUG, err=True)
        return EXIT_BUG
    return code if isinstance(code, int) else EXIT_DONE


@click.group(
    cls=DefaultGroup,
    help=f"{INTRODUCTION}\n\n{EXAMPLES}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=lambda *args: _show_version(*args))
def main_group() -> None:
    """The commands."""


def input_options(command: Command) -> Command:
    """The options of every command that runs a target on example inputs."""
    for option in reversed(_INPUT_OPTIONS):
        command = option(command)
    return command


def view_options(command: Command) -> Command:
    """The options of every command that reports to a terminal."""
    for option in reversed(_VIEW_OPTIONS):
        command = option(command)
    return command


_INPUT_OPTIONS = (
    click.argument("targets", nargs=-1, metavar="TARGET..."),
    click.option("-i", "--inputs", default="", metavar="FILE[:NAME]", help="Example calls, as Python or YAML."),
    click.option(
        "-a",
        "--arg",
        "args",
        multiple=True,
        metavar="VALUE",
        help="An argument of a single call: f32[2,3], 3, k=None.",
    ),
    click.option("--root", default="", metavar="DIR", help="Only files below it are annotated. [default: the project]"),
    click.option(
        "--timeout",
        type=float,
        default=config.TIMEOUT,
        metavar="SECONDS",
        help="For one run of your code.",
        show_default=True,
    ),
)

_VIEW_OPTIONS = (
    click.option("--json", "json_file", default="", metavar="FILE", help="Write all that was found; '-' is stdout."),
    click.option("--explain", "explained", is_flag=True, help="Show the rules and the calls behind each annotation."),
    click.option(
        "--color",
        type=click.Choice([each.value for each in Color]),
        default=Color.AUTO.value,
        show_default=True,
        help="NO_COLOR and FORCE_COLOR are respected.",
    ),
    click.option("-q", "--quiet", count=True, help="Show errors only."),
    click.option("-v", "--verbose", count=True, help="Show what each judge said, too."),
)


@main_group.command(DEFAULT_COMMAND, short_help="Annotate the source (the default command).", epilog=EXAMPLES)
@input_options
@click.option("--diff", is_flag=True, help="Print a unified diff and write nothing.")
@click.option("--check", is_flag=True, help="Exit 1 if annotations are missing; write nothing.")
@click.option("--stubs", default="", metavar="DIR", help="Write .pyi files there and leave the source.")
@click.option(
    "--returns",
    type=click.Choice([each.value for each in Returns]),
    default=Returns.NEEDED.value,
    show_default=True,
    help="Which return annotations to write.",
)
@click.option("--write-partial", is_flag=True, help="Where the whole fails, annotate the largest parts that work.")
@view_options
def annotate(**given: Any) -> int:
    """Annotate the source of each TARGET, once the result is verified."""
    options = _to_options(**given)
    with _working(options) as (zygote, report, progress):
        from pdt_annotate import pipeline  # noqa: PLC0415

        outcome = pipeline.annotate(options, zygote, progress)
    return _deliver(outcome, options, report)


@main_group.command()
@input_options
@view_options
def verify(**given: Any) -> int:
    """Script each TARGET as it stands and compare answers; where it fails, show which modules are at fault."""
    options = _to_options(**given)
    with _working(options) as (zygote, report, progress):
        from pdt_annotate import standing  # noqa: PLC0415

        outcome = standing.verify(options, zygote, progress)
    report.outcome(outcome)
    _write_json(outcome, options)
    report.closing("", outcome)
    return EXIT_DONE if outcome.verified else EXIT_UNVERIFIED


@main_group.command()
@click.argument("code", default="")
def explain(code: str) -> None:
    """Say what a finding such as PDT010 means and what to do; without CODE, list all."""
    if not code:
        for entry in findings.CATALOGUE.values():
            click.echo(f"{entry.code}  {entry.title}")
        return
    if code.upper() not in findings.CATALOGUE:
        raise UserError(f"there is no finding {code}", hint="`pdt-annotate explain` lists all")
    entry = findings.entry(code.upper())
    example = "\n".join(f"    {line}" for line in entry.example.strip().splitlines())
    click.echo(f"{entry.code}  {entry.title}\n\n{entry.meaning}\n\n{example}\n\nWhat to do: {entry.advice}")


@contextlib.contextmanager
def _working(options: Options) -> Iterator[tuple[Zygote, Any, Callable[[str], None]]]:
    """The zygote, the report, and what to tell of progress.

    The zygote imports torch while this process imports libcst and rich; --help and usage errors need neither.
    """
    with Zygote(options.timeout) as zygote:
        from pdt_annotate.report import Report  # noqa: PLC0415

        report = Report(options)
        with report.progress() as progress:
            yield zygote, report, progress


def _to_options(
    *,
    targets: tuple[str, ...],
    inputs: str,
    args: tuple[str, ...],
    root: str,
    diff: bool = False,
    check: bool = False,
    stubs: str = "",
    returns: str = Returns.NEEDED.value,
    json_file: str,
    explained: bool,
    color: str,
    quiet: int,
    verbose: int,
    **plain: Any,
) -> Options:
    parsed = config.parse_targets(targets)
    write_back = _choose_write_back(diff=diff, check=check, stubs=stubs)
    if stubs and plain.get("write_partial"):
        raise UserError("--stubs and --write-partial exclude each other", hint="annotate the source, or mend it first")
    return Options(
        targets=parsed,
        spec=config.spec_source(inputs, args),
        root=os.path.abspath(root) if root else config.find_root(parsed),
        write_back=write_back,
        returns=Returns(returns),
        stubs=stubs,
        json=json_file,
        explain=explained,
        color=Color(color),
        verbosity=verbose - quiet,
        **plain,
    )


def _choose_write_back(*, diff: bool, check: bool, stubs: str) -> WriteBack:
    choices = {WriteBack.DIFF: diff, WriteBack.CHECK: check, WriteBack.STUBS: bool(stubs)}
    given = [choice for choice, wanted in choices.items() if wanted]
    if len(given) > 1:
        names = " and ".join(f"--{choice.value}" for choice in given)
        raise UserError(f"{names} exclude each other", hint="choose one of them")
    return given[0] if given else WriteBack.IN_PLACE


def _deliver(outcome: Outcome, options: Options, report: Any) -> int:
    """Write and print what the options ask for; the exit code."""
    from pdt_annotate.emit import EMITTERS  # noqa: PLC0415

    sound = outcome.verified or bool(outcome.kept)
    report.outcome(outcome)
    done = "nothing to annotate" if sound else "nothing was written"
    _write_json(outcome, options)
    if outcome.changes and sound:
        done = EMITTERS[options.write_back](outcome, options, sys.stdout.buffer)
    report.closing(done, outcome)
    if not outcome.verified:
        return EXIT_UNVERIFIED
    return EXIT_MISSING if options.write_back is WriteBack.CHECK and outcome.changes else EXIT_DONE


def _write_json(outcome: Outcome, options: Options) -> None:
    from pdt_annotate.emit import json_file  # noqa: PLC0415

    if options.json:
        json_file.emit(outcome, options.json, sys.stdout.buffer)


def _fail(message: str, *, file: str = "", line: int = 0, hint: str = "", code: int = EXIT_USER) -> int:
    place = f"{file}:{line}" if line else file
    parts = (f"error: {message}", place and f"  at {place}", hint and f"  hint: {hint}")
    click.echo("\n".join(filter(None, parts)), err=True)
    return code


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    click.echo(f"pdt-annotate {__version__}")
    for name in VERSIONED:
        click.echo(f"{name} {_version_of(name)}")
    click.echo(f"Python {platform.python_version()}")
    ctx.exit()


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "is not installed"
