"""Adds `[tool.pdt-annotate]` at the end of a pyproject.toml; the text before it does not change."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.values.documents import parse_toml, place_of_byte
from pdt_annotate.values.errors import UserError

TOOL = "pdt-annotate"
SETTINGS = """\
[tool.pdt-annotate]
# `pdt-annotate init --config TARGET` adds a target; `pdt-annotate --show-settings` shows what holds.
"""


@dataclass(frozen=True)
class TargetTable:
    """A configured target; paths in it are relative to the pyproject.toml. `python`: "" for the tool's own."""

    target: str
    inputs: str
    python: str = ""

    @property
    def text(self) -> str:
        # TOML escapes the same characters as JSON, in the same way.
        lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in self.keys.items())
        return f"[[tool.pdt-annotate.targets]]\n{''.join(lines)}"

    @property
    def keys(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value}


def add_section(before: bytes, entries: Sequence[TargetTable], file: str) -> tuple[bytes, tuple[TargetTable, ...]]:
    """The file with the missing entries, and the entries that were added; without entries, with an empty section.

    `before` is the whole file, empty for a new one. Raises UserError if it is not TOML, or has the section in a form
    that cannot be extended; the hint has the text.
    """
    try:
        data = parse_toml(before.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        place = place_of_byte(file, before, error.start)
        raise UserError("not valid TOML: it is not UTF-8", place=place) from None
    tools = data.get("tool", {})
    section = tools.get(TOOL) if isinstance(tools, dict) else None
    targets = section.get("targets", []) if isinstance(section, dict) else [] if section is None else None
    if not isinstance(targets, list) or not all(isinstance(each, dict) for each in targets):
        message = "`tool.pdt-annotate.targets` is not an array of tables"
        raise UserError(message, file=file, hint=TargetTable("…", "…").text)
    named = [each.get("target") for each in targets]
    known = [text for each in named for text in (each if isinstance(each, list) else [each])]
    new = tuple(entry for entry in entries if entry.target not in known)
    added = [entry.text for entry in new] if entries else [SETTINGS] if section is None else []
    if not added:
        return before, ()
    # After an empty line, with the file's newlines.
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    separator = b"" if not before.strip() else newline if before.endswith(b"\n") else 2 * newline
    after = before + separator + "\n".join(added).encode().replace(b"\n", newline)
    try:
        found = parse_toml(after.decode("utf-8-sig"), "")
    except UserError:
        found = {}
    if found:  # it must have the data of the file and the new targets, and nothing else
        section = data.setdefault("tool", {}).setdefault(TOOL, {})
        if new:
            section.setdefault("targets", []).extend(entry.keys for entry in new)
    if not found or found != data:
        hint = "the existing settings cannot be extended at the end of the file; add by hand:\n" + "\n".join(added)
        raise UserError(f"the settings of {TOOL} cannot be added", file=file, hint=hint.rstrip())
    return after, new
