"""What to do about a fault: what its message asks for, else the catalogue's advice, and what fits this part besides.

A test follows each advice as it is said, and then the message is gone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import DEFAULT, PUT, TOLIST, UNDEFINED, CompilerMessage, telling_line
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure, Fault, Part

NEEDS_OTHER_CODE = frozenset(
    ("PDT001", "PDT002", "PDT004", "PDT005", "PDT006", "PDT010", "PDT011", "PDT012", "PDT015", "PDT019", "PDT056")
)
"""Faults that no annotation mends; the code itself is at fault."""

OF_SIGNATURES = frozenset(("PDT001", "PDT002", "PDT008", "PDT010", "PDT011", "PDT012", "PDT013", "PDT014", "PDT015"))
"""Faults that stay where a function is left out, because its signature is read."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef

UNUSED = "@torch.jit.unused leaves it out (with its return annotated, if that is no Tensor)"
GUARDED = "a call under `if not torch.jit.is_scripting():` is left out"

UNMANGLED = "Begin its name with one underscore: Python gives a name with two another name in the object."

HINTS: tuple[tuple[str, CompilerMessage, str], ...] = (
    (
        "PDT003",
        CompilerMessage(r"is not defined in the (?:true|false) branch"),
        "Give the name a value before the branch, or in both.",
    ),
    (
        "PDT004",
        CompilerMessage(r"infer the expected size of a list"),
        "Take the parts by index or slice: `n, rest = x.shape[0], x.shape[1:]`; join lists, as in "
        "`x.view(list(x.shape[:-1]) + [1])`; where the code says `tuple(a)`, the list `a` serves.",
    ),
    (
        "PDT004",
        CompilerMessage(r"^Lambda aren't supported"),
        "Write what it computes in its place, or a `def` at the top of the file; instead of `map`, a comprehension.",
    ),
    (
        "PDT004",
        CompilerMessage(r"keyword-arg expansion is not"),
        "Name the arguments in the call: `f(x, scale=scale)`.",
    ),
    ("PDT004", CompilerMessage(r"^Comprehension ifs"), "Write a loop with an `if` that appends to an annotated list."),
    ("PDT004", CompilerMessage(r"^Set(?:Comp)? aren't supported"), "Use a list or a tuple."),
    ("PDT004", CompilerMessage(r"^import statements aren't"), "Import at the top of the file."),
    (
        "PDT004",
        CompilerMessage(r"^function definitions aren't"),
        "Move it to the top of the file; what it takes from around it becomes a parameter.",
    ),
    ("PDT004", CompilerMessage(r"in JoinedStr"), "Leave `!r` and what follows a colon out of the f-string."),
    ("PDT004", CompilerMessage(r"^Dict expansion"), "Copy one dict (`dict(a)`), and `update` it with the other."),
    (
        "PDT004",
        CompilerMessage(r"Cannot instantiate class|does not have an __init__"),
        "Call the function (`F.relu(x)` for `nn.ReLU()(x)`), or make the layer in `__init__`.",
    ),
    (
        "PDT004",
        CompilerMessage(r"^Python exception cannot be used as a value"),
        "Leave the class out, as in `warnings.warn(text)`: TorchScript can do nothing with it but raise it.",
    ),
    (
        "PDT004",
        CompilerMessage(r"^(?:builtin|function) cannot be used as a value"),
        "Call the functions in an `if` and its `else`.",
    ),
    (
        "PDT019",
        CompilerMessage(r"defined as a class attribute"),
        "Set it in `__init__`, so that each object has it.",
    ),
    (
        "PDT019",
        CompilerMessage(r"^'Tensor' object"),
        "`super()` is not known: call what the parent's method does (`F.layer_norm(…)` for a LayerNorm), or move it to "
        "a method of another name, which both call.",
    ),
    (
        "PDT040",
        CompilerMessage(r"\A(?:Keyword argument \w+ unknown|Expected at most|Argument \w+ not provided)"),
        "Call it as the signature in the message has it: with its names, all that lack a default, and no more.",
    ),
    ("PDT040", PUT, "Without annotation an empty list or dict is one of Tensors: write `a: List[int] = []`."),
    (
        "PDT040",
        CompilerMessage(r"aten::__getitem__[^\n]*\n\s*Could not match type Dict\[str, Tensor\] to List"),
        "Without annotation an empty dict is from str to Tensor: write `a: Dict[int, Tensor] = {}`, in an assignment "
        "of its own.",
    ),
    ("PDT041", TOLIST, "Write `a: List[int] = t.tolist()`."),
    (
        "PDT041",
        CompilerMessage(r"^Type mismatch: "),
        "Let both branches give one type: `torch.tensor(1.0)` beside a Tensor, `1.0` beside a float.",
    ),
    (
        "PDT041",
        CompilerMessage(r"annotated assignments without assigned value"),
        "Drop the line, or give the name a value there.",
    ),
    ("PDT042", CompilerMessage(r"^if-expression's"), "Let both sides give one type."),
    ("PDT042", CompilerMessage(r"does not return along all paths"), "End the function with a `return` or a `raise`."),
    ("PDT043", CompilerMessage(r"no attribute '__\w*[a-z0-9]'"), UNMANGLED),
    ("PDT044", CompilerMessage(r"nonexistent attribute: __\w*[a-z0-9]\b"), UNMANGLED),
    (
        "PDT043",
        CompilerMessage(r"has no attribute '\w+'(?! \(This)"),
        "Set it in `__init__` whatever the configuration, to None where it is not needed, and test `is not None`; "
        "write `K: Final[int] = 3` for a constant of the class.",
    ),
    (
        "PDT043",
        CompilerMessage(r"failed to convert Python type: '(?!list|dict|tuple|NoneType)"),
        "Keep what the compiled code reads of it in attributes of their own: `self.width = config.width` in "
        "`__init__`.",
    ),
    (
        "PDT045",
        CompilerMessage(r"Could not cast value of type Optional"),
        "Say which is meant: `if y is not None`, and `y if y is not None else z` for `y or z`; copy an attribute to a "
        "local first.",
    ),
    (
        "PDT050",
        CompilerMessage(r"^module cannot be used as a tuple"),
        "Unpack by literal index: `for pair in self.layers: x = pair[1](pair[0](x))`.",
    ),
    (
        "PDT051",
        CompilerMessage(r"object has no attribute '__name__'"),
        "A hook must be a function. Bake `weight_norm` and `spectral_norm` into the weights before scripting "
        "(`remove_weight_norm`, `remove_spectral_norm`): scripted, those of `torch.nn.utils.parametrizations` raise.",
    ),
    (
        "PDT054",
        CompilerMessage(r"^Could not cast value of type .* to bool"),
        "Write the comparison that is meant: `is not None`, `len(a) > 0`, `a != 0`.",
    ),
    (
        "PDT054",
        CompilerMessage(r"cannot call a value of type 'NoneType'"),
        "Call it under `if self.act is not None:`; the compiler drops the branch where it is None.",
    ),
    (
        "PDT054",
        CompilerMessage(r"^'Tuple\[.*' object has no attribute"),
        "To the compiler a NamedTuple in an attribute is a plain tuple. Keep the fields that are read in attributes of "
        "their own (`self.width = config.width` in `__init__`).",
    ),
    (
        "PDT056",
        CompilerMessage(r"^namedtuple of collections"),
        "Write a class of `typing.NamedTuple` at the top of the file, its fields annotated.",
    ),
)
"""By code, what a message asks for where the catalogue says it in general; the first that is found."""

DIFFERENCES: tuple[tuple[str, CompilerMessage, str], ...] = (
    (
        "PDT060",
        CompilerMessage(r"of type bool [^\n]* when scripted, int in eager mode"),
        "To TorchScript a bool is no int: `isinstance(True, int)` is False there. Ask for bool first: "
        "`if isinstance(x, bool): x = int(x)`, or a branch of its own.",
    ),
)
"""The same for what the answers differ in."""


def remedies(
    fault: Fault,
    part: Part,
    definition: Definition | None,
    *,
    is_entered: bool,
    seen: Mapping[str, TypeExpr] = MappingProxyType({}),
) -> tuple[str, ...]:
    """What to do: about this kind of fault, then what else this part allows.

    Args:
        definition: the function in which the fault lies, where that is known.
        is_entered: an example call entered that function.
        seen: by parameter of it, the type of what the examples pass.
    """
    first = _undefined(fault, definition) or _default(fault, definition, seen) or advice(fault.code, fault.failure)
    return (first, *_further(fault, part, definition, is_entered))


def advice(code: str, failure: Failure) -> str:
    """What a message, or the line in it that tells, asks for; else what the catalogue says."""
    texts = (telling_line(failure), failure.message.strip())
    hints = (hint for each, said, hint in (*HINTS, *DIFFERENCES) if code == each and any(map(said.is_in, texts)))
    return next(hints, catalogue.entry(code).advice)


def _further(fault: Fault, part: Part, definition: Definition | None, is_entered: bool) -> Iterator[str]:
    if fault.owner is not None and not is_entered:
        arguments = definition.args if definition else None
        is_plain = arguments and not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs)
        way = UNUSED if is_plain and fault.code not in OF_SIGNATURES else GUARDED
        yield f"No example call enters {fault.owner.qualname}: {way}, if the scripted model can do without."
    if part.traces and fault.code in NEEDS_OTHER_CODE:
        calls = "its recorded call" if part.calls == 1 else f"its {part.calls} recorded calls"
        yield f"Or trace this module, if it has no branch on data: torch.jit.trace answers alike on {calls}."


def _undefined(fault: Fault, definition: Definition | None) -> str:
    """What to do about a name without a value, by what the function does with it; "" where that is not the fault."""
    facts = UNDEFINED.read(fault.failure.message)
    if facts is None or definition is None:
        return ""
    name = facts["name"]
    if any(argument.arg == name for argument in definition.args.posonlyargs):
        return "Remove the `/`: the compiler drops the parameters before it."
    branches = [node for node in ast.walk(definition) if isinstance(node, ast.If)]
    if any(_sets(branch.body, name) and _sets(branch.orelse, name) for branch in branches):
        return f"A branch cannot choose a function, class, slice or range: write in each what is done with `{name}`."
    if _sets(definition.body, name):
        return f"Give `{name}` a value before the loop, or in every branch."
    return f"Import `{name}`, or define it, at the top of the file: the compiler finds no such name there."


def _default(fault: Fault, definition: Definition | None, seen: Mapping[str, TypeExpr]) -> str:
    """Which type lets a default fit: the one that was seen, or the default's; "" where that is not the fault."""
    facts = DEFAULT.read(fault.failure.message)
    wanted = facts.type("wanted") if facts else None
    if facts is None or wanted is None or definition is None:
        return ""
    name = facts["name"]
    default = _type_of_default(definition.args, name)
    if default == NONE and not facts.is_inferred("wanted"):
        return f"Annotate it `{name}: Optional[{wanted}]`, so that the default fits."
    known = seen.get(name, default)
    if known is None or default not in (None, known):
        return ""
    why = "that is what the examples pass" if name in seen else "that is what it is"
    return f"Annotate it `{name}: {known}`, so that the default fits: {why}."


def _type_of_default(arguments: ast.arguments, name: str) -> TypeExpr | None:
    """The type of a parameter's default; None where it has none, or is no literal."""
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    names = (*with_default, *arguments.kwonlyargs)
    pairs = zip(names, (*arguments.defaults, *arguments.kw_defaults), strict=True)
    default = next((default for argument, default in pairs if argument.arg == name), None)
    if not isinstance(default, ast.Constant):
        return None
    return NONE if default.value is None else TypeExpr(type(default.value).__name__)


def _sets(body: list[ast.stmt], name: str) -> bool:
    nodes = (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name))
    return any(node.id == name and isinstance(node.ctx, ast.Store) for node in nodes)
