"""An optional value is asserted not to be None before it is used. An attribute is first copied to a local variable.

After such an assertion, the compiler knows that a local variable is not None. It never knows this of an attribute.
Inside an expression that may be skipped, `torch.jit._unwrap_optional(x)` asserts the same.

Message: Any message about a value of type `Optional`, or `multidimensional indexing on a non-tensor type`.
Kind:
    - Exact if Python also raises an error for None.
    - Scripted if Python might accept None, for example as an argument. Only the scripted model then has the assertion.
    - Frozen if the other side of a comparison is also asserted not to be None.
Needs:
    - The value is an attribute or a variable that was None at times, a parameter that is annotated as Optional, or an
      attribute that a layer of torch declares as Optional, such as `bias`. All other values of an attribute have one
      type.
    - Or it is an item, with a literal index or key, of a list or dict in a variable that held None.
    - Or it is a variable with the result of a layer, of a function of the project or of a method of a variable, or with
      such an attribute, or one that was always None.
    - An argument was None in no call, or a layer of torch such as Linear or Conv2d takes it as its input. If functions
      of the project take None for it, the compiler stopped there.
    - Or it is a tensor that an object in a variable has as a field, which its class annotates as Optional.
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

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from pdt_annotate.findings.messages.said import MISMATCH, NO_INDEXING, NONE_TYPE, OPTIONAL_FOUND
from pdt_annotate.mends.kit.blocks import LOOPS, before, can_be_indented, if_scripted, rest_of_block, statements
from pdt_annotate.mends.kit.callers import receivers
from pdt_annotate.mends.kit.construction import attribute_stores, may_set
from pdt_annotate.mends.kit.context import NOTHING, TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.deciding import is_untaken
from pdt_annotate.mends.kit.edit_arguments import call_taking, is_of_torch
from pdt_annotate.mends.kit.spelled import (
    AND,
    OR,
    Expression,
    is_looked_into,
    is_none,
    may_be_skipped,
    put_in,
    spell,
    stores,
)
from pdt_annotate.source.definitions import Function, Parameter
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import is_call_of, is_known_not_none, is_name, nodes_in
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

CONTAINERS = ("builtins.list", "builtins.dict")
UNWRAP = "torch.jit._unwrap_optional"
ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MADE = ("shape", "device", "dtype", "size", "dim", "numel", "ndim", "nelement")  # of a Tensor; they are never None
LAYER = re.compile(r"torch\.nn\.modules\.(conv|batchnorm|instancenorm|normalization|pooling|sparse|linear\.Linear)\b")
OPTIONAL = {
    "bias": "torch.nn.modules.conv.",
    **dict.fromkeys(("running_mean", "running_var"), "torch.nn.modules.batchnorm."),
}
"""The attributes that layers of torch declare as Optional."""


def find(site: FunctionContext) -> Iterator[Mend]:
    taken: list[str] = []
    asserted: set[tuple[ast.stmt, str, bool]] = set()
    done = set[ast.expr]()
    for statement in filter(site.takes_lines, statements(site.node.body)):
        is_compound = hasattr(statement, "body")
        head = getattr(statement, "iter", getattr(statement, "test", None)) if is_compound else statement
        values = (n for n in ast.walk(head) if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))) if head else ()
        read = (n for n in values if isinstance(n.ctx, ast.Load))
        wrapped = (n for n in read if not is_call_of(site.parents[n], UNWRAP.rpartition(".")[2]))
        may_be_none = (node for node in wrapped if node not in done and _may_be_none(site, node))
        used = grouped((ast.unparse(node), node) for node in may_be_none)
        for nodes in used.values():
            # A local has the value that the attribute had at the begin of the statement.
            attribute = _attribute(site, nodes[0])
            if not attribute or not may_set(site, head, attribute):  # type: ignore[arg-type]
                yield from _mend(site, statement, nodes, taken, asserted, done)
        if isinstance(statement, ast.AugAssign):
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
    """The y of `self.y`, of `self.layer.y`, and of `result.y` for an object of the project; "y_0" of `y[0]`.

    The key of `y["key"]`; "" for anything else.
    """
    match node:
        case ast.Subscript(ast.Name(name), ast.Constant(int(index))):
            return f"{name}_{index}"
        case ast.Subscript(ast.Name(), ast.Constant(str(key))):
            return key if key.isidentifier() and not iskeyword(key) else ""
        case ast.Attribute(ast.Name(local) as layer, name) if local != site.function.receiver:
            classes = [cls for value in site.values(layer) for cls in site.relatives.named(value.type)]
            return name if any(_is_optional(dict(cls.annotated).get(name, "")) for cls in classes) else ""
        case ast.Attribute(layer, name):
            held = site.held(site.self_attribute(layer)).values
            is_of_layer = bool(held) and all(value.is_module or value.items for value in held)
            return name if is_of_layer else site.self_attribute(node)
    return ""


def _may_be_none(site: FunctionContext, node: ast.expr) -> bool:
    match node:
        case ast.Subscript(value):
            containers = site.values(value) if _attribute(site, node) else ()
            return any(each.type in CONTAINERS and NOTHING in each.items for each in containers)
        case ast.Attribute(layer, name) if not site.self_attribute(node):
            outer = site.parents[node]
            if not _attribute(site, node) or (isinstance(outer, ast.Call) and outer.func is node):
                return False
            layers = site.held(site.self_attribute(layer)).values
            if layers and all(each.type.startswith(OPTIONAL.get(name, "?")) for each in layers):
                return True
            return site.is_failing(node) and {value.type for value in site.values(node)} <= {NOTHING, *TENSORS}
        case ast.Attribute(_, name):
            held = site.held(name)
            others = [value for value in held.values if value.type != NOTHING]
            is_plain = len({value.type for value in others}) == 1 and not any(v.is_module or v.name for v in others)
            return is_plain and (held.late or len(others) < len(held.values) or _is_declared(site, name))
        case ast.Name(name) if not (is_known_not_none(site.node, node) or _is_just_made(site, node)):
            around = [node, *site.around(node)]
            choices = [each for each in around if isinstance(each, ast.If)]
            arms = [(each.test, any(part in around for part in each.body)) for each in choices]
            is_reached = not any(is_untaken(site, test, truth) for test, truth in arms)
            if is_reached and {value.type for value in site.values(node)} == {NOTHING}:  # no example gets through it
                return False
            parameter, bound = site.function.parameter(name), stores(site.node, name)
            values = [getattr(site.parents[each], "value", each) for each in bound]
            fixed = {each.name for each in site.function.parameters if not stores(site.node, each.name)}
            copied = (each for each in values if site.self_attribute(each) or getattr(each, "id", "") in fixed)
            is_optional = NONE in site.observed(name) or (parameter is not None and parameter.default == NONE)
            is_optional |= parameter is not None and _is_optional(parameter.annotation) and site.is_failing(node)
            if is_optional or any(map(is_none, values)) or any(_may_be_none(site, each) for each in copied):
                return True
            # A branch that no example took may copy an attribute that only such branches set.
            kept = (site.held(site.self_attribute(each)).values for each in values if site.self_attribute(each))
            if site.is_failing(node) and any({value.type for value in each} == {NOTHING} for each in kept):
                return True
            calls = [s.value for each in bound if isinstance(s := site.statement(each)[0], ast.Assign)]
            is_result = any(isinstance(call, ast.Call) and _is_own(site, call.func) for call in calls)
            return parameter is None and is_result and site.is_failing(node)  # perhaps an Optional
    return False


def _is_declared(site: FunctionContext, attribute: str) -> bool:
    """Whether the class, or one that it inherits from, annotates an attribute as Optional."""
    classes = (site.cls, *site.relatives.ancestors(site.cls)) if site.cls else ()
    return next((_is_optional(text) for cls in classes for name, text in cls.annotated if name == attribute), False)


def _is_optional(annotation: str) -> bool:
    written = read_annotation(annotation) if annotation else None
    return written is not None and (written.name == "Optional" or (written.name == "Union" and NONE in written.args))


def _is_own(site: FunctionContext, function: ast.expr) -> bool:
    """Whether a called expression is a function of the project, a local such as the layer of a loop, or its method."""
    of = function.value if isinstance(function, ast.Attribute) else function
    return bool(site.definition(function)) or (isinstance(of, ast.Name) and of.id in site.local_names)


def _mend(
    site: FunctionContext,
    statement: ast.stmt,
    nodes: Sequence[ast.expr],
    taken: list[str],
    asserted: set[tuple[ast.stmt, str, bool]],
    done: set[ast.expr],
) -> Iterator[Mend]:
    """The mend of one value in a statement.

    Args:
        nodes: where the statement uses the value.
        taken: the new locals of the function; the mend adds its own.
        asserted: the assertions so far: the statement behind them, the variable, and whether Python runs them, too.
        done: later uses of the value, which already read the new local.
    """
    first, text = nodes[0], site.on_one_line(nodes[0])
    attribute = _attribute(site, first)
    elements = [node for node in nodes if _is_equality(site, node) and site.is_always(node, *TENSORS)]
    compared = [node for node in nodes if _is_equality(site, node) and node not in elements]
    raising = [node for node in nodes if _raises(site, node)]
    passed = [node for node in nodes if _is_never_none(site, node) and (_is_argument(site, node) or node in elements)]
    passed += [node for node in nodes if _is_kept(site, node) or _is_input(site, node)]
    surely = [node for node in (*raising, *passed) if not may_be_skipped(site, node)]
    if not (attribute or compared or surely):
        inside = (node for node in raising if not isinstance(site.parents[node], ast.Call))
        unknown = [node for node in inside if site.is_failing(node) and not _is_tested(site, node)]
        edits = [put_in(site, node, Expression(f"{site.spell(UNWRAP)}({text})")) for node in unknown]
        yield from [site.mend(first, f"assert that `{text}` is not None", edits)] if edits else []
        return
    if not (compared or raising or passed):
        return
    local = site.local_name(attribute, taken) if attribute else text
    taken.append(local)
    lines, left_out = [f"{local} = {text}"] * bool(attribute), ""
    check, is_exact = f"assert {local} is not None", not set(surely).isdisjoint(raising)
    if surely and not is_exact:
        left_out, check = f"the case that `{text}` is None", if_scripted(site, check)
    if not can_be_indented(site, statement):
        return
    if surely and not attribute:
        known = {each for each, name, exact in asserted if name == text and exact >= is_exact}
        if _is_asserted(site, statement, text, known):
            return
        asserted.add((statement, text, is_exact))
    lines += [check] * bool(surely)
    others = dict.fromkeys(_other(site.parents[node], node) for node in compared if not surely)  # type: ignore[arg-type]
    loose = [site.source(other) for other in others if not _is_made(site, other)]
    # An exact mend may be made without this one, so it has its own assertion.
    asserted.update((statement, each, False) for each in loose)
    lines += [f"assert {each} is not None" for each in loose]
    edits = [site.insert_before(statement, "\n".join(lines))] if lines else []
    replaced: set[ast.AST] = set()
    for node in compared if not surely else ():
        outer = site.parents[node]
        assert isinstance(outer, ast.Compare)
        new = spell(site, outer, lambda part: Expression(local) if part in nodes else None).text
        is_not = isinstance(outer.ops[0], ast.NotEq)
        whole = f"{local} is None or {new}" if is_not else f"{local} is not None and {new}"
        edits.append(put_in(site, outer, Expression(whole, OR if is_not else AND)))
        replaced.update(ast.walk(outer))
    later = _later_uses(site, statement, nodes) if surely and site.self_attribute(first) else []
    done.update(later)
    edits += [site.replace(node, local) for node in (*nodes, *later) if attribute and node not in replaced]
    yield site.mend(first, f"assert that `{text}` is not None", edits, frozen=bool(loose), left_out=left_out)


def _later_uses(site: FunctionContext, statement: ast.stmt, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """The uses of an attribute of `self` in a statement and those after it in its block, until code may set it."""
    attribute, found = site.self_attribute(nodes[0]), list[ast.expr]()
    for each in (statement, *rest_of_block(site, statement)):
        if any(attribute_stores(each, attribute)) or may_set(site, each, attribute):
            break
        found += (node for node in nodes_in(each, ast.Attribute) if site.self_attribute(node) == attribute)
    # Another mend may write a whole comparison.
    compared = {
        part
        for node in found
        for outer in site.around(node)
        if isinstance(outer, ast.Compare)
        for part in ast.walk(outer)
    }
    return [node for node in found if node not in nodes and node not in compared]


def _is_asserted(site: FunctionContext, statement: ast.stmt, name: str, asserted: set[ast.stmt]) -> bool:
    """Whether an assertion in front of one of these statements still holds for the variable at another statement."""
    if any(isinstance(each, LOOPS) and stores(each, name) for each in site.around(statement)):
        return False
    unchanged = itertools.takewhile(lambda each: not stores(each, name), before(site, statement))
    # In front of the whole `if` or loop, too.
    around = (each for each in asserted.intersection(site.around(statement)) if not stores(each, name))
    return any(each in asserted for each in itertools.chain(unchanged, around))


def _is_tested(site: FunctionContext, node: ast.expr) -> bool:
    """Whether the expression of `and` or `or` around an expression compares it with None."""
    chains = (outer for outer in site.statement(node)[1] if isinstance(outer, ast.BoolOp))
    tests = (each for chain in chains for each in nodes_in(chain, ast.Compare))
    return any(is_none(each.comparators[0]) and ast.unparse(each.left) == ast.unparse(node) for each in tests)


def _is_equality(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is compared with another that is no None itself."""
    outer = site.parents[node]
    if not isinstance(outer, ast.Compare) or len(outer.ops) > 1 or not isinstance(outer.ops[0], (ast.Eq, ast.NotEq)):
        return False
    if _is_tested(site, node):
        return False
    other = _other(outer, node)
    if site.self_attribute(other) and _may_be_none(site, other):  # it gets the test
        return False
    return _is_made(site, other) or (isinstance(other, (ast.Name, ast.Attribute)) and _is_never_none(site, other))


def _other(compare: ast.Compare, node: ast.expr) -> ast.expr:
    return compare.comparators[0] if node is compare.left else compare.left


def _is_made(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression cannot be None: a constant, a result of arithmetic, the shape or device of a Tensor."""
    match node:
        case ast.Name(name):
            found = [site.statement(each)[0] for each in stores(site.node, name)]
            is_local = bool(found) and not site.function.parameter(name)
            return is_local and all(isinstance(s, ast.Assign) and _is_made(site, s.value) for s in found)
        case ast.Subscript(inner) | ast.Call(inner):
            return is_name(inner, "len") or (isinstance(inner, ast.Attribute) and inner.attr in MADE)
        case ast.Attribute(attr=name):
            return name in MADE
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.Constant) and not is_none(node))


def _raises(site: FunctionContext, node: ast.expr) -> bool:
    """Whether Python raises an error if an expression is None where it is used."""
    outer = site.parents[node]
    if isinstance(outer, ast.Compare):
        return any(isinstance(op, ORDERED) for op in outer.ops)
    if isinstance(outer, ast.Call) and node in outer.args:
        is_method = isinstance(outer.func, ast.Attribute) and site.is_always(outer.func.value, *TENSORS)
        is_of_torch = is_method or site.meaning(outer.func).startswith("torch.")
        return is_of_torch and site.is_failing(outer)  # torch takes no None there
    return is_looked_into(site, node) or isinstance(outer, (ast.BinOp, ast.Starred, ast.AugAssign))


def _is_input(site: FunctionContext, node: ast.expr) -> bool:
    """Whether the failing call is that of a layer of torch, which raises an error for None."""
    outer = site.parents[node]
    attribute = site.self_attribute(outer.func) if isinstance(outer, ast.Call) and node in outer.args else ""
    types = {value.type for value in site.held(attribute).values} - {NOTHING}
    return bool(types) and all(map(LAYER.match, types)) and site.is_failing(node)


def _is_just_made(site: FunctionContext, node: ast.Name) -> bool:
    """Whether the last assignment in front, in the same block or one around it, is that of a result of torch."""
    bound = (each for each in before(site, site.statement(node)[0]) if stores(each, node.id))
    match next(bound, None):
        case ast.Assign([ast.Name()], ast.Call() as call) if not site.is_failing(node):
            in_loop = any(isinstance(each, LOOPS) and stores(each, node.id) for each in site.around(node))
            return is_of_torch(site, call) and not in_loop
    return False


def _is_argument(site: FunctionContext, node: ast.expr) -> bool:
    call = call_taking(site, node)
    if call is None:
        return isinstance(site.parents[node], (ast.List, ast.Tuple, ast.Return))
    taking = [_parameter(call, node, each) for each in receivers(site, call) or ()]
    is_asked = site.is_failing(node) and any(each and each.name == site.fact(MISMATCH, "argument") for each in taking)
    takes_none = (each is not None and (each.default == NONE or _is_optional(each.annotation)) for each in taking)
    return is_asked or not taking or not all(takes_none)


def _parameter(call: ast.Call, node: ast.expr, function: Function) -> Parameter | None:
    """The parameter of a called function that gets an argument."""
    keywords = [each.arg for each in call.keywords if each.value is node]
    placed = function.parameters[call.args.index(node) :][:1] if node in call.args else ()
    return next((function.parameter(name) for name in keywords if name), next(iter(placed), None))


def _is_kept(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an attribute gets the value of an expression, and was None in no call."""
    match site.parents[node]:
        case ast.Assign([ast.Attribute() as target]) if site.is_failing(node):
            return bool(site.held(site.self_attribute(target)).values) and not _may_be_none(site, target)
    return False


def _is_never_none(site: FunctionContext, node: ast.expr) -> bool:
    values = site.values(node)
    return bool(values) and not any(value.type == NOTHING for value in values)


RULE = MendRule("refined_values", MendKind.EXACT, quoted(OPTIONAL_FOUND, NONE_TYPE, NO_INDEXING), find)
