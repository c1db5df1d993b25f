"""Places in files; the slots that can carry an annotation, with their observed and chosen types; and findings."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType

from pdt_annotate.values.printable import one_line
from pdt_annotate.values.types import TypeExpr


@dataclass(frozen=True, order=True)
class Place:
    """A file, with a line and a column in characters, both from 1; 0 if not known."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """ "dir/model.py:12:5", as compilers and linters write it; terminals and editors make it a link."""
        known = (self.line, self.column) if self.line and self.column else filter(None, [self.line])
        return ":".join((one_line(self.file), *map(str, known))) if self.file else ""

    @property
    def whole_line(self) -> Place:
        return replace(self, column=0)

    def named(self, file: str) -> Place:
        """The same place under another name of its file, such as its path from a directory."""
        return replace(self, file=file)


NO_PLACE = Place()


AT_LINE = re.compile(r"line (\d+),? column (\d+)")  # in messages of `json` and `tomllib`


def place_of_error(file: str, error: Exception) -> Place:
    """The place of a parse error in a file; only the file if the error has no line."""
    if isinstance(error, SyntaxError):
        return Place(file, error.lineno or 0, max(error.offset or 0, 0))
    found = AT_LINE.search(str(error))
    return Place(file, int(found[1]), int(found[2])) if found else Place(file)


def column_at(line: str, offset: int) -> int:
    """The column of a byte of a line: syntax trees and the compiler count the bytes of UTF-8.

    >>> column_at('ä = "ö" + x', 12)
    11
    """
    return 1 + len(line.encode()[:offset].decode(errors="ignore"))


class SlotKind(enum.Enum):
    """The kinds of places for an annotation."""

    PARAMETER = "parameter"
    RETURN = "return"
    LOCAL = "local"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, order=True)
class Owner:
    """The function (or, for an attribute, the class) that a slot belongs to: absolute file, qualified name, first line.

    The line is the code object's `co_firstlineno`: the first decorator's if there is one (for a class too).
    """

    file: str
    qualname: str
    line: int

    @property
    def name(self) -> tuple[str, str]:
        """Its name in its file, which stays when lines move."""
        return self.file, self.qualname

    @classmethod
    def of(cls, code: CodeType) -> Owner:
        return cls(code.co_filename, code.co_qualname, code.co_firstlineno)

    def parameter(self, name: str) -> Slot:
        return Slot(self, SlotKind.PARAMETER, name)

    @property
    def returned(self) -> Slot:
        return Slot(self, SlotKind.RETURN, "return")


@dataclass(frozen=True)
class Slot:
    """One place that can carry an annotation. A return is named "return"; a local knows the line of its assignment."""

    owner: Owner
    kind: SlotKind
    name: str
    line: int = 0

    @property
    def sort_key(self) -> tuple[str, int, str, str, int]:
        return (self.owner.file, self.owner.line, self.owner.qualname, self.kind.value, self.line)


@dataclass(frozen=True)
class Observation:
    """A type seen at a slot: how often, and in which example calls (their names, in order)."""

    slot: Slot
    type: TypeExpr
    count: int = 1
    calls: tuple[str, ...] = ()


class ClassKind(enum.Enum):
    """The kinds of class that TorchScript distinguishes."""

    ENUM = "enum"
    NAMEDTUPLE = "namedtuple"
    DATACLASS = "dataclass"
    MODULE = "module"
    PLAIN = "plain"


@dataclass(frozen=True)
class ClassInfo:
    """The facts about an observed class that rules need, without the live class."""

    name: str
    module: str
    qualname: str
    kind: ClassKind
    file: str | None = None
    line: int = 0
    # The annotated fields of a NamedTuple or dataclass in order (None: not annotated); for an Enum, one entry per
    # member with the type of its value.
    fields: tuple[tuple[str, TypeExpr | None], ...] = ()
    bases: tuple[str, ...] = ()
    importable: bool = True  # false for a class made inside a function
    scripted: bool = False  # it was compiled at import (`@torch.jit.script`)


Seen = Mapping[Slot, Sequence[Observation]]
Classes = Mapping[str, ClassInfo]  # by dotted name


class Origin(enum.Enum):
    """The source of an annotation, from the strongest evidence to the weakest. A person's edit needs no evidence."""

    EDITED = "edited"
    OBSERVED = "observed"
    SOURCE = "source"
    REPAIR = "repair"
    GUESS = "guess"


@dataclass(frozen=True)
class Annotation:
    """A legal type in a slot, with the rules that made it, the observations for it, and its legal neighbours."""

    slot: Slot
    type: TypeExpr
    origin: Origin = Origin.OBSERVED
    rules: tuple[str, ...] = ()
    evidence: tuple[Observation, ...] = ()
    alternatives: tuple[TypeExpr, ...] = ()  # in order of preference
    because: str = ""  # for a repair, the compiler's message that asked for it
    final: bool = False  # it wraps an attribute's type in `Final`

    @property
    def written(self) -> TypeExpr:
        return TypeExpr("Final", (self.type,)) if self.final else self.type


class Severity(enum.Enum):
    """The severity of a message, the most severe first, by SARIF's names."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """Something the user must know or do. `code` is an entry of the catalogue; the message is about this place."""

    code: str
    message: str
    place: Place = NO_PLACE
    slot: Slot | None = None


@dataclass(frozen=True)
class Legal:
    """A type that TorchScript accepts, the rules that made it, and its neighbours in order of preference."""

    type: TypeExpr
    rules: tuple[str, ...] = ()
    alternatives: tuple[TypeExpr, ...] = ()
    guess: bool = False


@dataclass(frozen=True)
class Illegal:
    """No legal type exists: the finding's code, the part of the type that has no legal form, and why."""

    code: str
    type: TypeExpr
    reason: str
