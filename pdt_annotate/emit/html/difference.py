"""The diff of one file, as a person reads it: what was inserted into a line is marked in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from pdt_annotate.emit.files.comparison import Opcode
from pdt_annotate.emit.html.book import Sheet
from pdt_annotate.emit.html.markup import Child, Html, escape, join, tag

WORDS = re.compile(r"\w+|\s+|.")

LONGEST = 2000
"""Characters of a line in which single words are compared."""


def difference(sheet: Sheet) -> Html:
    """The hunks of a unified diff."""
    return tag("div", [_hunk(sheet, hunk) for hunk in sheet.lines.hunks()], class_="code diff")


def _hunk(sheet: Sheet, opcodes: Sequence[Opcode]) -> Html:
    (_, old, _, new, _), (_, _, old_end, _, new_end) = opcodes[0], opcodes[-1]
    head = f"@@ -{old + 1},{old_end - old} +{new + 1},{new_end - new} @@"
    return join(tag("div", head, class_="hunk"), *(row for opcode in opcodes for row in _rows(sheet, opcode)))


def _rows(sheet: Sheet, opcode: Opcode) -> Iterator[Html]:
    """The lines of a block: equal ones once, else the old ones and then the new ones."""
    kind, start, end, low, high = opcode
    old, new = sheet.lines.before[start:end], sheet.lines.after[low:high]
    if kind == "equal":
        for index, text in enumerate(old):
            yield _row("same", start + index + 1, low + index + 1, text)
        return
    compared = [_words(*pair) for pair in zip_longest(old, new)]
    for index in range(len(old)):
        yield _row("gone", start + index + 1, None, tag("del", compared[index][0]))
    for index in range(len(new)):
        yield _row("added", None, low + index + 1, tag("ins", compared[index][1]))


def _row(kind: str, old: int | None, new: int | None, text: Child) -> Html:
    sign = {"same": " ", "gone": "-", "added": "+"}[kind]
    numbers = [tag("span", str(number or ""), class_="no") for number in (old, new)]
    return tag(
        "div", numbers, tag("span", sign, class_="sign"), tag("div", text, "\n", class_="text"), class_=f"row {kind}"
    )


def _words(old: str | None, new: str | None) -> tuple[Html, Html]:
    """A line that became another: each with its own words marked. A line that stands alone is not marked in part."""
    if old is None or new is None or max(len(old), len(new)) > LONGEST:
        return escape(old or ""), escape(new or "")
    before, after = WORDS.findall(old), WORDS.findall(new)
    gone, added = [], []
    for kind, start, end, low, high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        wrap = escape if kind == "equal" else _marked
        gone.append(wrap("".join(before[start:end])))
        added.append(wrap("".join(after[low:high])))
    return join(*gone), join(*added)


def _marked(text: str) -> Html:
    return tag("b", text) if text else Html("")
