"""Words of Python, torch and numpy that the compiler does not know, or knows otherwise, become words that it knows.

Message: `has no attribute or method`, `Keyword argument` … `unknown`, `Unknown builtin op`,
    `Expected a value of type 'int'` or `'List[int]'` … `but instead found type 'float'`,
    `all inputs of range must be ints`, `cannot be used as a tuple`, `Tried to set an attribute`,
    `cannot create weak reference to 'numpy`, `Python builtin <built-in function prod>`, `cannot be used as a value`,
    `found type 'Optional[`, `… to a value of type number`, `unified to number`, `found number`,
    `unsupported index type 'number'`.
Kind: exact.
Needs: the types that the table of words names, in every call: a method of a tensor, a power that was an int.
Before:
    keep = mask.bool() & torch.is_tensor(x)
    x = torch.cat([x, torch.ones(2, requires_grad=False)], axis=0) / x.norm(dim=0)
    first, second = x
    half = round(n ** 2 / 2) + x.max().item()
    x = x.type(torch.FloatTensor)
    return x.mean(1, keepdims=True), torch.nonzero(keep, as_tuple=True)
After:
    keep = mask.to(torch.bool) & isinstance(x, torch.Tensor)
    x = torch.cat([x, torch.ones(2)], dim=0) / torch.norm(x, dim=0)
    first, second = x.unbind()
    half = int(round(int(n ** 2) / 2)) + int(x.max().item())
    x = x.to("cpu", torch.float32)
    return x.mean(1, keepdim=True), torch.where(keep)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import (
    FROM_OPTIONAL,
    FUNCTION_VALUE,
    LACKS_MEMBER,
    NO_OPERATOR,
    NO_RANGE,
    NUMBER,
    NUMPY,
    PROD,
    SET_ATTRIBUTE,
    UNKNOWN_KEYWORD,
    UNPACKED_TENSOR,
)
from pdt_annotate.mends.kit.context import DTYPES, TENSORS, FunctionContext, MendRule, mismatched, quoted, said
from pdt_annotate.mends.kit.edit_arguments import arguments, exchange
from pdt_annotate.mends.kit.patterns import Word, number, tensor
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, put_in, spell
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

DTYPES_OF_KINDS: Mapping[str, str] = {"float": "float64", "int": "int64", "bool": "bool"}
WHOLE, PLACED = ("int",), ("torch.Size", "list[int]")
MAYBE_NONE = (*TENSORS, "NoneType", "int", "float", "bool", "str")
WORDS = (
    *(Word(f"A.{dtype}()", f"A.to(torch.{dtype})", tensor("A")) for dtype in ("bool", "bfloat16")),
    *(Word(f"A.to({kind})", f"A.to(torch.{dtype})", tensor("A")) for kind, dtype in DTYPES_OF_KINDS.items()),
    Word("torch.get_default_dtype()", "torch.empty(0).dtype"),
    Word("A.ndimension()", "A.dim()", tensor("A")),
    Word("A.nelement()", "A.numel()", tensor("A")),
    Word("A.__len__()", "len(A)", tensor("A")),
    *(Word(f"A.{shape}.numel()", "A.numel()", tensor("A")) for shape in ("shape", "size()")),
    Word("A.numel()", "int(torch.tensor(A).prod())", {"A": PLACED}),
    Word("torch.is_tensor(A)", "isinstance(A, torch.Tensor)"),
    Word("isinstance(A, torch.autograd.Variable)", "isinstance(A, torch.Tensor)"),
    Word("isinstance(A, torch.autograd.variable.Variable)", "isinstance(A, torch.Tensor)"),
    *(
        Word(f"{nonzero}as_tuple={is_tuple})", new)
        for nonzero in ("torch.nonzero(A, ", "A.nonzero(")
        for is_tuple, new in ((True, "torch.where(A)"), (False, "torch.nonzero(A)"))
    ),
    *(
        Word(f"A.type({old})", f'A.to("cpu", torch.{new})', tensor("A"))
        for name, new in DTYPES.items()
        for old in (name, repr(name))
    ),
    # To the compiler, `x.type()` is x.
    Word("A.type() == B.type()", "A.dtype == B.dtype and A.device.type == B.device.type", tensor("A", "B")),
    Word("A.type() != B.type()", "A.dtype != B.dtype or A.device.type != B.device.type", tensor("A", "B")),
    *(
        Word(f"A.type() == {old!r}", f"A.dtype == torch.{new} and A.device.type == {device!r}", tensor("A"))
        for name, new in DTYPES.items()
        for old, device in ((name, "cpu"), (name.replace("torch.", "torch.cuda."), "cuda"))
    ),
    # No class of these compares with None in its own way.
    *(Word(f"A {old} None", f"A {new} None", {"A": MAYBE_NONE}) for old, new in (("==", "is"), ("!=", "is not"))),
    # Numbers of one kind.
    *(Word("A.item()", f"{kind}(A.item())", {"": (kind,)}) for kind in ("int", "float", "bool")),
    Word("round(A)", "int(round(A))", {"": WHOLE}),
    Word("round(A)", "int(round(A))", number("A")),
    Word("A ** B", "int(A ** B)", {"": WHOLE}),
    Word("pow(A, B)", "int(A ** B)", {"": WHOLE}),
    *(Word(f"int({prod}(A))", "int(torch.tensor(A).prod())", {"A": PLACED}) for prod in ("numpy.prod", "math.prod")),
    *(Word(f"{prod}(A)", "int(torch.tensor(A).prod())", {"A": PLACED}) for prod in ("numpy.prod", "math.prod")),
    # The largest numbers of a dtype, which replace infinities; and the number behind 1.
    Word("torch.finfo(A).max", "float(torch.full((), math.inf, dtype=A).nan_to_num())"),
    Word("torch.finfo(A).min", "float(torch.full((), -math.inf, dtype=A).nan_to_num())"),
    Word("torch.finfo(A).eps", "float(torch.ones((), dtype=A).nextafter(torch.full((), 2.0, dtype=A))) - 1.0"),
    # Numpy.
    Word("numpy.sqrt(A)", "math.sqrt(A)", number("A")),
    *(Word(f"int(numpy.{name}(A))", f"math.{name}(A)", number("A")) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", f"float(math.{name}(A))", number("A")) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", "abs(A)", number("A")) for name in ("abs", "absolute")),
)
FUNCTIONS = frozenset(("norm", "unique"))
"""The methods that Python makes of the functions; the compiler does not know them, or knows other arguments."""
IN_PLACE: Mapping[type[ast.operator], str] = {
    **{ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_", ast.Pow: "pow_", ast.Mod: "remainder_"},
}
KEYWORDS: Mapping[str, str] = {"axis": "dim", "keepdims": "keepdim"}
MADE = frozenset(
    f"torch.{name}{like}"
    for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
    for like in ("", "_like")
) | {f"torch.{name}" for name in ("arange", "eye", "linspace", "logspace", "randperm")}
"""The functions that make a tensor, and take `requires_grad` in Python alone."""

Change = tuple[list[Edit] | None, tuple[str, ...]]  # the edits, and the imports that they need
NO_CHANGE: Change = None, ()


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        found = _word(site, node) if isinstance(node, ast.expr) else NO_CHANGE
        if isinstance(node, ast.Call):
            ways = (_keywords, _kinds, _as_function, _switch)
            found = next((each for each in (found, *(way(site, node) for way in ways)) if each[0]), NO_CHANGE)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            found = _assigned(site, node, node.targets[0])
        elif isinstance(node, ast.AugAssign):
            found = _in_place(site, node), ()
        edits, imports = found
        if edits:
            summary = f"`{' '.join(site.source(node).split())}` in words that the compiler knows"
            yield site.mend(RULE.name, MendKind.EXACT, node, summary, edits, imports=imports)


def _word(site: FunctionContext, node: ast.expr) -> Change:
    for word in WORDS:
        if found := word.find(site, node):
            new, imports = found
            around = site.parents[node]
            is_done = isinstance(around, ast.Call) and new.text.startswith(f"{ast.unparse(around.func)}(")
            return (None if is_done else [put_in(site, node, new)]), imports
    return NO_CHANGE


def _assigned(site: FunctionContext, assign: ast.Assign, target: ast.expr) -> Change:
    """`a, b = x` as `a, b = x.unbind()`, `x.requires_grad = True` as `x.requires_grad_(True)`."""
    if isinstance(target, ast.Attribute) and target.attr == "requires_grad" and site.is_always(target.value, *TENSORS):
        is_switch = isinstance(assign.value, ast.Constant) and isinstance(assign.value.value, bool)
        new = f"{spell(site, target.value).at_least(ATOM)}.requires_grad_({site.source(assign.value)})"
        return ([site.replace(assign, new)] if is_switch else None), ()
    if isinstance(target, (ast.Tuple, ast.List)) and site.is_always(assign.value, *TENSORS):
        new = f"{spell(site, assign.value).at_least(ATOM)}.unbind()"
        has_star = any(isinstance(each, ast.Starred) for each in target.elts)
        return (None if has_star else [site.replace(assign.value, new)]), ()
    return NO_CHANGE


def _in_place(site: FunctionContext, assign: ast.AugAssign) -> list[Edit] | None:
    """`x.data *= y` as `x.data.mul_(y)`."""
    target, method = assign.target, IN_PLACE.get(type(assign.op))
    if (
        not method
        or not isinstance(target, ast.Attribute)
        or target.attr != "data"
        or not site.is_always(target.value, *TENSORS)
    ):
        return None
    return [site.replace(assign, f"{site.source(target)}.{method}({spell(site, assign.value).at_least(CHOICE)})")]


def _keywords(site: FunctionContext, call: ast.Call) -> Change:
    """`axis=1` as `dim=1`, `keepdims=True` as `keepdim=True`."""
    known = {keyword.arg for keyword in call.keywords}
    named = [keyword for keyword in call.keywords if keyword.arg in KEYWORDS]
    if "keepdim" in known or {"dim", "axis"} <= known or not _is_of_torch(site, call):
        return NO_CHANGE
    edits = [Edit(site.span(k)[0], KEYWORDS[str(k.arg)], removed=len(str(k.arg))) for k in named]
    return edits, ()


def _is_of_torch(site: FunctionContext, call: ast.Call) -> bool:
    """Whether a call is of a method of a tensor, or of a function that is not written in Python: of torch, of FFTs."""
    is_function = site.meaning(call.func).rpartition(".")[0] in ("torch", "torch.fft", "torch.linalg")
    return is_function or (isinstance(call.func, ast.Attribute) and site.is_always(call.func.value, *TENSORS))


def _kinds(site: FunctionContext, call: ast.Call) -> Change:
    """`dtype=float` as `dtype=torch.float64`."""
    for keyword in call.keywords if _is_of_torch(site, call) else ():
        kind = ast.unparse(keyword.value)
        if keyword.arg == "dtype" and kind in DTYPES_OF_KINDS and kind not in site.local_names:
            new, imports = site.spell(f"torch.{DTYPES_OF_KINDS[kind]}")
            return [site.replace(keyword.value, new)], imports
    return NO_CHANGE


def _as_function(site: FunctionContext, call: ast.Call) -> Change:
    """`x.norm(dim=1)` as `torch.norm(x, dim=1)`."""
    method, named = call.func, {keyword.arg: keyword.value for keyword in call.keywords}
    if not isinstance(method, ast.Attribute) or method.attr not in FUNCTIONS or not _is_of_torch(site, call):
        return NO_CHANGE
    power = call.args[0] if call.args else named.get("p")
    is_known = site.is_always(power, "int", "float") if power else method.attr == "norm" and not named
    if site.meaning(method) or is_known:
        return NO_CHANGE
    function, imports = site.spell(f"torch.{method.attr}")
    start, end = site.span(method)
    opened = site.text.body.index(b"(", end) + 1
    given = spell(site, method.value).at_least(CHOICE) + (", " if arguments(call) else "")
    return [Edit(start, f"{function}({given}", removed=opened - start)], imports


def _switch(site: FunctionContext, call: ast.Call) -> Change:
    """A call without `requires_grad`, which only Python knows."""
    for keyword in call.keywords:
        is_switch = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
        if is_switch and keyword.arg == "requires_grad" and site.meaning(call.func) in MADE:
            edits = exchange(site, arguments(call), {keyword: ""}, {})
            wanted = [Edit(site.span(call)[1], ".requires_grad_()")] if keyword.value.value else []  # type: ignore[attr-defined]
            return (None if edits is None else [*edits, *wanted]), ()
    return NO_CHANGE


INTS = ("int", "List[int]", "Optional[int]", "Optional[List[int]]")


def is_asked_for(failure: Failure) -> bool:
    words = quoted(LACKS_MEMBER, UNKNOWN_KEYWORD, NO_OPERATOR, NO_RANGE, NUMPY, UNPACKED_TENSOR, SET_ATTRIBUTE, PROD)
    others = (
        quoted(FROM_OPTIONAL),
        said(NUMBER, FUNCTION_VALUE),
        mismatched("float", INTS),
        mismatched("str", ("number", "Optional[number]")),
    )
    return words(failure) or any(is_asked(failure) for is_asked in others)


RULE = MendRule("torch_words", MendKind.EXACT, is_asked_for, find)
