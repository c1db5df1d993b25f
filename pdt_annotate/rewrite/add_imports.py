"""New imports into a file: into the from-imports that it has, else on lines of their own, in the order of isort."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from typing import Any

from pdt_annotate.rewrite.names import Import
from pdt_annotate.rewrite.outline import FromImport, ImportLine, LinePlace, Outline
from pdt_annotate.rewrite.widths import width
from pdt_annotate.source.imports import absolute
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.style import Sorting

_STEP = "    "
_FUTURE = "__future__"
_NUMBER = re.compile(r"(\d+)")

Key = tuple[Any, ...]
Order = Callable[[str], Any]


@dataclass(frozen=True)
class _Statement:
    """A new import statement: of a module, or of names in it."""

    imports: tuple[Import, ...]

    @property
    def module(self) -> str:
        return self.imports[0].module

    @property
    def name(self) -> str:
        return self.imports[0].name

    @property
    def text(self) -> str:
        clauses = ", ".join(each.clause for each in self.imports)
        return f"from {self.module} import {clauses}" if self.name else f"import {self.module}"

    def lines(self, limit: int) -> list[str]:
        if not self.name or width(self.text) <= limit:
            return [self.text]
        return [f"from {self.module} import (", *(f"{_STEP}{each.clause}," for each in self.imports), ")"]


def statements_of(imports: Sequence[Import]) -> tuple[str, ...]:
    return tuple(each.text for each in _statements(imports, Sorting(combine_as_imports=True)))


def insert_imports(
    outline: Outline, package: str, imports: Sequence[Import], sorting: Sorting, limit: int
) -> Iterator[Edit]:
    """The edits that make the imports, on lines that are no longer than the limit."""
    # Plain names may join others; imports of aliases alone get no further names.
    joins_all = sorting.combine_as_imports
    open_ = (each for each in outline.from_imports if joins_all or not all(name.is_alias for name in each.names))
    present = {absolute(each.module, package): each for each in open_}
    new: list[Import] = []
    for module, group in groupby(sorted(imports), key=lambda each: each.module):
        wanted = list(group)
        joining = [each for each in wanted if module in present and not _stands_alone(each, sorting)]
        yield from _extend(outline, present[module], joining, sorting, limit) if joining else ()
        new += (each for each in wanted if each not in joining)
    yield from _insert(outline, _statements(new, sorting), sorting, limit)


def _statements(imports: Sequence[Import], sorting: Sorting) -> list[_Statement]:
    """One for each module, and for each import that does not go into one with others."""
    groups: dict[tuple[str, Import | None], list[Import]] = {}
    for each in sorted(imports, key=lambda each: (each.module, name_key(each.name, sorting))):
        groups.setdefault((each.module, each if _stands_alone(each, sorting) else None), []).append(each)
    return sorted((_Statement(tuple(group)) for group in groups.values()), key=lambda each: _key(each, sorting))


def _stands_alone(each: Import, sorting: Sorting) -> bool:
    is_single = sorting.force_single_line and each.module not in sorting.single_line_exclusions
    return not each.name or is_single or (each.name != each.bound and not sorting.combine_as_imports)


def _group(each: _Statement | ImportLine, sorting: Sorting) -> Key:
    return section_of(each.module, sorting), _kind(each, sorting) if sorting.lines_between_types else 0


def _key(each: _Statement | ImportLine, sorting: Sorting) -> Key:
    """The place of an import among all others; `name` is the first that it imports."""
    kind, folded = _kind(each, sorting), _folded(each.module, sorting)
    place = (folded, kind) if sorting.force_sort_within_sections else (kind, folded)
    return section_of(each.module, sorting), (*place, name_key(each.name, sorting))


def _kind(each: _Statement | ImportLine, sorting: Sorting) -> int:
    return int(bool(each.name) != sorting.from_first)


def _insert(outline: Outline, statements: Sequence[_Statement], sorting: Sorting, limit: int) -> Iterator[Edit]:
    """New lines in order; those of a group together."""

    def find_group(each: _Statement) -> tuple[Key, LinePlace]:
        return _group(each, sorting), _find_place(outline.import_lines, each, sorting)

    if all(section_of(each.module, sorting) is Section.FUTURE for each in outline.import_lines):
        groups = [list(group) for _, group in groupby(statements, key=lambda each: _group(each, sorting))]
        lines = [line for group in groups for line in ("", *_lines(group, limit))][1:]
        yield from outline.import_place.insert([(line, None)] for line in lines) if lines else ()
        return
    for (_, place), group in groupby(statements, key=find_group):
        yield from place.insert([(line, None)] for line in _lines(group, limit))


def _lines(statements: Iterable[_Statement], limit: int) -> list[str]:
    return [line for each in statements for line in each.lines(limit)]


def _find_place(lines: Sequence[ImportLine], new: _Statement, sorting: Sorting) -> LinePlace:
    """In its group, or between the groups around it; after a star import, which could hide it, in any case."""
    if any(each.name == "*" for each in lines):
        return lines[-1].behind
    block, group = _choose_block(lines, new, sorting), _group(new, sorting)
    same = [each for each in block if _group(each, sorting) == group]
    if same:
        return _find_among(same, new, sorting)
    earlier = [each for each in block if _group(each, sorting) < group]
    changes = (pair for pair in pairwise(block) if _group(pair[0], sorting) != _group(pair[1], sorting))
    is_apart = all(second.is_apart for _, second in changes)
    if earlier:
        return replace(earlier[-1].behind, blank_before=is_apart)
    return replace(block[0].above, blanks_after=int(is_apart))


def _choose_block(lines: Sequence[ImportLine], new: _Statement, sorting: Sorting) -> list[ImportLine]:
    """The last block with imports of the group; otherwise the last, or for the standard library the first."""
    group = _group(new, sorting)
    same = [each.block for each in lines if _group(each, sorting) == group]
    is_standard = section_of(new.module, sorting) is Section.STANDARD
    block = same[-1] if same else lines[0 if is_standard else -1].block
    return [each for each in lines if each.block == block]


def _find_among(lines: Sequence[ImportLine], new: _Statement, sorting: Sorting) -> LinePlace:
    """In the order of the lines; after them all if they have none."""
    keys, key = [_key(each, sorting) for each in lines], _key(new, sorting)
    if keys != sorted(keys):
        return lines[-1].behind
    before = [line for line, other in zip(lines, keys, strict=True) if other <= key]
    return before[-1].behind if before else lines[0].front


def _extend(
    outline: Outline, present: FromImport, imports: Sequence[Import], sorting: Sorting, limit: int
) -> Iterator[Edit]:
    """Add names to a from-import: in their order if it is sorted, else at its end."""
    names, breaks = present.names, []
    order = order_of([each.name for each in names], sorting)
    line = outline.text.lines[present.line - 1] if present.line else ""
    longer = width(line) + sum(len(present.separator + each.clause) for each in imports)
    if present.line and width(line) <= limit < longer:
        present = replace(present, separator=f",{outline.text.newline}{_STEP}")
        breaks = list(_break(present, outline.text.newline))
    yield from breaks[:-1]
    for new in imports if order is None else sorted(imports, key=lambda each: order(each.name)):
        following = next((old for old in names if order and order(old.name) > order(new.name)), None)
        if following:
            yield Edit(following.start, new.clause + present.separator)
        elif present.row:
            yield from present.row.insert([[(f"{new.clause},", None)]])
        else:
            yield Edit(names[-1].end, present.separator + new.clause)
    yield from breaks[-1:]


def _break(present: FromImport, newline: str) -> Iterator[Edit]:
    """Parentheses around the names, and the separator between them; the closing one comes last."""
    names = present.names
    yield Edit(names[0].start, f"({newline}{_STEP}")
    for first, second in pairwise(names):
        yield Edit(first.end, present.separator, removed=second.start - first.end)
    yield Edit(names[-1].end, f",{newline})")


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
