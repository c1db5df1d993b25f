"""An assignment that the compiler does not know is written in another way.

It may be one with `//=` or `:=`, to a display of a list, or of a range in a branch. It may also be one with `+=`, `-=`,
`*=` or `/=` for which the scripted model raises an error when it is called again with gradients.

Message: `unsupported kind of augmented assignment: FloorDiv`, `undefined value`, `NamedExpr aren't supported`,
    `unexpected expression on left-hand side of assignment`,
    `a view of a leaf Variable that requires grad is being used in an in-place operation`.
Kind: Exact. Scripted for `+=` and so on if later code reads a variable that the call takes, because the call may return
    this variable.
Needs:
    - For `//=`, the target is a variable or an attribute of `self`, and held numbers alone, or tensors alone, in all
      calls.
    - A variable that branches set to ranges is only iterated over.
    - For `+=` and so on, the variable holds the result of a call or of arithmetic, which no code reads before. The call
      is no method of a variable.
    - An assignment with `:=` is evaluated before all else in its statement, and not in a comprehension.
Before:
    steps //= 2
    x //= self.scale + 1
After:
    steps = steps // 2
    x.floor_divide_(self.scale + 1)
"""

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import (
    ASSIGNED_INSIDE,
    FLOOR_DIVISION,
    LEAF_VIEW,
    LIST_TARGET,
    UNDEFINED,
)
from pdt_annotate.mends.kit.blocks import before, if_scripted, is_in_loop, statement_of_first
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    ANY,
    ATOM,
    NUMBER,
    Expression,
    is_gone_over,
    loads,
    put_in,
    spell,
    stores,
)
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.mends import Mend, MendKind

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
NESTED = (ast.List, ast.Tuple, ast.Starred)


def find(site: FunctionContext) -> Iterator[Mend]:
    for name in sorted(site.failing_names):
        values = [getattr(site.parents[node], "value", node) for node in stores(site.node, name)]
        are_ranges = "range" not in site.local_names and all(is_call(value, "range") for value in values)
        if values and are_ranges and all(is_gone_over(site, use) for use in loads(site.node, name)):
            edits = [site.replace(value, f"list({site.source(value)})") for value in values]
            yield site.mend(values[0], f"make a list of each range in `{name}`", edits)
    in_place = site.failure is not None and LEAF_VIEW.is_in(site.failure.message)
    for node in ast.walk(site.node):
        new = left_out = ""
        match node:
            case ast.NamedExpr(ast.Name(name), value) if around := statement_of_first(site, node):
                place = (node.lineno, node.col_offset)
                if any((each.lineno, each.col_offset) < place for each in loads(around, name)):
                    continue
                above = site.insert_before(around, f"{name} = {spell(site, value).at_least(ANY)}")
                edits = [above, put_in(site, node, Expression(name, ATOM))]
                yield site.mend(node, f"assign `{name}` in a statement of its own", edits)
            case ast.Assign([ast.List([*targets]) as display]) if not any(isinstance(t, NESTED) for t in targets):
                names = ", ".join(map(site.source, targets)) + "," * (len(targets) == 1)
                yield site.mend(node, f"assign to `{names}`", [site.replace(display, names)])
            case ast.AugAssign(ast.Name() | ast.Attribute(ast.Name()) as target, ast.FloorDiv(), value):
                name = site.source(target)
                if site.is_always(target, "int", "float"):
                    new = f"{name} = {name} // {spell(site, value).at_least(NUMBER)}"
                elif site.is_always(target, *TENSORS):
                    new = f"{name}.floor_divide_({site.source(value)})"
            case ast.AugAssign(ast.Name(name)) if (
                in_place and site.is_failing(node) and (made := _made(site, node, name))
            ):
                shared = _shared(site, made, node)
                left_out = f"the change of `{shared}` in place, if the call returns it" if shared else ""
                sign, text = SIGNS[type(node.op)], spell(site, node.value).at_least(NUMBER)
                new = if_scripted(site, f"{name} = {name} {sign} {text}", site.source(node))
        if new and isinstance(node, ast.stmt):
            summary = f"write `{site.source(node)}` so that it compiles"
            yield site.mend(node, summary, [site.replace(node, new)], left_out=left_out)


def _made(site: FunctionContext, node: ast.AugAssign, name: str) -> ast.expr | None:
    """The call or the arithmetic whose result a local holds, if no code reads it before an operation in place.

    No method of a variable, which may return a view of it.
    """
    setting = [each for each in before(site, node) if stores(each, name)][:1]
    values = [each.value for each in setting if isinstance(each, ast.Assign) and each.targets == stores(each, name)]
    between = itertools.takewhile(lambda each: each not in setting, before(site, node))
    is_read = any(loads(each, name) for each in between) or is_in_loop(site, node) or bool(loads(node, name))
    if is_read or type(node.op) not in SIGNS or not site.is_always(node.target, *TENSORS):
        return None
    for value in values:
        first, outer = value, value
        while isinstance(first, (ast.Attribute, ast.Call)) and not site.self_attribute(first):
            first, outer = first.func if isinstance(first, ast.Call) else first.value, first
        is_method = isinstance(outer, ast.Attribute) and isinstance(first, ast.Name) and first.id in site.local_names
        if isinstance(value, (ast.BinOp, ast.Call)) and not is_method:
            return value
    return None


def _shared(site: FunctionContext, value: ast.expr, node: ast.AugAssign) -> str:
    """A variable that later code reads, and that a call may return, since the call takes it; "" if there is none."""
    calls = list(nodes_in(value, ast.Call)) if isinstance(value, ast.Call) else []
    target = ast.unparse(node.target)
    given = [arg.id for call in calls for arg in call.args if isinstance(arg, ast.Name) and arg.id != target]
    later = (each for each in given if any(use.lineno > (node.end_lineno or 0) for use in loads(site.node, each)))
    return next(later, "")


RULE = MendRule(
    "assignments",
    MendKind.EXACT,
    said(ASSIGNED_INSIDE, FLOOR_DIVISION, LEAF_VIEW, LIST_TARGET, UNDEFINED),
    find,
)
