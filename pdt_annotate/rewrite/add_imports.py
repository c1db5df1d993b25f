"""New imports into a file: into the from-imports that it has, else on lines of their own, in the order of isort."""

from __future__ import annotations

import ast
import enum
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from typing import Any

from pdt_annotate.rewrite.source_file import STEP, Line, LinePlace, SourceFile, line_place, width
from pdt_annotate.source.definitions import Scope, opening_line
from pdt_annotate.source.imports import Import, absolute
from pdt_annotate.source.scopes import statements
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.style import Sorting, Style

_FUTURE = "__future__"
_NUMBER = re.compile(r"(\d+)")
_COMMENT = re.compile(rb"[ \t\f]*#")
_COMMA = re.compile(rb"(?:[\s\\]|#[^\r\n]*)*,")
_HEAD = re.compile(rb"#!|[ \t\f]*#[^\r\n]*coding[:=]")

Key = tuple[Any, ...]
Order = Callable[[str], Any]


@dataclass(frozen=True)
class _OldLine:
    """A line that begins with an import, and the offsets around it."""

    rank: Rank
    above: int  # before the comments over the line
    front: int  # after these comments
    below: int
    block: int  # the number of the lines with no other statement between them
    is_apart: bool  # a blank line is before it
    is_star: bool  # it imports all names


def statements_of(imports: Sequence[Import]) -> tuple[str, ...]:
    return tuple(_text(each) for _, each in _sort(imports, Sorting(combine_as_imports=True)))


def _text(imports: Sequence[Import]) -> str:
    first, clauses = imports[0], ", ".join(each.clause for each in imports)
    return f"from {first.module} import {clauses}" if first.name else f"import {first.module}"


def insert_imports(file: SourceFile, package: str, imports: Sequence[Import], style: Style) -> Iterator[Edit]:
    """The edits that make the imports; `package` is the one that the file's relative imports start from."""
    sorting, limit = style.sorting, style.sorting.line_length or file.line_limit(style)
    lines = list(_import_lines(file))
    present: dict[str, ast.ImportFrom] = {}
    for node in (node for line in lines for node in line if isinstance(node, ast.ImportFrom)):
        # Plain names may join others; imports of aliases alone get no further names.
        is_open = sorting.combine_as_imports or not all(each.asname for each in node.names)
        if is_open and node.names[0].name != "*" and node.module != _FUTURE:
            present[absolute(_from(node), package)] = node
    new: list[Import] = []
    for module, group in groupby(sorted(imports), key=lambda each: each.module):
        wanted = list(group)
        joining = [each for each in wanted if module in present and not _stands_alone(each, sorting)]
        yield from _extend(file, present[module], joining, sorting, limit) if joining else ()
        new += (each for each in wanted if each not in joining)
    if new:
        yield from _insert(file, lines, _sort(new, sorting), sorting, limit)


def _import_lines(file: SourceFile) -> Iterator[Line]:
    """The lines with imports that run at every import of the file, before it defines anything."""
    for line in file.lines(file.module.tree.body):
        if any(isinstance(item.node, Scope) for item in statements(line)):
            return
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in line):
            yield line


def _sort(imports: Sequence[Import], sorting: Sorting) -> list[_NewLine]:
    """One line for each module, and for each import that does not go into one with others."""
    ordered = sorted(imports, key=lambda each: (each.module, name_key(each.name, sorting)))
    groups = grouped(((each.module, each if _stands_alone(each, sorting) else None), each) for each in ordered)
    ranked = ((Rank.of(group[0].module, group[0].name, sorting), group) for group in groups.values())
    return sorted(ranked, key=lambda each: each[0].place)


def _stands_alone(each: Import, sorting: Sorting) -> bool:
    is_single = sorting.force_single_line and each.module not in sorting.single_line_exclusions
    return not each.name or is_single or (each.name != each.bound and not sorting.combine_as_imports)


def _insert(
    file: SourceFile, lines: Sequence[Line], new: Sequence[_NewLine], sorting: Sorting, limit: int
) -> Iterator[Edit]:
    """New lines in order; those of a group together."""

    def write(lines: Iterable[_NewLine]) -> Iterator[str]:
        for _rank, imports in lines:
            if not imports[0].name or width(_text(imports)) <= limit:
                yield _text(imports)
            else:
                names = (f"{STEP}{each.clause}," for each in imports)
                yield from (f"from {imports[0].module} import (", *names, ")")

    old = list(_old_lines(file, lines, sorting))
    if all(each.rank.group[0] is Section.FUTURE for each in old):
        groups = [list(group) for _, group in groupby(new, key=lambda each: each[0].group)]
        texts = [text for group in groups for text in ("", *write(group))][1:]
        yield from _first_place(file, lines).insert([(text, None)] for text in texts)
        return
    for (_, place), group in groupby(new, key=lambda each: (each[0].group, _find_place(file, old, each[0]))):
        yield from place.insert([(text, None)] for text in write(group))


def _old_lines(file: SourceFile, lines: Iterable[Line], sorting: Sorting) -> Iterator[_OldLine]:
    text, body, block = file.text, file.lines(file.module.tree.body), 0
    for line in lines:
        node, index = line[0], body.index(line)
        block += index > 0 and not isinstance(body[index - 1][-1], ast.Import | ast.ImportFrom)
        if isinstance(node, ast.Import | ast.ImportFrom):
            first = _first_comment(file, node.lineno)
            above = text.line_start(node.lineno if first == 1 else first)  # the file's own comments stay in front
            name = node.names[0].name
            module, first_name = (_from(node), name) if isinstance(node, ast.ImportFrom) else (name, "")
            rank = Rank.of(module, first_name, sorting)
            front, below = text.line_start(node.lineno), file.end_of_line(text.end(line[-1]))
            is_apart = above > 0 and text.is_blank(above - 1)
            yield _OldLine(rank, above, front, below, block, is_apart, is_star=name == "*")


def _from(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _first_comment(file: SourceFile, line: int) -> int:
    """The line with the first comment directly above a line; the line itself if there is none."""
    while line > 1 and _COMMENT.match(file.text.body, file.text.line_start(line - 1)):
        line -= 1
    return line


def _first_place(file: SourceFile, lines: Sequence[Line]) -> LinePlace:
    """The place in a file without other imports: after those from the future, else the docstring, else the top.

    The new lines get the blank lines of PEP 8 after them.
    """
    text, body = file.text, file.module.tree.body
    if not lines and ast.get_docstring(file.module.tree, clean=False) is not None:
        lines = file.lines(body)[:1]
    offset = file.end_of_line(text.end(lines[-1][-1])) if lines else _top(file)
    following = next((each for each in body if text.end(each) > offset), None)
    blanks = 2 if isinstance(following, Scope) else 0 if isinstance(following, ast.Import | ast.ImportFrom) else 1
    return line_place(file.text, offset, blank_before=bool(lines), blanks_after=0 if text.is_blank(offset) else blanks)


def _top(file: SourceFile) -> int:
    """The offset below the interpreter line, the coding cookie and the file's comments."""
    text, body = file.text, file.module.tree.body
    if not body:
        return len(text.body)
    line = _first_comment(file, opening_line(text, body[0]))
    while line <= 2 and _HEAD.match(text.body, text.line_start(line)):
        line += 1
    offset = text.line_start(line)
    return offset if text.body[:offset].strip() else 0


def _find_place(file: SourceFile, lines: Sequence[_OldLine], new: Rank) -> LinePlace:
    """In its group, or between the groups around it; after a star import, which could hide it, in any case."""
    if any(each.is_star for each in lines):
        return line_place(file.text, lines[-1].below)
    # The last block with imports of the group; otherwise the last, or for the standard library the first.
    blocks = [each.block for each in lines if each.rank.group == new.group]
    number = blocks[-1] if blocks else lines[0 if new.group[0] is Section.STANDARD else -1].block
    block = [each for each in lines if each.block == number]
    if blocks:  # in the order of the group; after it all if it has none
        same = [each for each in block if each.rank.group == new.group]
        is_sorted = all(one.rank.place <= other.rank.place for one, other in pairwise(same))
        before = [each for each in same if not is_sorted or each.rank.place <= new.place]
        return line_place(file.text, before[-1].below if before else same[0].front)
    earlier = [each for each in block if each.rank.group < new.group]
    changes = (second for first, second in pairwise(block) if first.rank.group != second.rank.group)
    is_apart = all(each.is_apart for each in changes)
    if earlier:
        return line_place(file.text, earlier[-1].below, blank_before=is_apart)
    return line_place(file.text, block[0].above, blanks_after=int(is_apart))


def _extend(
    file: SourceFile, present: ast.ImportFrom, imports: Sequence[Import], sorting: Sorting, limit: int
) -> Iterator[Edit]:
    """Add names to a from-import: in their order if it is sorted, else at its end."""
    text, names, separator = file.text, present.names, ", "
    lines = [present.lineno, *(each.lineno for each in names)]
    row: LinePlace | None = None  # of one more name, if each is alone on a line with a comma after it
    breaks: list[Edit] = []
    source = text.body[text.start(present) : text.end(present)].decode()
    if not source.endswith(")"):
        longer = width(source) + sum(len(separator + each.clause) for each in imports)
        if source == text.lines[present.lineno - 1] and width(source) <= limit < longer:
            separator = f",{text.newline}{STEP}"
            breaks = list(_break(file, names, separator))
    elif len(set(lines)) == len(lines):
        below, indent = text.line_start(lines[-1] + 1), text.indent(text.start(names[-1]))
        newline = text.newline_before(below)
        separator = f",{newline}{indent}"
        if _COMMA.match(text.body, text.end(names[-1])) and present.end_lineno != lines[-1]:
            row = LinePlace(below, newline=newline, indent=indent)
    yield from breaks[:-1]
    order = order_of([each.name for each in names], sorting)
    for new in imports if order is None else sorted(imports, key=lambda each: order(each.name)):
        following = next((old for old in names if order and order(old.name) > order(new.name)), None)
        if following:
            yield Edit(text.start(following), new.clause + separator)
        elif row:
            yield from row.insert([[(f"{new.clause},", None)]])
        else:
            yield Edit(text.end(names[-1]), separator + new.clause)
    yield from breaks[-1:]


def _break(file: SourceFile, names: Sequence[ast.alias], separator: str) -> Iterator[Edit]:
    """Parentheses around the names, and the separator between them; the closing one comes last."""
    start, end, newline = file.text.start, file.text.end, file.text.newline
    yield Edit(start(names[0]), f"({newline}{STEP}")
    for first, second in pairwise(names):
        yield Edit(end(first), separator, removed=start(second) - end(first))
    yield Edit(end(names[-1]), f",{newline})")


class Section(enum.IntEnum):
    """The parts of a block of imports, with a blank line between them."""

    FUTURE = 0
    STANDARD = 1
    THIRD_PARTY = 2
    FIRST_PARTY = 3
    LOCAL = 4


def section_of(module: str, sorting: Sorting) -> Section:
    """The section of a module; one with leading dots is local."""
    package = module.partition(".")[0]
    if module.startswith("."):
        return Section.LOCAL
    if package == _FUTURE:
        return Section.FUTURE
    if package in sys.stdlib_module_names:
        return Section.STANDARD
    is_own = package in sorting.known_first_party and package not in sorting.known_third_party
    return Section.FIRST_PARTY if is_own else Section.THIRD_PARTY


@dataclass(frozen=True)
class Rank:
    """The place of an import among all others, and the group that it belongs to; the groups are in order, too."""

    group: Key
    place: Key

    @staticmethod
    def of(module: str, name: str, sorting: Sorting) -> Rank:
        """Of an import of a module (leading dots as written), with the first name that it imports from it, or ""."""
        section, kind = section_of(module, sorting), int(bool(name) != sorting.from_first)
        folded = _folded(module, sorting)
        pair = (folded, kind) if sorting.force_sort_within_sections else (kind, folded)
        return Rank((section, kind if sorting.lines_between_types else 0), (section, *pair, name_key(name, sorting)))


_NewLine = tuple[Rank, list[Import]]


def name_key(name: str, sorting: Sorting) -> Key:
    """The place of a name in a from-import: constants, classes, then all others, if types count."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind if sorting.order_by_type else 0, _folded(name, sorting), name


def _folded(name: str, sorting: Sorting) -> Key:
    """A name as a sort key: digits count as numbers, case counts if the project says so."""
    parts = _NUMBER.split(name if sorting.case_sensitive else name.lower())
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts))


def order_of(names: Sequence[str], sorting: Sorting) -> Order | None:
    """The order of the names of an import: the project's, another, or None."""
    other = replace(sorting, order_by_type=not sorting.order_by_type)
    orders: tuple[Order, ...] = (partial(name_key, sorting=sorting), partial(name_key, sorting=other), str)
    return next((order for order in orders if list(names) == sorted(names, key=order)), None)
