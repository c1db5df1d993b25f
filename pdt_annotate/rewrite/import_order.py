"""The order of imports, as isort and ruff have it: in sections, and in these by module and name."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from pdt_annotate.values.style import Sorting

_FUTURE = "__future__"
_NUMBER = re.compile(r"(\d+)")

Key = tuple[Any, ...]
Order = Callable[[str], Any]


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


def group_of(module: str, is_from: bool, sorting: Sorting) -> Key:
    """The lines that stand together: those of a section, or of one kind in it where kinds are kept apart."""
    return section_of(module, sorting), _kind(is_from, sorting) if sorting.lines_between_types else 0


def statement_key(module: str, is_from: bool, name: str, sorting: Sorting) -> Key:
    """The place of a statement in its section; `name` is the first that it imports."""
    kind = _kind(is_from, sorting)
    place = (_folded(module, sorting), kind) if sorting.force_sort_within_sections else (kind, _folded(module, sorting))
    return (*place, name_key(name, sorting))


def _kind(is_from: bool, sorting: Sorting) -> int:
    return int(is_from != sorting.from_first)


def name_key(name: str, sorting: Sorting) -> Key:
    """The place of a name in a from-import: constants, classes, then all else, where types count."""
    return _type(name) if sorting.order_by_type else 0, _folded(name, sorting), name


def _type(name: str) -> int:
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2


def _folded(name: str, sorting: Sorting) -> Key:
    """A name to be compared with others: its digits are numbers, its case counts where it is to."""
    parts = _NUMBER.split(name if sorting.case_sensitive else name.lower())
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts))


def order_of(names: Sequence[str], sorting: Sorting) -> Order | None:
    """The order in which the names of an import are: the one that is asked for, another, or None."""
    other = replace(sorting, order_by_type=not sorting.order_by_type)
    orders: tuple[Order, ...] = (partial(name_key, sorting=sorting), partial(name_key, sorting=other), str)
    return next((order for order in orders if _is_sorted(names, order)), None)


def _is_sorted(names: Sequence[str], order: Order) -> bool:
    return all(order(first) <= order(second) for first, second in pairwise(names))
