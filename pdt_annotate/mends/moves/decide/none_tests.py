"""A truth test of an optional value also compares it with None, and `a or b` becomes a conditional expression.

If a layer is compared with None, the compiler knows the result at compile time, and skips the branch that is never
taken. In TorchScript, the result of `or` is always a bool, and `is` between members of an Enum is always False. The
compiler refuses to compare None with a number or text.

Message: Any message in a function that contains such a test or such an expression.
Kind: Exact. Frozen for the truth of a variable that held only tuples and dicts, if the source does not show this, and
    for `self.scale or y` where the attribute was always None, if the new expression only tests for None.
    Scripted for an attribute that code adds to tensors.
Needs: One of the following conditions holds.
    - A tested parameter may be None.
    - A tested variable held only tuples and dicts, whose truth the compiler does not know.
    - A tested attribute of `self` held only None, containers, or objects that are always true, such as layers.
    - The first operand of `or` is a name or an attribute that may be None, or that was not always a bool.
    - A layer is compared with None by `==` or `!=`, or a value with a member of an Enum by `is` or `is not`. No class
      of the project defines such a comparison.
    - One side of `==` or `!=` is an attribute of `self` that held None. The other side is a name, an attribute or a
      constant, and was always a number or a text.
    - An operand of `and` or `or` compares an attribute of `self` that held None with None, and later operands read it.
    - An attribute that code adds to tensors is compared with None, and was None in all calls: `self.weight.fast`. The
      scripted model has no such attributes.
Before:
    if self.downsample:
        x = self.downsample(x)
    if scale:
        x = x * scale
    if n == self.last or self.last is not None and self.last > 2 * n:
        return x
    return x * (scale or 1.0) * (n or 2)
After:
    if self.downsample is not None:
        x = self.downsample(x)
    if scale is not None and scale:
        x = x * scale
    if (n == self.last if self.last is not None else False) or (self.last > 2 * n if self.last is not None else False):
        return x
    return x * (scale if scale is not None and scale else 1.0) * (n if n else 2)
"""

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_METHOD
from pdt_annotate.mends.kit.blocks import when_scripted
from pdt_annotate.mends.kit.callers import own_variadics
from pdt_annotate.mends.kit.construction import is_call, is_of_torch
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import (
    AND,
    CHOICE,
    COMPARE,
    NOT,
    OR,
    Expression,
    is_none,
    is_plain,
    put_in,
    spell,
    stores,
    tested,
    tests,
)
from pdt_annotate.source.syntax import dotted_name, is_known_not_none, nodes_in, root_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

NONE_TYPE = NOTHING.rpartition(".")[2]
PLAIN = ("bool", "int", "float", "str")
SIZED = frozenset(("tuple", "dict", "Size"))  # the compiler knows no truth of them


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _added(site, site.fact(NO_METHOD))
    asked = {id(part) for node in ast.walk(site.node) for test in tests(node) for part in ast.walk(test)}
    for node in ast.walk(site.node):
        match node:
            case ast.BoolOp(operator):
                is_value = isinstance(operator, ast.Or) and id(node) not in asked
                summary = f"write `{site.source(node)}` with `if` and `else`"
                for choice, frozen in (is_value and _conditions(site, node)) or _operands(site, node):
                    yield site.mend(node, summary, [put_in(site, node, choice)], frozen=frozen)
            case ast.Compare(one, [ast.Eq() | ast.NotEq()], [other]):
                new = _identity(site, node) if is_none(other) else None
                new = new or _comparison(site, node, one, other) or _comparison(site, node, other, one)
                if new is not None:
                    yield site.mend(node, f"test `{ast.unparse(node)}` as `{new.text}`", [put_in(site, node, new)])
            case ast.Compare(_, [ast.Is() | ast.IsNot()], [ast.Attribute(member)]) if _is_enum(site, member):
                new = _equality(site, node)
                yield site.mend(node, f"test `{ast.unparse(node)}` as `{new.text}`", [put_in(site, node, new)])
    for node in tested(site.node):
        new = _test(site, node)
        joining = itertools.takewhile(lambda outer: isinstance(outer, (ast.BoolOp, ast.UnaryOp)), site.around(node))
        # The compiler does not read the other arm if a test for None begins the expression.
        arms = [
            each.test for each in site.around(node) if isinstance(each, ast.IfExp) and _kinds(site, node) == {NONE_TYPE}
        ]
        if new is not None and not any(_is_compared(node, each) for each in ([node, *joining][-1], *arms)):
            summary, edits = f"test `{ast.unparse(node)}` as `{new.text}`", [put_in(site, node, new)]
            yield site.mend(node, summary, edits, frozen=_may_be_unsized(site, node))


def _added(site: FunctionContext, name: str) -> Iterator[Mend]:
    """The tests of an attribute that code adds to tensors."""
    compared = (node for node in nodes_in(site.node, ast.Compare) if all(map(is_none, node.comparators)))
    read = [each.left for each in compared if isinstance(each.left, ast.Attribute) and each.left.attr == name]
    # An operand that `and` skipped has no values.
    values = {value.type for each in read for value in site.values(each)}
    if values == {NOTHING}:
        edits, text = [when_scripted(site, each, "None") for each in read], site.source(read[0])
        left_out = f"other values of `{text}` than None"
        yield site.mend(read[0], f"read `{text}` only in Python", edits, left_out=left_out)


def _test(site: FunctionContext, node: ast.expr) -> Expression | None:
    """The test of an attribute, or of a name that may be None."""
    if attribute := site.self_attribute(node):
        held = site.held(attribute)
        values = [v for v in held.values if v.type != NOTHING]
        may_be_none = len(values) < len(held.values)
        if held.lacking or not held.values:
            return None
        if all(value.always_true for value in values):
            return Expression(f"{site.source(node)} is not None", COMPARE)
        # The compiler itself tests the length of a list.
        is_sized = all(value.length >= 0 and (may_be_none or value.type != "builtins.list") for value in values)
        return _truth(site.source(node), is_sized=True, may_be_none=may_be_none) if is_sized else None
    if not isinstance(node, ast.Name) or not (kinds := _kinds(site, node)):
        return None
    is_optional = bool(site.function.parameter(node.id)) and NONE_TYPE in kinds
    if not kinds <= SIZED and (not is_optional or is_known_not_none(site.node, node)):
        return None
    return _truth(node.id, is_sized=bool(kinds & SIZED), may_be_none=is_optional)


def _may_be_unsized(site: FunctionContext, node: ast.expr) -> bool:
    """Whether a name that held only tuples and dicts may hold something without a length in other calls."""
    if not isinstance(node, ast.Name) or not _kinds(site, node) <= SIZED or node.id in own_variadics(site):
        return False
    values = [getattr(site.parents[each], "value", None) for each in stores(site.node, node.id)]
    return not values or not all(isinstance(value, (ast.Tuple, ast.Dict)) for value in values)


def _truth(text: str, *, is_sized: bool, may_be_none: bool) -> Expression:
    test = f"len({text}) > 0" if is_sized else text
    if not may_be_none:
        return Expression(test, COMPARE)
    if text.isidentifier() or is_sized:
        return Expression(f"{text} is not None and {test}", AND)
    return Expression(f"{test} if {text} is not None else False", CHOICE)


def _identity(site: FunctionContext, node: ast.Compare) -> Expression | None:
    """The comparison of a layer with None by `is`: no class of the project compares in its own way."""
    values = site.held(site.self_attribute(node.left)).values
    is_layer = bool(values) and all(value.is_module or value.type == NOTHING for value in values)
    if not is_layer or site.project.mentions("__eq__") or site.project.mentions("__ne__"):
        return None
    word = "is" if isinstance(node.ops[0], ast.Eq) else "is not"
    return Expression(f"{spell(site, node.left).at_least(COMPARE)} {word} None", COMPARE)


def _is_enum(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression names an Enum of the project, which compares by identity."""
    names = site.project.names
    place = names.find(site.file, dotted_name(node)) if root_name(node) not in site.local_names else None
    known = names.class_at(place) if place else None
    compares = site.project.mentions("__eq__") or site.project.mentions("__ne__")
    return known is not None and is_of_torch(site, known, package="enum") and not compares


def _equality(site: FunctionContext, node: ast.Compare) -> Expression:
    left, right = (spell(site, each).at_least(COMPARE + 1) for each in (node.left, node.comparators[0]))
    return Expression(f"{left} {'==' if isinstance(node.ops[0], ast.Is) else '!='} {right}", COMPARE)


def _comparison(site: FunctionContext, node: ast.Compare, asked: ast.expr, other: ast.expr) -> Expression | None:
    """A comparison of an attribute that may be None with a value that is not."""
    is_plainly = is_plain(other) and site.is_always(other, *PLAIN) and NONE_TYPE not in _kinds(site, other)
    around = [node, *site.around(node)]
    tests = [each.test for each in around if isinstance(each, (ast.If, ast.IfExp)) and each.test not in around]
    if not is_plainly or not _may_be_none(site, asked) or any(_is_compared(asked, test) for test in tests):
        return None
    otherwise = isinstance(node.ops[0], ast.NotEq)
    return Expression(f"{site.source(node)} if {site.source(asked)} is not None else {otherwise}", CHOICE)


def _operands(site: FunctionContext, node: ast.BoolOp) -> list[tuple[Expression, bool]]:
    """Operands that read an attribute that may be None, in an arm: the compiler reads one arm, but all operands."""
    word, sign = ("and", ast.IsNot) if isinstance(node.op, ast.And) else ("or", ast.Is)
    for count, operand in enumerate(node.values[:-1], 1):
        if not isinstance(operand, ast.Compare) or not isinstance(operand.ops[0], sign) or "#" in site.source(node):
            continue  # another operand, or one with comments
        rest = node.values[count:]
        parts = (part for each in rest for part in ast.walk(each) if ast.dump(part) == ast.dump(operand.left))
        is_read = any(not is_call(site.parents[part], "len") for part in parts)  # it knows the length of None
        if is_read and is_none(operand.comparators[0]) and _may_be_none(site, operand.left):
            inner = f" {word} ".join(spell(site, each).at_least(NOT) for each in rest)
            arms = f"{inner} if {site.source(operand)} else False"
            if sign is ast.Is:
                arms = f"True if {site.source(operand)} else {inner}"
            before = [spell(site, each).at_least(NOT) for each in node.values[: count - 1]]
            whole = f" {word} ".join([*before, f"({arms})" if before else arms])
            return [(Expression(whole, (AND if sign is ast.IsNot else OR) if before else CHOICE), False)]
    return []


def _may_be_none(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is an attribute of `self` that held None, and that no call changes."""
    held = site.held(site.self_attribute(node))
    return not held.changes and any(value.type == NOTHING for value in held.values)


def _is_compared(node: ast.expr, test: ast.AST) -> bool:
    """Whether a test compares an expression with None."""
    compared = nodes_in(test, ast.Compare)
    return any(isinstance(n.ops[0], (ast.Is, ast.IsNot)) and ast.dump(n.left) == ast.dump(node) for n in compared)


def _conditions(site: FunctionContext, choice: ast.BoolOp) -> list[tuple[Expression, bool]]:
    """The conditional expressions for `a or b`, each with whether it is frozen; where one is, the next is exact."""
    first, start, end = choice.values[0], site.span(choice.values[1])[0], site.span(choice.values[-1])[1]
    kinds, held = _kinds(site, first), site.held(site.self_attribute(first))
    if not is_plain(first) or isinstance(first, ast.Constant) or kinds <= {"bool"}:
        return []
    value, source = spell(site, first).at_least(OR), site.text.body[start:end].decode()
    other = spell(site, choice.values[1]) if len(choice.values) == 2 else Expression(source, OR)
    rest = other.at_least(CHOICE)
    if kinds == {NONE_TYPE}:  # the compiler sees at once which arm it need not read
        may_be_plain = held.values and not held.lacking and len(choice.values) == 2
        plain = [(Expression(f"{value} if {value} is not None else {rest}", CHOICE), True)] if may_be_plain else []
        return [*plain, (Expression(f"{rest} if {value} is None else {value} if {value} else {rest}", CHOICE), False)]
    truth = _truth(value, is_sized=bool(kinds & SIZED), may_be_none=NONE_TYPE in kinds)
    return [(Expression(f"{value} if {(_test(site, first) or truth).at_least(OR)} else {rest}", CHOICE), False)]


def _kinds(site: FunctionContext, node: ast.expr) -> set[str]:
    """The last names of the types that a value had, and of None if a parameter has that default."""
    parameter = site.function.parameter(node.id) if isinstance(node, ast.Name) else None
    types = {value.type for value in site.values(node)} | site.seen(node)
    is_none = parameter is not None and (parameter.default == NONE or "Optional" in parameter.annotation)
    names = {name.rpartition(".")[2] for name in types} - {"None"}
    return names | ({NONE_TYPE} if is_none or "None" in types else set())


RULE = MendRule("none_tests", MendKind.EXACT, anything, find)
