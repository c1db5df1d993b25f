"""Changes of files for tests, with the edits that a rewrite would return."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from pdt_annotate.rewrite import rewrite
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.module import read_module
from pdt_annotate.source.text import decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Annotation, Owner

_TOKEN = re.compile(rb"\w+|[^\S\r\n]+|\r\n|.", re.DOTALL)


def annotate(file: str, source: bytes, annotations: Iterable[Annotation]) -> FileChange:
    """The change that the real rewrite makes for these annotations."""
    rewritten = rewrite(source, tuple(annotations), file=file, module="m", classes={})
    return FileChange(file, source, rewritten.source, rewritten.edits)


def change_of(file: str, before: bytes, after: bytes) -> FileChange:
    """Two texts. The second is the first with edits. An edit inside a definition belongs to it."""
    text = decode(before)
    old, new = (_TOKEN.findall(each.body) for each in (text, decode(after)))
    found: list[Edit] = []
    for kind, i, _, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        assert kind in ("equal", "insert"), (old[i:], new[low:high])
        if kind == "insert":
            offset = sum(map(len, old[:i]))
            found.append(Edit(offset, b"".join(new[low:high]).decode(), _owner(file, before, text.line(offset))))
    assert text.edit(found) == after
    return FileChange(file, before, after, tuple(found))


def _owner(file: str, source: bytes, line: int) -> Owner | None:
    found = read_module(file, source)
    definitions: list[Function | Class] = [*found.functions, *found.classes]
    around = [each for each in definitions if each.owner.line <= line <= each.end]
    return max(around, key=lambda each: each.owner.line).owner if around else None
