"""The places that can carry an annotation, with the types observed and chosen for them, and the findings there."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import CodeType

from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.types import TypeExpr


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

    @classmethod
    def of(cls, code: CodeType) -> Owner:
        return cls(code.co_filename, code.co_qualname, code.co_firstlineno)


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
