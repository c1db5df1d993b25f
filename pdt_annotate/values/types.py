"""Types as plain data."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, order=True)
class TypeExpr:
    """A type as data: a dotted name, its arguments, and the dotted names of the classes it inherits from.

    Builtins are bare ("int", "list"); `NoneType` is "None"; every other class is "module.qualname" as Python reports
    it ("torch.Tensor", "torch.nn.parameter.Parameter", "shapes.Box"). "Union", "Optional", "Any" and "Callable" are
    typing's. A list, dict, set or deque without arguments was *empty* when seen, which is not `Any`; a tuple
    without arguments is the empty tuple. A namedtuple class carries the observed types of its fields as arguments.

    `bases` are the dotted names of the MRO, nearest first, without the class itself and `object`; builtins have none.
    Comparison ignores them.
    """

    name: str
    args: "tuple[TypeExpr, ...]" = ()
    bases: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.spell(short_name)

    def spell(self, name: Any) -> str:
        """The type as source text; `name(dotted)` is the spelling of a class."""
        if self.name == "tuple" and not self.args:
            return f"{name('tuple')}[()]"
        if not self.args:
            return str(name(self.name))
        return f"{name(self.name)}[{', '.join(arg.spell(name) for arg in self.args)}]"

    def inherits(self, *dotted: str) -> bool:
        return self.name in dotted or any(base in dotted for base in self.bases)

    @property
    def members(self) -> "tuple[TypeExpr, ...]":
        """The members of a Union or Optional, however deep; any other type is its own."""
        if self.name not in ("Union", "Optional"):
            return (self,)
        inner = (member for arg in self.args for member in arg.members)
        return (*inner, NONE) if self.name == "Optional" else tuple(inner)

    @property
    def names(self) -> dict[str, None]:
        """The names of all classes in the type, outermost first."""
        return dict.fromkeys((self.name, *(name for arg in self.args for name in arg.names)))


TYPING_NAMES = {"list": "List", "dict": "Dict", "tuple": "Tuple", "set": "Set", "frozenset": "FrozenSet"}

NONE = TypeExpr("None")
TENSOR = TypeExpr("torch.Tensor")
ANY = TypeExpr("Any")
INT, FLOAT, BOOL, STR, DEVICE = (TypeExpr(name) for name in ("int", "float", "bool", "str", "torch.device"))


def short_name(dotted: str) -> str:
    """The name of a class in messages: "List" for "list", "Tensor" for "torch.Tensor"."""
    return TYPING_NAMES.get(dotted) or dotted.rpartition(".")[2]


def union(*members: TypeExpr) -> TypeExpr:
    """The union of the members, flattened and without repeats, in order of appearance; one member stays itself."""
    flat = dict.fromkeys(inner for member in members for inner in member.members)
    return next(iter(flat)) if len(flat) == 1 else TypeExpr("Union", tuple(flat))
