"""Mends: changes of code, not of annotations, with which the compiler accepts what Python does already."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner


class MendKind(enum.Enum):
    """What a mend promises of Python.

    EXACT: it behaves as before by construction. FROZEN: it behaves so for the configuration that the observed instances
    have, which `__init__` asserts where it can be otherwise. SCRIPTED: Python does not change at all; what is left out
    raises in the scripted model.
    """

    EXACT = "exact"
    FROZEN = "frozen"
    SCRIPTED = "scripted"


class MendLevel(enum.Enum):
    """Which mends may be made: those that keep Python as it is; frozen ones, too; all."""

    EXACT = "exact"
    FROZEN = "frozen"
    ALL = "all"

    @property
    def kinds(self) -> tuple[MendKind, ...]:
        """What they promise."""
        return tuple(MendKind)[: tuple(MendLevel).index(self) + 1]


def level_of(mends: Iterable[Mend]) -> MendLevel:
    """The least level that allows the mends."""
    kinds = {mend.kind for mend in mends}
    return next(level for level in MendLevel if kinds <= set(level.kinds))


@dataclass(frozen=True)
class Mend:
    """One change of code.

    Args:
        rewrite: the name of the rewrite that makes it, a row of the table in `search/mend`.
        kind: what it promises.
        owner: the function or class that is changed, in the file as it stood before this mend.
        place: where in that file.
        summary: what is done, in one line, code in backquotes.
        edits: by file, what is changed; no edit of a mend overlaps another.
        imports: by file, the dotted names that the new code needs, "torch" or "typing.NamedTuple": as
            `search.mend.site.Site.spell` gives them.
        because: the message of the compiler that asked for it.
        left_out: what raises in the scripted model from now on; "" where nothing does.
    """

    rewrite: str
    kind: MendKind
    owner: Owner
    place: Place
    summary: str
    edits: Mapping[str, tuple[Edit, ...]]
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    because: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class HeldValue:
    """A value that an attribute of a module held.

    Args:
        type: the dotted name of its class: "builtins.int", "torch.nn.modules.linear.Linear".
        literal: the value as source text where it is None, a bool, a number or a str; else "".
        name: the dotted name that gives the same object when imported, of a function or class; else "".
        length: of a list, tuple, dict or container of modules; else -1.
        items: the distinct `type`s of its elements, or of the values of a dict or container.
        is_module: it is a module of torch, of whatever class.
        immutable: it has fields that none can set: a named tuple, a frozen dataclass.
        always_true: no object of its class is ever false: it has neither a length nor a truth of its own.
    """

    type: str
    literal: str = ""
    name: str = ""
    length: int = -1
    items: tuple[str, ...] = ()
    always_true: bool = False
    immutable: bool = False
    is_module: bool = False


@dataclass(frozen=True)
class Held:
    """What one attribute held in all modules of a class and of its subclasses that the target has.

    Args:
        values: the distinct ones, in order of appearance, after construction and between calls.
        lacking: a module of the class has no such attribute.
        changes: a call changed it in some module.
    """

    values: tuple[HeldValue, ...] = ()
    lacking: bool = False
    changes: bool = False

    @property
    def literal(self) -> str:
        """The one plain value that all modules hold as long as they live, as source text; "" where there is none."""
        one = len(self.values) == 1 and not (self.lacking or self.changes)
        return self.values[0].literal if one else ""

    def __or__(self, other: Held) -> Held:
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        return Held(values, self.lacking or other.lacking, self.changes or other.changes)


@dataclass(frozen=True)
class Variadic:
    """What callers passed to a function beyond its named parameters.

    Args:
        positional: the most values that `*args` took.
        names: the names that `**kwargs` took, in order of appearance.
    """

    positional: int = 0
    names: tuple[str, ...] = ()

    def __or__(self, other: Variadic) -> Variadic:
        """What two calls passed."""
        return Variadic(max(self.positional, other.positional), tuple(dict.fromkeys((*self.names, *other.names))))


@dataclass(frozen=True)
class LiveFacts:
    """What building and calling the targets showed beside types.

    Args:
        held: by file and qualified name of a class of modules, what each attribute held.
        variadic: by file and qualified name, what `*args` and `**kwargs` of a function took, of each that was entered.
    """

    held: Mapping[tuple[str, str], Mapping[str, Held]] = field(default_factory=dict)
    variadic: Mapping[tuple[str, str], Variadic] = field(default_factory=dict)

    def __or__(self, other: LiveFacts) -> LiveFacts:
        """What two targets showed."""
        classes = {cls: dict(attributes) for cls, attributes in self.held.items()}
        for cls, attributes in other.held.items():
            mine = classes.setdefault(cls, {})
            for name, held in attributes.items():
                mine[name] = mine[name] | held if name in mine else held
        variadic = dict(self.variadic)
        for function, new in other.variadic.items():
            variadic[function] = variadic.get(function, Variadic()) | new
        return LiveFacts(classes, variadic)


NO_FACTS = LiveFacts()
