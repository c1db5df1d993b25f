"""A project's style of Python, as far as its configuration says."""

from __future__ import annotations  # `read_style` reads the types of the fields as text

import enum
from dataclasses import dataclass, field


class Spelling(enum.Enum):
    """The spelling of containers and unions: `List[int]` and `Optional[int]`, `list[int]` and `int | None`, or by the
    project's Python and style."""

    AUTO = "auto"
    TYPING = "typing"
    MODERN = "modern"


@dataclass(frozen=True)
class Sorting:
    """The order of imports, with isort's names for the settings."""

    known_first_party: frozenset[str] = frozenset()  # the project's own packages
    known_third_party: frozenset[str] = frozenset()  # third-party packages, even if their files are in the project
    line_length: int | None = None  # the longest import; None for the `line_length` of all other lines
    case_sensitive: bool = False
    combine_as_imports: bool = False
    force_single_line: bool = False
    force_sort_within_sections: bool = False
    from_first: bool = False  # in each section `from` comes before `import`
    order_by_type: bool = True
    single_line_exclusions: frozenset[str] = frozenset()  # modules that `force_single_line` leaves alone
    lines_between_types: int = 0  # the number of blank lines between `import` and `from`


@dataclass(frozen=True)
class Style:
    line_length: int | None = None  # the longest line; None if no configuration says that
    python: tuple[int, int] | None = None  # the oldest Python that it supports; None if no configuration says that
    upgrades: bool = False  # it asks for the newest spelling that its Python has
    sorting: Sorting = field(default_factory=Sorting)  # the order of its imports
    spelling: Spelling = Spelling.AUTO  # the user's choice


PLAIN = Style()  # the style of a project without configuration
