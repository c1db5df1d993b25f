"""An optional value is asserted not to be None before it is used. An attribute is first copied to a local variable.

After such an assertion, the compiler knows that a local variable is not None. It never knows this of an attribute.

Message: Any message about a value of type `Optional`, or `multidimensional indexing on a non-tensor type`.
Kind:
    - Exact if Python also raises an error for None.
    - Scripted if Python might accept None, for example as an argument. Only the scripted model then has the assertion.
    - Frozen if the other side of a comparison is also asserted not to be None.
Needs:
    - The value is an attribute or a variable that was None at times, or an attribute that a layer of torch declares as
      Optional, such as `bias`. All other values of an attribute have one type.
    - Or it is a variable with the result of a layer or of a function of the project, or with such an attribute.
    - If the value is compared by `==` or `!=`, and is no tensor, the comparison gets a test for None instead of an
      assertion.
Before:
    def forward(self, x):
        if self.length != x.shape[1]:
            self.length = x.shape[1]
            self.scale = torch.arange(x.shape[1]).float().cos()
        return x * self.scale
After:
    def forward(self, x):
        length = self.length
        if length is None or length != x.shape[1]:
            self.length = x.shape[1]
            self.scale = torch.arange(x.shape[1]).float().cos()
        scale = self.scale
        assert scale is not None
        return x * scale
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_INDEXING, NONE_TYPE, OPTIONAL_FOUND
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, can_be_indented, statements
from pdt_annotate.mends.kit.construction import may_set
from pdt_annotate.mends.kit.context import NOTHING, TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import AND, ATOM, CHOOSING, OR, Expression, is_none, put_in, spell, stores
from pdt_annotate.source.syntax import is_known_not_none, is_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MADE = ("shape", "device", "dtype", "size", "dim", "numel", "ndim", "nelement")  # of a Tensor; they are never None
OPTIONAL = {
    "bias": "torch.nn.modules.conv.",
    **dict.fromkeys(("running_mean", "running_var"), "torch.nn.modules.batchnorm."),
}
"""The attributes that layers of torch declare as Optional."""


def find(site: FunctionContext) -> Iterator[Mend]:
    taken: list[str] = []
    for statement in statements(site.node.body):
        heads: list[ast.AST | None] = [getattr(statement, "test", None) if hasattr(statement, "body") else statement]
        heads = [statement.iter] if isinstance(statement, ast.For) else heads
        is_first = site.takes_lines(statement)
        nodes = [node for head in heads if head is not None and is_first for node in ast.walk(head)]
        used: dict[str, list[ast.expr]] = {}
        for node in nodes:
            is_read = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
            if is_read and _may_be_none(site, node):  # type: ignore[arg-type]
                used.setdefault(ast.unparse(node), []).append(node)  # type: ignore[arg-type]
        for each in used.values():
            # A local has the value that the attribute had at the begin of the statement.
            attribute = _attribute(site, each[0])
            if not attribute or not any(may_set(site, head, attribute) for head in heads if head):
                yield from _mend(site, statement, each, taken)
        if isinstance(statement, ast.AugAssign) and is_first:
            yield from _augmented(site, statement, taken)


def _augmented(site: FunctionContext, statement: ast.AugAssign, taken: list[str]) -> Iterator[Mend]:
    """`self.total += x`, for which Python raises an error if `self.total` is None."""
    target, attribute = statement.target, site.self_attribute(statement.target)
    if attribute and _may_be_none(site, target) and not may_set(site, statement.value, attribute):
        local, text = site.local_name(attribute, taken), site.source(target)
        taken.append(local)
        edits = [
            site.insert_before(statement, f"{local} = {text}\nassert {local} is not None"),
            site.replace(target, local),
            site.insert_behind(statement, f"{text} = {local}"),
        ]
        yield site.mend(target, f"assert that `{text}` is not None", edits)


def _attribute(site: FunctionContext, node: ast.expr) -> str:
    """The y of `self.y`, and of `self.layer.y`; "y_0" of `y[0]`; "" for anything else."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and _is_index(node.slice):
        return f"{node.value.id}_{ast.unparse(node.slice)}"
    layer = site.held(site.self_attribute(node.value)).values if isinstance(node, ast.Attribute) else ()
    is_of_layer = bool(layer) and all(value.is_module or value.items for value in layer)
    return node.attr if is_of_layer else site.self_attribute(node)  # type: ignore[attr-defined]


def _is_index(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _may_be_none(site: FunctionContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        lists = site.values(node.value) if _attribute(site, node) else ()
        return any(value.type == "builtins.list" and NOTHING in value.items for value in lists)
    if isinstance(node, ast.Attribute) and _attribute(site, node) and not site.self_attribute(node):
        layers = [value.type for value in site.held(site.self_attribute(node.value)).values]
        if layers and all(layer.startswith(OPTIONAL.get(node.attr, "?")) for layer in layers):
            return True
        types = {value.type for value in site.values(node)}
        return any(node is part for each in site.failing for part in ast.walk(each)) and types <= {NOTHING, *TENSORS}
    if attribute := site.self_attribute(node):
        held = site.held(attribute)
        others = [value for value in held.values if value.type != NOTHING]
        is_optional = held.late or len(others) < len(held.values)
        is_plain = len({value.type for value in others}) == 1 and not any(v.is_module or v.name for v in others)
        return is_optional and is_plain
    if not isinstance(node, ast.Name) or is_known_not_none(site.node, node):
        return False
    parameter = site.function.parameter(node.id)
    bound = [getattr(site.parents[each], "value", each) for each in stores(site.node, node.id)]
    is_optional = NONE in site.observed(node.id) or (parameter is not None and parameter.default == NONE)
    copied = (each for each in bound if isinstance(each, ast.Attribute) and site.self_attribute(each))
    if is_optional or any(map(is_none, bound)) or any(_may_be_none(site, each) for each in copied):
        return True
    calls = (s.value for each in stores(site.node, node.id) if isinstance(s := site.statement(each)[0], ast.Assign))
    is_result = any(isinstance(call, ast.Call) and _is_own(site, call.func) for call in calls)  # perhaps an Optional
    return parameter is None and is_result and any(node is part for each in site.failing for part in ast.walk(each))


def _is_own(site: FunctionContext, function: ast.expr) -> bool:
    """Whether a called expression is a function of the project, or a local such as the layer of a loop."""
    return bool(site.definition(function)) or (isinstance(function, ast.Name) and function.id in site.local_names)


def _mend(site: FunctionContext, statement: ast.stmt, nodes: list[ast.expr], taken: list[str]) -> Iterator[Mend]:
    first, text = nodes[0], ast.unparse(nodes[0])
    attribute = _attribute(site, first)
    elements = [node for node in nodes if _is_equality(site, node) and site.is_always(node, *TENSORS)]
    compared = [node for node in nodes if _is_equality(site, node) and node not in elements]
    raising = [node for node in nodes if _raises(site, node)]
    passed = [node for node in nodes if _is_never_none(site, node) and (_is_argument(site, node) or node in elements)]
    surely = [node for node in (*raising, *passed) if not _is_conditional(site, statement, node)]
    if not (compared or raising or passed) or (not attribute and not (compared or surely)):
        return
    local = site.local_name(attribute, taken) if attribute else text
    taken.append(local)
    lines, left_out = [f"{local} = {text}"] * bool(attribute), ""
    asserted = f"assert {local} is not None"
    if surely and set(surely).isdisjoint(raising):
        left_out, asserted = f"the case that `{text}` is None", f"if {site.spell(IS_SCRIPTING)}():\n    {asserted}"
    lines += [asserted] * bool(surely)
    others = dict.fromkeys(_other(site.parents[node], node) for node in compared if not surely)  # type: ignore[arg-type]
    loose = [f"assert {site.source(other)} is not None" for other in others if not _is_made(site, other)]
    lines += loose
    edits = [site.insert_before(statement, "\n".join(lines))] if lines else []
    replaced: set[ast.AST] = set()
    for node in compared if not surely else ():
        outer = site.parents[node]
        assert isinstance(outer, ast.Compare)
        new = spell(site, outer, lambda part: Expression(local, ATOM) if part in nodes else None).text
        is_not = isinstance(outer.ops[0], ast.NotEq)
        whole = f"{local} is None or {new}" if is_not else f"{local} is not None and {new}"
        edits.append(put_in(site, outer, Expression(whole, OR if is_not else AND)))
        replaced.update(ast.walk(outer))
    edits += [site.replace(node, local) for node in nodes if attribute and node not in replaced]
    if can_be_indented(site, statement):
        yield site.mend(first, f"assert that `{text}` is not None", edits, frozen=bool(loose), left_out=left_out)


def _is_equality(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is compared with another that is no None itself."""
    outer = site.parents[node]
    if not isinstance(outer, ast.Compare) or len(outer.ops) > 1 or not isinstance(outer.ops[0], (ast.Eq, ast.NotEq)):
        return False
    for around in site.around(outer):  # a test for None may be there already
        tests = (each for each in ast.walk(around) if isinstance(around, CHOOSING) and isinstance(each, ast.Compare))
        if any(ast.unparse(each.left) == ast.unparse(node) and is_none(each.comparators[0]) for each in tests):
            return False
    other = _other(outer, node)
    if site.self_attribute(other) and _may_be_none(site, other):  # it gets the test
        return False
    return _is_made(site, other) or (isinstance(other, (ast.Name, ast.Attribute)) and _is_never_none(site, other))


def _other(compare: ast.Compare, node: ast.expr) -> ast.expr:
    return compare.comparators[0] if node is compare.left else compare.left


def _is_made(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression cannot be None: a constant, a result of arithmetic, the shape or device of a Tensor."""
    if isinstance(node, ast.Name) and not site.function.parameter(node.id):
        found = [site.statement(each)[0] for each in stores(site.node, node.id)]
        return bool(found) and all(isinstance(s, ast.Assign) and _is_made(site, s.value) for s in found)
    if isinstance(node, (ast.Subscript, ast.Call)):
        inner = node.value if isinstance(node, ast.Subscript) else node.func
        return is_name(inner, "len") or (isinstance(inner, ast.Attribute) and inner.attr in MADE)
    is_made = isinstance(node, ast.Attribute) and node.attr in MADE
    return is_made or isinstance(node, ast.BinOp) or (isinstance(node, ast.Constant) and not is_none(node))


def _raises(site: FunctionContext, node: ast.expr) -> bool:
    """Whether Python raises an error if an expression is None where it is used."""
    outer = site.parents[node]
    if isinstance(outer, ast.Compare):
        return any(isinstance(op, ORDERED) for op in outer.ops)
    field = {ast.Attribute: "value", ast.Subscript: "value", ast.Call: "func", ast.For: "iter"}.get(type(outer))
    is_head = field is not None and getattr(outer, field) is node
    if isinstance(outer, ast.Call) and node in outer.args and _is_of_torch(site, outer.func):
        return outer in (part for each in site.failing for part in ast.walk(each))  # torch takes no None there
    return is_head or isinstance(outer, (ast.BinOp, ast.Starred, ast.AugAssign))


def _is_of_torch(site: FunctionContext, func: ast.expr) -> bool:
    """Whether a function is one of torch, or a method of a tensor."""
    is_method = isinstance(func, ast.Attribute) and site.is_always(func.value, *TENSORS)
    return is_method or site.meaning(func).startswith("torch.")


def _is_argument(site: FunctionContext, node: ast.expr) -> bool:
    outer = site.parents[node]
    is_part = isinstance(outer, (ast.keyword, ast.List, ast.Tuple, ast.Return))
    return is_part or (isinstance(outer, ast.Call) and node in outer.args)


def _is_never_none(site: FunctionContext, node: ast.expr) -> bool:
    values = site.values(node)
    return bool(values) and not any(value.type == NOTHING for value in values)


def _is_conditional(site: FunctionContext, statement: ast.stmt, node: ast.expr) -> bool:
    around = itertools.takewhile(lambda outer: outer is not statement, site.around(node))
    return any(isinstance(outer, CHOOSING) for outer in around)


RULE = MendRule("refined_values", MendKind.EXACT, quoted(OPTIONAL_FOUND, NONE_TYPE, NO_INDEXING), find)
