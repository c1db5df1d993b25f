"""Classes that TorchScript does not know, and classes by kind: NamedTuples, enums, dataclasses and the user's own."""

from collections.abc import Mapping
from dataclasses import replace

from pdt_annotate.choose.legalize.containers import KEYS, as_tuple
from pdt_annotate.choose.legalize.rule_context import Context, LegalOrNot
from pdt_annotate.values.slots import ClassKind, Illegal, Legal
from pdt_annotate.values.types import TENSOR, TypeExpr

# Generics that a field may be annotated with, and how many arguments each needs (None: any number).
ARITY = {"Union": None, "tuple": None, "Optional": 1, "list": 1, "dict": 2}
PLAIN = KEYS | {"None", "torch.Generator", "torch.Stream"}
VALUES = ("int", "float", "str")

REASONS: Mapping[str, str] = {
    "PDT010": "a function cannot be passed as a value in TorchScript",
    "PDT011": "TorchScript has no set type",
    "PDT012": "TorchScript supports tensors, but not numpy arrays",
    "PDT014": "TorchScript has no bytes type",
    "PDT015": "TorchScript has no type for {type} values",
}

FUNCTIONS = ("Callable", "function", "functools.partial", "torch._C.ScriptMethod")
SCRIPTED = ("torch._C.ScriptFunction", "torch.jit.ScriptFunction", "torch.jit.torch.jit.ScriptFunction")
DATES = ("datetime.date", "datetime.timedelta", "decimal.Decimal")
OTHERS = ("Any", "BaseException", "ellipsis", "generator", "object", "pathlib.PurePath", "range", "slice", "type")

# The code by the name of the class or of one of its bases. A type that no rule knows ends as PDT015 all the same.
CODES: Mapping[str, str] = {
    **dict.fromkeys((*FUNCTIONS, *SCRIPTED), "PDT010"),
    **dict.fromkeys(("set", "frozenset"), "PDT011"),
    "numpy.ndarray": "PDT012",
    **dict.fromkeys(("bytes", "bytearray", "memoryview"), "PDT014"),
    **dict.fromkeys((*DATES, *OTHERS), "PDT015"),
}


def legalize_module(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An nn.Module -> illegal, except as the target or as a submodule.

    A `torch.jit.interface` type could replace it, but only its author knows its methods.
    """
    if not type.inherits("torch.nn.modules.module.Module"):
        return None
    return Illegal("PDT013", type, "a module cannot be passed to or returned from TorchScript code")


def legalize_refused(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Callable, set, ndarray, bytes, slice and similar -> illegal: TorchScript has no such type."""
    code = next((CODES[name] for name in (type.name, *type.bases) if name in CODES), None)
    return Illegal(code, type, REASONS[code].format(type=type)) if code else None


def legalize_unnameable(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A class made inside a function -> illegal: no annotation in a file can name it. `script()` names it in memory.

    The compiler looks names up in the function's globals ("Unknown type name").
    """
    info = context.classes.get(type.name)
    if info is None or info.importable:
        return None
    return Illegal("PDT017", type, f"{info.qualname} is not defined at module level, so an annotation cannot name it")


def legalize_namedtuple(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A NamedTuple class -> its name; a collections.namedtuple class, whose fields have no types -> Tuple[...].

    One field with a type that TorchScript does not know makes the whole class illegal, whatever the field held.
    """
    info = context.classes.get(type.name)
    if info is None or info.kind is not ClassKind.NAMEDTUPLE:
        return as_tuple(type, context) if "tuple" in type.bases else None
    if any(field is None for _, field in info.fields):
        # TorchScript takes an untyped field for a Tensor.
        plain = as_tuple(type, context)
        if isinstance(plain, Illegal) or any(arg != TENSOR for arg in plain.type.args):
            return plain
        return Legal(TypeExpr(type.name), alternatives=(plain.type,))
    # A NamedTuple that mentions itself has no TorchScript type, so its own name is unknown in its fields.
    others = {name: each for name, each in context.classes.items() if name != info.name}
    for name, field in info.fields:
        if field is not None and not is_writable(field, replace(context, classes=others)):
            reason = f"its field {name!r} has the annotation {field}, which TorchScript does not support"
            return Illegal("PDT022", type, reason)
    return Legal(TypeExpr(type.name))


def is_writable(type: TypeExpr, context: Context) -> bool:
    """Whether an annotation by the user is legal without translation."""
    if type.name in ARITY:
        fits = ARITY[type.name] in (None, len(type.args))
        keyed = type.name != "dict" or (fits and type.args[0].name in KEYS)
        return fits and keyed and all(is_writable(arg, context) for arg in type.args)
    if type.name in PLAIN or type.inherits(TENSOR.name):
        return True
    return type.name in context.classes and isinstance(context.legalize(type), Legal)


def legalize_enum(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An Enum class -> its name, if all its values are int, or all float, or all str.

    An IntEnum may also go as int, and must if the code does arithmetic with it.
    """
    info = context.classes.get(type.name)
    if info is None or info.kind is not ClassKind.ENUM:
        return None
    values = {field.name for _, field in info.fields if field is not None}
    if len(values) != 1 or not values <= set(VALUES):
        seen = ", ".join(sorted(values)) or "nothing"
        reason = f"its values are {seen}; in TorchScript they must all be int, all float or all str"
        return Illegal("PDT021", type, reason)
    return Legal(TypeExpr(type.name), alternatives=tuple(TypeExpr(name) for name in VALUES if name in info.bases))


def legalize_dataclass(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A dataclass -> its name, if it is compiled at import.

    The compiler finds the source of a generated __init__ only while the decorator runs.
    """
    info = context.classes.get(type.name)
    if info is None or info.kind is not ClassKind.DATACLASS:
        return None
    if info.scripted:
        return Legal(TypeExpr(type.name))
    return Illegal("PDT018", type, f"the dataclass {info.qualname} is not decorated with @torch.jit.script")


def legalize_user_class(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Your own class -> its name, if it has no base class; any other value -> illegal."""
    info = context.classes.get(type.name)
    if info is None or info.kind is not ClassKind.PLAIN:
        return Illegal("PDT015", type, REASONS["PDT015"].format(type=type))
    if info.scripted or not info.bases:
        return Legal(TypeExpr(type.name))
    reason = f"{info.qualname} inherits from {info.bases[0]}, but TorchScript classes have no inheritance"
    return Illegal("PDT019", type, reason)
