"""Expressions for which the file gets a function; and sums that start with a number, which start with a tensor.

To the compiler, `sum` adds numbers alone, a name that starts with a number stays one, and no list may follow a `...`
among the indices of a tensor.
"""

import ast
from collections.abc import Container, Iterator, Mapping

from pdt_annotate.mends.kit.blocks import (
    IS_SCRIPTING,
    LOOPS,
    asks_for_python,
    helper_at_top,
    rest_of_block,
    when_scripted,
)
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, CHOICE, Expression, loads, put_in, spell, stores
from pdt_annotate.source.scopes import bindings
from pdt_annotate.source.syntax import is_name, nodes_in, plain_assignments
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import MendKind
from pdt_annotate.values.types import TENSOR

SUM = """\
def {}(values: typing.List[torch.Tensor]):
    total = 0 + values[0]
    for value in values[1:]:
        total = total + value
    return total"""

INDEX = """\
def {}(x: torch.Tensor, index: torch.Tensor, after: int):
    is_mask = index.dtype == torch.bool or index.dtype == torch.uint8
    before = x.dim() - after - (index.dim() if is_mask else 1)
    indices: typing.List[typing.Optional[torch.Tensor]] = [None for _ in range(before)]
    indices.append(index)
    return torch.ops.aten.index(x, indices)"""


def sums(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    yield from _starts(site)
    yield from _numbers(site)
    name, helper = helper_at_top(site, "_sum_of", SUM)
    for call in ast.walk(site.node) if "sum" not in {*site.local_names, *site.module.qualnames} else ():
        if not is_call(call, "sum") or len(call.args) != 1 or call.keywords or not site.is_always(call, *TENSORS):
            continue
        [values], kind = call.args, MendKind.FROZEN
        if isinstance(values, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in values.elts):
            parts = " + ".join(["0", *(spell(site, each).at_least(ATOM) for each in values.elts)])
            edits, kind = [put_in(site, call, Expression(parts, ARITHMETIC))], MendKind.EXACT
        elif isinstance(values, ast.GeneratorExp):
            edits = [site.replace(call, f"{name}([{site.source(values)[1:-1]}])"), *helper]
        elif not isinstance(values, ast.Starred) and not site.is_always(values, *TENSORS):
            text = site.source(values) if site.is_always(values, "list") else f"list({site.source(values)})"
            edits = [site.replace(call, f"{name}({text})"), *helper]
        else:
            continue
        yield kind, call, edits


STARTS: Mapping[float, tuple[str, dict[type[ast.operator], str]]] = {
    0: ("torch.zeros", {ast.Add: "+", ast.Sub: "-"}),
    1: ("torch.ones", {ast.Mult: "*"}),
}
"""By the number with which a sum or product starts, the function that makes it a tensor, and the signs of its terms."""
PRODUCTS = (ast.Mult, ast.Div, ast.MatMult, ast.Pow)


def _starts(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    """`loss = 0`, where loops add tensors to it: in the scripted model a tensor with the dtype of the other side."""
    starts: dict[tuple[str, float], list[tuple[ast.Assign, ast.Constant]]] = {}
    single = (node for node in ast.walk(site.node) if isinstance(node, ast.Assign) and len(node.targets) == 1)
    bound = ((name, start, assign) for assign in single for name, start in bindings(assign))
    for name, start, assign in bound:
        match start:
            case ast.Constant(int() | float() as number) if not isinstance(number, bool) and number in STARTS:
                starts.setdefault((name, number), []).append((assign, start))
    for (name, number), assigns in starts.items():
        maker, signs = STARTS[number]
        types = {type_.name for type_ in site.observed(name)}
        types |= {value.type.removeprefix("builtins.") for value in site.values(ast.Name(name))}
        adding = [node for node in ast.walk(site.node) if _adds(node, name, signs)]
        in_place = [node for node in adding if isinstance(node, ast.AugAssign)]
        loops = [loop for node in in_place for loop in site.around(node) if isinstance(loop, LOOPS)]
        loops = [loop for loop in loops if not any(assign in ast.walk(loop) for assign, _ in assigns)]
        inside = {id(n) for node in adding for n in ast.walk(node)}
        escapes = [use for loop in loops for use in loads(loop, name) if id(use) not in inside]
        is_tensor = TENSOR.name in types and types <= {TENSOR.name, "int", "float"}
        if not adding or not is_tensor or escapes or site.function.parameter(name):
            continue
        made, whole, asked = map(site.spell, (maker, "torch.int64", IS_SCRIPTING))
        terms = list[Edit]()
        for node in in_place:  # a sum in place keeps its dtype and its shape
            is_term = not isinstance(node.op, ast.Mult) and isinstance(getattr(node.value, "op", None), PRODUCTS)
            text = spell(site, node.value).at_least(ARITHMETIC if is_term else ATOM)
            head = f"{name} = {name} {signs[type(node.op)]} "
            (first, end), (at, last) = map(site.span, (node, node.value))
            is_kept = last == end and text == site.source(node.value)  # then its lines keep their indentation
            terms.append(Edit(first, head, removed=at - first) if is_kept else site.replace(node, head + text))
        # The second keeps Python as it is; the first has the same dtype in Python and in the scripted model.
        for kind in (MendKind.FROZEN, MendKind.EXACT):
            edits = [*terms]
            for _, start in assigns:
                tensor = f"{made}((), dtype={whole})" if isinstance(start.value, int) else f"{made}(())"
                new = tensor if kind is MendKind.FROZEN else f"{tensor} if {asked}() else {site.source(start)}"
                edits.append(site.replace(start, new))
            yield kind, assigns[0][0], edits


def _numbers(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    """`n` in `scale = n`, if an inner statement assigns a tensor to `scale`, and in `n if y is None else y`.

    When scripted, it is a tensor without dimensions. Later in the same block, a variable may have another type.
    """
    pairs = list[tuple[ast.expr, list[ast.expr]]]()
    for name, (first, *later) in grouped(plain_assignments(site.node)).items():
        is_all = len(stores(site.node, name)) == 1 + len(later) and not site.function.parameter(name)
        if is_all and not set(later) <= set(rest_of_block(site, first)):
            pairs.append((first.value, [each.value for each in later]))
    for node in nodes_in(site.node, ast.IfExp):
        pairs += [(node.body, [node.orelse]), (node.orelse, [node.body])]
    for number, others in pairs:
        kinds = [kind for kind in ("int", "float") if site.is_always(number, kind)]
        are_tensors = bool(others) and all(site.is_always(each, *TENSORS) for each in others)
        if kinds and are_tensors and not asks_for_python(number):
            dtype = f", dtype={site.spell('torch.float64')}" * (kinds == ["float"] and not _is_short(number))
            new = f"{site.spell('torch.tensor')}({site.source(number)}{dtype})"
            yield MendKind.EXACT, number, [when_scripted(site, number, new)]


def _is_short(number: ast.expr) -> bool:
    """Whether a number such as 0.5 is exact in the default dtype, in which torch adds floats to tensors of ints."""
    match number:
        case ast.Constant(float(value)):
            return (value * 256).is_integer() and abs(value) < 256
    return False


def _adds(node: ast.AST, name: str, signs: Container[type[ast.operator]]) -> bool:
    """Whether a statement adds to a name, or does what another of the signs says."""
    if isinstance(node, ast.AugAssign):
        return is_name(node.target, name) and type(node.op) in signs
    value = node.value if isinstance(node, ast.Assign) and is_name(node.targets[0], name) else None
    return isinstance(value, ast.BinOp) and type(value.op) in signs and bool(loads(value, name))


def without_dots(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    """`x[..., [0, 2]]` as a call of a function that counts the dimensions in front of the index."""
    name, edits = helper_at_top(site, "_index_behind", INDEX)

    def put(node: ast.expr) -> Expression | None:
        match node:
            case ast.Subscript(value, ast.Tuple([*indices]), ast.Load()) if site.is_always(value, *TENSORS):
                places = [i for i, each in enumerate(indices) if _as_tensor(site, each)]
                dots = [i for i, each in enumerate(indices) if isinstance(each, ast.Constant) and each.value is ...]
            case _:
                return None
        others = [each for i, each in enumerate(indices) if i not in (*dots, *places)]
        if not len(places) == len(dots) == 1 or dots > places or not all(isinstance(e, ast.Slice) for e in others):
            return None
        [place], base, parts = places, spell(site, value, put).at_least(ATOM), [site.source(each) for each in indices]
        if any(site.source(each) != ":" for each in others):
            base += f"[{', '.join([*parts[:place], ':', *parts[place + 1 :]])}]"
        return Expression(f"{name}({base}, {_as_tensor(site, indices[place])}, {len(parts) - place - 1})")

    for node in (each for each in ast.walk(site.node) if isinstance(each, ast.expr)):
        if new := put(node):
            yield MendKind.EXACT, node, [when_scripted(site, node, new.text), *edits]


def _as_tensor(site: FunctionContext, index: ast.expr) -> str:
    """The text of an index as a tensor; "" if it is no list of ints and no tensor."""
    if site.is_always(index, *TENSORS):
        return spell(site, index).at_least(CHOICE)
    make = site.spell("torch.tensor")
    if isinstance(index, (ast.List, ast.Tuple)):
        are_ints = index.elts and all(site.is_always(each, "int") for each in index.elts)
        return f"{make}([{', '.join(map(site.source, index.elts))}])" if are_ints else ""
    whole = site.spell("torch.int64")
    return f"{make}({site.source(index)}, dtype={whole})" if site.is_always(index, "list[int]") else ""
