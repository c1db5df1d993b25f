"""`pdt-annotate init`: a draft of example calls, and the section of pyproject.toml."""

import errno
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pdt_annotate.cli.entry import say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.kinds import Inputs, PathText
from pdt_annotate.cli.options import TARGETS, given_here, options_of
from pdt_annotate.cli.pyproject import TOOL
from pdt_annotate.cli.run_options import load_values
from pdt_annotate.inputs.target import parse, split_name
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.settings.options import STDOUT
from pdt_annotate.values import documents, shell
from pdt_annotate.values.errors import SpecError, TargetError, UserError
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.runs import Target

DRAFT, PYPROJECT, PYTHON = "inputs.py", "pyproject.toml", "python"
Entry = Mapping[str, str]  # the table of a target in pyproject.toml

EMPTY_SECTION = """\
[tool.pdt-annotate]
# `pdt-annotate init --config TARGET` adds a target; `pdt-annotate --show-settings` shows what holds.
"""

EXAMPLES = """\
\b
Examples:
  Draft example calls from the signature and the tests; you fill in the missing values:
    pdt-annotate init mymodel:Net
  Draft example calls from the calls in a test run:
    pytest --pdt; pdt-annotate init mymodel:Net --from-profile pdt-profile.sqlite
  Add the target to pyproject.toml, so that `pdt-annotate` without arguments runs it:
    pdt-annotate init --config mymodel:Net -i inputs.py"""


OUTPUT = f"File to write the draft to; '-' is stdout. [default: {DRAFT}]"
CONFIG = f"Add the targets to {PYPROJECT} instead."
CALLS = f"With --config: file with the example calls of the targets. [default: {DRAFT}]"
ROOT = "Directory to search for uses of the target. [default: the project]"
SEEN = "Draft calls from this profile, which `run` or `pytest --pdt` saved. Can be given several times."

OPTIONS = (  # options of `init` only: in other commands the options of these names mean something else
    click.Option(["-o", "--output"], type=PathText("file"), help=OUTPUT),
    click.Option(["--config", "into_config"], is_flag=True, help=CONFIG),
    click.Option(["-i", "--inputs"], type=Inputs("file[:name]"), help=CALLS),
    click.Option(["--root"], type=PathText("dir"), default="", help=ROOT),
    click.Option(["--from-profile", "paths"], type=PathText(many=True), multiple=True, help=SEEN),
)


@main_group.command(
    short_help="Draft example calls, or add targets to pyproject.toml.",
    epilog=EXAMPLES,
    params=[TARGETS, *OPTIONS, *options_of("init")],
)
def init(
    targets: tuple[str, ...],
    output: str | None,
    into_config: bool,
    inputs: str | None,
    root: str,
    paths: tuple[str, ...],
    quiet: int,
    **_: Any,
) -> None:
    """Draft example calls for TARGET from its source and its tests, without importing or running them."""
    misplaced = {"-o": output is not None and into_config, "--from-profile": bool(paths) and into_config}
    misplaced |= {"-i": inputs is not None and not into_config}
    for option, is_misplaced in misplaced.items():
        if is_misplaced:
            raise UserError(f"{option} {'is not possible' if into_config else 'is only possible'} with --config")
    python = str(given_here().get(PYTHON, ""))
    if into_config and not targets and python:
        hint = "pdt-annotate init --config TARGET --python DIR"
        raise UserError("--python is only stored with a target", hint=hint)
    if into_config:
        said = _configure([parse(text) for text in targets], inputs or DRAFT, python)
    else:
        said = _draft([parse(text) for text in targets], output or DRAFT, root, paths, python)
    if said and not quiet:
        say(said)


def _draft(parsed: list[Target], output: str, root: str, paths: tuple[str, ...], given: str) -> str:
    """Write a draft; return a report of it."""
    from pdt_annotate import profiles  # noqa: PLC0415
    from pdt_annotate.emit.files import assert_led_by_no_link  # noqa: PLC0415
    from pdt_annotate.inputs.drafting import draft  # noqa: PLC0415
    from pdt_annotate.interpreters.interpreter import find_interpreter  # noqa: PLC0415
    from pdt_annotate.profiles.match import observed_calls  # noqa: PLC0415
    from pdt_annotate.writes.transaction import write_files  # noqa: PLC0415

    if len(parsed) != 1:
        hint = "pdt-annotate init mymodel:Net drafts inputs.py; with -o each target gets a file of its own"
        raise TargetError("a draft is for one target", hint=hint)
    file = DRAFT if output == STDOUT else output
    if Path(file).suffix != ".py":
        raise UserError(f"a draft is a Python file, but {file} does not end in .py", hint=f"-o {Path(file).stem}.py")
    if output != STDOUT and os.path.lexists(file):
        raise UserError(f"{file} already exists, and was not changed", hint="-o FILE names another, -o - prints it")
    root = os.path.abspath(root) if root else find_root(parsed)
    python = load_values("init", {PYTHON: given} if given else {})[PYTHON]
    import_path = find_interpreter(python).path if python else None
    seen = list(observed_calls(profiles.load(paths), root)) if paths else None
    made = draft(parsed[0], root, file, import_path, seen)
    if output == STDOUT:
        click.echo(made.text, nl=False)
        return ""
    assert_led_by_no_link(file, root, "the draft")
    if not os.path.isdir(os.path.dirname(os.path.abspath(file))):
        raise UserError(f"cannot write {file}: {os.strerror(errno.ENOENT)}", file=file)
    write_files({file: made.text.encode()})
    words = ("pdt-annotate", parsed[0].text, "-i", file, "--diff", *(("--python", given) if given else ()))
    command = "    " + shell.join(words)
    if not made.blanks:
        return f"wrote {file}\nevery value is known from the source; next:\n{command}"
    what = "one value is" if len(made.blanks) == 1 else f"{len(made.blanks)} values are"
    places = [f"    {place}  {name}" for name, place in made.blanks]
    return "\n".join([f"wrote {file}", f"{what} to be filled in:", *places, "then:", command])


def _configure(parsed: list[Target], inputs: str, python: str) -> str:
    """Add targets to the project's pyproject.toml; return a report of it."""
    from pdt_annotate.emit.files import assert_within  # noqa: PLC0415
    from pdt_annotate.writes.transaction import write_files  # noqa: PLC0415

    file = os.path.join(find_root(()), PYPROJECT)
    shown = named_from(file)
    before = documents.read(file, "the configuration") if os.path.lexists(file) else None
    entries = [_entry(target, inputs, os.path.dirname(file), python) for target in parsed]
    after, added = add_section(before or b"", entries, shown)
    if after == before:
        return f"{shown} already has it"
    assert_within([file], os.path.dirname(file))
    write_files({file: after})
    what = ", ".join(entry["target"] for entry in added) or "an empty section"
    verb = "added to" if before is not None else "written to the new file"
    return f"{what} {verb} {shown}; `pdt-annotate` without arguments runs what is configured"


def _entry(target: Target, inputs: str, folder: str, python: str) -> dict[str, str]:
    """Return the keys of a target's table, with paths relative to the folder of pyproject.toml."""
    from pdt_annotate.interpreters.interpreter import find_interpreter  # noqa: PLC0415

    file, name = split_name(inputs)
    if not os.path.isfile(file):
        draft_it = shell.join(("pdt-annotate", "init", target.text, "-o", file)) + " drafts it"
        raise SpecError(f"no such file of example inputs: {file}", hint=draft_it)
    if python:
        find_interpreter(python)  # fails now rather than in a later run
    text = f"{named_from(target.file, folder)}:{target.text.rpartition(':')[2]}" if target.file else target.text
    name = f":{name}" if name else ""
    entry = {"target": text, "inputs": named_from(file, folder) + name}
    return {**entry, PYTHON: named_from(python, folder)} if python else entry


def _table(entry: Entry) -> str:
    # TOML escapes the same characters as JSON, in the same way.
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in entry.items())
    return f"[[tool.pdt-annotate.targets]]\n{''.join(lines)}"


def add_section(before: bytes, entries: Sequence[Entry], file: str) -> tuple[bytes, list[Entry]]:
    """The file with the missing entries, and the entries that were added; without entries, with an empty section.

    `before` is the whole file, empty for a new one. Raises UserError if it is not TOML, or has the section in a form
    that cannot be extended; the hint has the text.
    """
    try:
        data = documents.parse_toml(before.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        place = documents.place_of_byte(file, before, error.start)
        raise UserError("not valid TOML: it is not UTF-8", place=place) from None
    tools = data.get("tool", {})
    section = tools.get(TOOL) if isinstance(tools, dict) else None
    targets = section.get("targets", []) if isinstance(section, dict) else [] if section is None else None
    if not isinstance(targets, list) or not all(isinstance(each, dict) for each in targets):
        message = "`tool.pdt-annotate.targets` is not an array of tables"
        raise UserError(message, file=file, hint=_table({"target": "…", "inputs": "…"}))
    named = [each.get("target") for each in targets]
    known = [text for each in named for text in (each if isinstance(each, list) else [each])]
    new = [entry for entry in entries if entry["target"] not in known]
    added = [_table(entry) for entry in new] if entries else [EMPTY_SECTION] if section is None else []
    if not added:
        return before, []
    # After an empty line, with the file's newlines.
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    separator = b"" if not before.strip() else newline if before.endswith(b"\n") else 2 * newline
    after = before + separator + "\n".join(added).encode().replace(b"\n", newline)
    try:
        found = documents.parse_toml(after.decode("utf-8-sig"), "")
    except UserError:
        found = {}
    if found:  # it must have the data of the file and the new targets, and nothing else
        section = data.setdefault("tool", {}).setdefault(TOOL, {})
        if new:
            section.setdefault("targets", []).extend(new)
    if not found or found != data:
        hint = "the existing settings cannot be extended at the end of the file; add by hand:\n" + "\n".join(added)
        raise UserError(f"the settings of {TOOL} cannot be added", file=file, hint=hint.rstrip())
    return after, new
