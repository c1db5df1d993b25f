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
    x = torch.cat([x, torch.ones(2, requires_grad=False)], axis=0)
    first, second = x
    half = round(n ** 2 / 2) + x.max().item()
    x = x.type(torch.FloatTensor)
    return x.mean(1, keepdims=True), torch.nonzero(keep, as_tuple=True)
After:
    keep = mask.to(torch.bool) & isinstance(x, torch.Tensor)
    x = torch.cat([x, torch.ones(2)], dim=0)
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
from pdt_annotate.mends.kit.spelled import ATOM, put_in, spell
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

WHOLE, PLACED = ("int",), ("torch.Size", "list[int]")
MAYBE_NONE = (*TENSORS, "NoneType", "int", "float", "bool", "str")
WORDS = (
    Word("A.bool()", "A.to(torch.bool)", tensor("A")),
    Word("A.ndimension()", "A.dim()", tensor("A")),
    Word("A.nelement()", "A.numel()", tensor("A")),
    Word("A.__len__()", "len(A)", tensor("A")),
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
    # Numpy.
    Word("numpy.sqrt(A)", "math.sqrt(A)", number("A")),
    *(Word(f"int(numpy.{name}(A))", f"math.{name}(A)", number("A")) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", f"float(math.{name}(A))", number("A")) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", "abs(A)", number("A")) for name in ("abs", "absolute")),
)
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
            found = next((each for each in (found, _keywords(site, node), _switch(site, node)) if each[0]), NO_CHANGE)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            found = _assigned(site, node, node.targets[0])
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


def _keywords(site: FunctionContext, call: ast.Call) -> Change:
    """`axis=1` as `dim=1`, `keepdims=True` as `keepdim=True`."""
    named = [keyword for keyword in call.keywords if keyword.arg in KEYWORDS]
    known = {keyword.arg for keyword in call.keywords}
    if not named or "keepdim" in known or {"dim", "axis"} <= known:
        return NO_CHANGE
    # The functions of `torch.nn` and the like are written in Python, and have parameters of other names.
    is_function = site.meaning(call.func).rpartition(".")[0] == "torch"
    if not is_function and not (isinstance(call.func, ast.Attribute) and site.is_always(call.func.value, *TENSORS)):
        return NO_CHANGE
    edits = []
    for keyword in named:
        start = site.span(keyword)[0]
        assert keyword.arg is not None
        edits.append(Edit(start, KEYWORDS[keyword.arg], removed=len(keyword.arg)))
    return edits, ()


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
    return (
        words(failure)
        or quoted(FROM_OPTIONAL)(failure)
        or said(NUMBER, FUNCTION_VALUE)(failure)
        or mismatched("float", INTS)(failure)
    )


RULE = MendRule("torch_words", MendKind.EXACT, is_asked_for, find)
