"""A reader of GitHub's workflow commands."""

import re

UNESCAPED = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
"""Unescape in the runner's order: the percent sign comes last."""


def parse(line: str) -> tuple[str, dict[str, str], str]:
    """Return the name, properties and message of a line. As in the runner, the command ends at the first later `::`."""
    match = re.fullmatch(r"::(?P<name>[^ :]+)(?: (?P<properties>.*?))?::(?P<data>.*)", line)
    assert match, line
    pairs = [each.partition("=") for each in (match["properties"] or "").split(",") if each]
    return match["name"], {key.strip(): unescape(value) for key, _, value in pairs}, unescape(match["data"], ":,")


def unescape(text: str, without: str = "") -> str:
    for escaped, char in UNESCAPED:
        text = text if char in without else text.replace(escaped, char)
    return text
