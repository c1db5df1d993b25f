"""Mends: changes of code, not of annotations, that make the compiler accept code as Python runs it already."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Owner, Place


class MendKind(enum.Enum):
    """The promise of a mend for Python.

    EXACT: Python behaves as before by construction. FROZEN: it does for the configuration of the observed instances;
    `__init__` asserts that configuration if it can differ. SCRIPTED: Python does not change at all; code that is left
    out raises in the scripted model.
    """

    EXACT = "exact"
    FROZEN = "frozen"
    SCRIPTED = "scripted"


class MendLevel(enum.Enum):
    """The mends that may be made: mends that keep Python's behaviour; frozen ones too; all."""

    EXACT = "exact"
    FROZEN = "frozen"
    ALL = "all"

    @property
    def kinds(self) -> tuple[MendKind, ...]:
        return tuple(MendKind)[: tuple(MendLevel).index(self) + 1]


def level_of(mends: Iterable[Mend]) -> MendLevel:
    kinds = {mend.kind for mend in mends}
    return next(level for level in MendLevel if kinds <= set(level.kinds))


@dataclass(frozen=True)
class Mend:
    """One change of code."""

    rewrite: str  # the name of the rewrite that makes it, a row of the table in `mends`
    kind: MendKind  # its promise
    owner: Owner  # the changed function or class, in the file as it was before this mend
    place: Place  # the place in that file
    summary: str  # the change in one line, code in backquotes
    edits: Mapping[str, tuple[Edit, ...]]  # the edits by file; no edit of a mend overlaps another
    # By file, the dotted names that the new code needs, such as "torch" or "typing.NamedTuple", as
    # `FunctionContext.spell` returns them.
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    because: str = ""  # the compiler's message that asked for it
    left_out: str = ""  # the code that now raises in the scripted model; "" if there is none


@dataclass(frozen=True)
class HeldValue:
    """A value that an attribute of a module held."""

    type: str  # the dotted name of its class: "builtins.int", "torch.nn.modules.linear.Linear"
    literal: str = ""  # the value as source text if it is None, a bool, a number or a str; otherwise ""
    # For a function or class, the dotted name that imports this very object; for the first parameter or buffer of a
    # module, its name there; otherwise "".
    name: str = ""
    # Of a lambda that reads no variables of a function around it: its file, and the line and column of its body.
    place: tuple[str, tuple[int, int]] | None = None
    length: int = -1  # the length of a list, tuple, dict or container of modules; otherwise -1
    items: tuple[str, ...] = ()  # the distinct `type`s of its elements, or of the values of a dict or container
    keys: tuple[str, ...] = ()  # the keys of a dict, if all of them are names
    always_true: bool = False  # no object of its class is ever false: the class has neither a length nor a truth value
    immutable: bool = False  # its fields cannot be set: it is a named tuple or a frozen dataclass
    is_module: bool = False  # it is a torch module of any class
    # It is a torch module that answers the same in every mode and call: it has neither parameters nor buffers, and no
    # method reads its mode or sets an attribute.
    stateless: bool = False


@dataclass(frozen=True)
class Held:
    """The values of one attribute in all of the target's modules of a class or its subclasses."""

    # The distinct values, in order of appearance, after construction and between calls.
    values: tuple[HeldValue, ...] = ()
    lacking: bool = False  # a module of the class has no such attribute
    changes: bool = False  # a call changed it in some module
    late: bool = False  # a call set it first in some module

    @property
    def literal(self) -> str:
        """The plain value that all modules hold all the time, as source text; "" if there is no such value."""
        one = len(self.values) == 1 and not (self.lacking or self.changes or self.late)
        return self.values[0].literal if one else ""

    def __or__(self, other: Held) -> Held:
        return Held(*map(_join, vars(self).values(), vars(other).values()))


@dataclass(frozen=True)
class Variadic:
    """The arguments that callers passed to a function beyond its named parameters."""

    positional: int = 0  # the largest number of values that `*args` took
    names: tuple[str, ...] = ()  # the names that `**kwargs` took, in order of appearance
    fewest: int = 0  # the smallest number of them

    def __or__(self, other: Variadic) -> Variadic:
        names = tuple(dict.fromkeys((*self.names, *other.names)))
        return Variadic(max(self.positional, other.positional), names, min(self.fewest, other.fewest))


@dataclass(frozen=True)
class LiveFacts:
    """Facts other than types that building and calling the targets showed."""

    # The values of each attribute, by file and qualified name of a class of modules; also the first parameter and
    # buffer, by "parameters()", "layer.buffers()" and the like, and the paths of the layers in a list or dict, by
    # "layers[]": ".conv1 .levels[0].conv", with their indices or keys as source text. So are the layers in a field of
    # a plain object, by "solver[net]"; "." is the module itself.
    held: Mapping[tuple[str, str], Mapping[str, Held]] = field(default_factory=dict)
    # The arguments that `*args` and `**kwargs` took, by file and qualified name of an entered function.
    variadic: Mapping[tuple[str, str], Variadic] = field(default_factory=dict)
    # The distinct values of each expression, by its text as `ast.unparse` writes it, in the body of an entered
    # function. The description of one of many values has neither its literal nor its items.
    expressions: Mapping[tuple[str, str], Mapping[str, tuple[HeldValue, ...]]] = field(default_factory=dict)

    def __or__(self, other: LiveFacts) -> LiveFacts:
        return LiveFacts(*map(_join, vars(self).values(), vars(other).values()))


NO_FACTS = LiveFacts()


def _join(one: Any, other: Any) -> Any:
    """Join the facts of two targets: mappings key by key, and tuples without repeated values."""
    if isinstance(one, tuple):
        return tuple(dict.fromkeys((*one, *other)))
    if isinstance(one, Mapping):
        return {**one, **{key: _join(one[key], value) if key in one else value for key, value in other.items()}}
    return one | other
