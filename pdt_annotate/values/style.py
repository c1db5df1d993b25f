"""How a project writes its Python, as far as its configuration says so."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Spelling(enum.Enum):
    """How containers and unions are spelled: `List[int]` and `Optional[int]`, `list[int]` and `int | None`, or as the
    project's Python and style ask for."""

    AUTO = "auto"
    TYPING = "typing"
    MODERN = "modern"


@dataclass(frozen=True)
class Sorting:
    """The order of imports, by isort's names of the settings.

    Args:
        known_first_party: packages that are the project's own.
        known_third_party: packages that are not, wherever they stand.
        line_length: the longest import; None for that of all other lines.
        from_first: in each section `from` comes before `import`.
        single_line_exclusions: modules that `force_single_line` leaves alone.
        lines_between_types: blank lines between `import` and `from`.
    """

    known_first_party: frozenset[str] = frozenset()
    known_third_party: frozenset[str] = frozenset()
    line_length: int | None = None
    case_sensitive: bool = False
    combine_as_imports: bool = False
    force_single_line: bool = False
    force_sort_within_sections: bool = False
    from_first: bool = False
    order_by_type: bool = True
    single_line_exclusions: frozenset[str] = frozenset()
    lines_between_types: int = 0


@dataclass(frozen=True)
class Style:
    """How a project writes.

    Args:
        line_length: the longest line; None where nothing says that.
        python: the oldest Python that it runs on, None where nothing says that.
        upgrades: it asks for the newest spelling that its Python has.
        sorting: the order of its imports.
        spelling: what the user asked for.
    """

    line_length: int | None = None
    python: tuple[int, int] | None = None
    upgrades: bool = False
    sorting: Sorting = field(default_factory=Sorting)
    spelling: Spelling = Spelling.AUTO


PLAIN = Style()  # that of a project which says nothing
