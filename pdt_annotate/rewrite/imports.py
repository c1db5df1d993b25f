"""New imports into a file: into the from-imports that it has, else on lines of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from pdt_annotate.rewrite.names import Import
from pdt_annotate.rewrite.outline import FromImport, ImportedSpan, Outline
from pdt_annotate.source.imports import absolute
from pdt_annotate.values.edits import Edit

_ORDERS: tuple[Callable[[str], str], ...] = (str, str.lower)
_SECTIONS = ("typing", "torch")


def statements_of(imports: Sequence[Import]) -> tuple[str, ...]:
    """The imports as statements, one for each module: the standard library's, torch's, then the project's."""
    return tuple(text for _, group in _by_module(imports) for text in _statements(group))


def insert_imports(outline: Outline, package: str, imports: Sequence[Import]) -> Iterator[Edit]:
    """The edits that make the imports."""
    present: Mapping[str, FromImport] = {absolute(each.module, package): each for each in outline.from_imports}
    lines: list[str] = []
    for module, group in _by_module(imports):
        named = [each for each in group if each.name]
        if named and module in present:
            yield from _extend(present[module], named)
            group = [each for each in group if not each.name]
        lines += _statements(group)
    if lines:
        yield from outline.import_place.insert([(line, None)] for line in lines)


def _by_module(imports: Sequence[Import]) -> list[tuple[str, list[Import]]]:
    def place(each: Import) -> tuple[int, str]:
        package = each.module.partition(".")[0]
        return (_SECTIONS.index(package) if package in _SECTIONS else len(_SECTIONS), each.module)

    ordered = sorted(imports, key=lambda each: (place(each), each))
    return [(module, list(group)) for module, group in groupby(ordered, key=lambda each: each.module)]


def _statements(group: Sequence[Import]) -> Iterator[str]:
    """The statements for imports from one module."""
    yield from (f"import {each.module}" for each in group if not each.name)
    clauses = [each.clause for each in group if each.name]
    if clauses:
        yield f"from {group[0].module} import {', '.join(clauses)}"


def _extend(present: FromImport, imports: Sequence[Import]) -> Iterator[Edit]:
    """Add names to a from-import: in their order where it is sorted, at its end where it is not."""
    names = present.names
    order = next((each for each in _ORDERS if _is_sorted(names, each)), None)
    for new in imports if order is None else sorted(imports, key=lambda each: order(each.name)):
        following = next((old for old in names if order and order(old.name) > order(new.name)), None)
        if following:
            yield Edit(following.start, new.clause + present.separator)
        elif present.row:
            yield from present.row.insert([[(f"{new.clause},", None)]])
        else:
            yield Edit(names[-1].end, present.separator + new.clause)


def _is_sorted(names: Sequence[ImportedSpan], order: Callable[[str], str]) -> bool:
    return all(order(first.name) <= order(second.name) for first, second in pairwise(names))
