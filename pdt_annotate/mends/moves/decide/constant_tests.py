"""A test that `__init__` settles becomes a constant that is computed there: the compiler reads one arm of the branch.

Message: any, if a branch fails that some instance never takes, or the branches of a test differ in type.
Kind: frozen.
Needs: a test of plain attributes, which the constructor of the class sets and nothing else, and which no call changes.
Before:
    class Block(nn.Module):
        def __init__(self, width, skip):
            super().__init__()
            self.skip = skip
            if skip:
                self.side = nn.Linear(width, skip)

        def forward(self, x):
            if not self.skip:
                return x
            return x, self.side(x)
After:
    class Block(nn.Module):
        _has_skip: Final[bool]

        def __init__(self, width, skip):
            super().__init__()
            self.skip = skip
            self._has_skip = bool(self.skip)
            if skip:
                self.side = nn.Linear(width, skip)

        def forward(self, x):
            if not self._has_skip:
                return x
            return x, self.side(x)
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from types import SimpleNamespace

from pdt_annotate.mends.kit.construction import (
    FINAL,
    constructor,
    declare_constant,
    is_set_later,
    last_setting_of_all,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import tests
from pdt_annotate.source.definitions import Class
from pdt_annotate.values.mends import HeldValue, Mend, MendKind

SETTLED = (
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Constant, ast.Tuple, ast.List, ast.Set),
    *(ast.boolop, ast.cmpop, ast.unaryop, ast.operator, ast.expr_context),
)
"""The nodes of a settled test, apart from the attributes that it reads."""
WORDS = {
    **{ast.Eq: "is", ast.NotEq: "is_not", ast.Is: "is", ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in"},
    **{ast.Gt: "above", ast.GtE: "from", ast.Lt: "below", ast.LtE: "up_to"},
}
MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE}
COMBINATIONS = 64
FOREVER = object()


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.failure is None or site.cls is None:
        return
    met: set[str] = set()
    line = site.failure.place.line
    for guard in ast.walk(site.node):
        if not isinstance(guard, (ast.If, ast.IfExp)):
            continue
        # A choice decides if a line runs: the line is inside it, or after a branch that may leave the function.
        may_leave = isinstance(guard, ast.If) and isinstance(guard.body[-1], (ast.Return, ast.Raise))
        if not _spans(guard, line) and not (may_leave and guard.lineno < line):
            continue
        # If all instances take the branch with the line, no constant hides it from the compiler.
        arms = ((guard.body, True), (guard.orelse, False))
        parts = ((part, value) for arm, value in arms for part in (arm if isinstance(arm, list) else [arm]))
        taken = {value for part, value in parts if _spans(part, line)}
        if guard.lineno < line and taken == _outcomes(site, guard.test):
            continue
        for test in _settled(site, guard.test):
            if ast.unparse(test) not in met:
                met.add(ast.unparse(test))
                yield from _mend(site, site.cls, test)


def _spans(node: ast.expr | ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _settled(site: FunctionContext, test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test that the constructor settles, with known outcomes, and that the compiler does not fold."""
    outcomes = _outcomes(site, test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _settled(site, test.operand)
        return
    parts = list(itertools.chain(*(_settled(site, v) for v in test.values))) if isinstance(test, ast.BoolOp) else []
    if parts or outcomes is None:
        yield from parts
    elif not _is_folded(site, test):
        held = {name: site.held(name) for name in _attributes(site, test)}
        if not any(each.lacking or each.changes or is_set_later(site, name) for name, each in held.items()):
            yield test


def _is_made_of(site: FunctionContext, test: ast.expr) -> bool:
    if site.self_attribute(test):
        return True
    return isinstance(test, SETTLED) and all(_is_made_of(site, n) for n in ast.iter_child_nodes(test))  # type: ignore[arg-type]


def _is_folded(site: FunctionContext, test: ast.expr) -> bool:
    """Whether the compiler decides a test already: a comparison with None, or a flag, which can be `Final` itself."""
    if isinstance(test, ast.BoolOp):
        return all(_is_folded(site, value) for value in test.values)
    attribute = site.self_attribute(test.left if isinstance(test, ast.Compare) else test)
    values = site.held(attribute).values
    if isinstance(test, ast.Compare):
        is_none = isinstance(test.ops[0], (ast.Is, ast.IsNot))
        return is_none and not any(value.name for value in values)
    return all(value.type == "builtins.bool" for value in values) or any(value.always_true for value in values)


def _attributes(site: FunctionContext, test: ast.expr) -> list[str]:
    return sorted({site.self_attribute(node) for node in ast.walk(test)} - {""})


def _outcomes(site: FunctionContext, test: ast.expr) -> set[bool] | None:
    """The possible results of a test, by the values of its attributes; None if unknown, or if the test may raise."""
    names = _attributes(site, test)
    if not names or not _is_made_of(site, test):
        return None
    values = ([_value(each) for each in site.held(name).values] for name in names)
    combinations = itertools.islice(itertools.product(*values), COMBINATIONS)
    code = compile(ast.Expression(test), "<test>", "eval")
    try:
        receivers = (SimpleNamespace(**dict(zip(names, each, strict=True))) for each in combinations)
        return {bool(eval(code, {site.function.receiver: receiver})) for receiver in receivers} or None
    except Exception:
        return None


def _value(value: HeldValue) -> object:
    return ast.literal_eval(value.literal) if value.literal else FOREVER if value.name or value.always_true else None


def _mend(site: FunctionContext, cls: Class, test: ast.expr) -> Iterator[Mend]:
    built, text = constructor(site), ast.unparse(test)
    written = site.source(test) if test.lineno == test.end_lineno else text
    value = written if isinstance(test, ast.Compare) else f"bool({written})"
    if built is None or any(isinstance(node, ast.Return) for node in ast.walk(built.node)):
        return
    name = _name(test)
    asked = (asked for node in ast.walk(site.node) for asked in tests(node))
    same = (part for each in asked for part in _parts(each, text))
    edits = [site.replace(node, f"{site.function.receiver}.{name}") for node in same]
    known = f"{built.receiver}.{name} = {value}"
    if known not in {site.source(node) for node in ast.walk(built.node) if isinstance(node, ast.Assign)}:
        setting = last_setting_of_all(built, _attributes(site, test))
        is_taken = any(name in (getattr(n, "attr", ""), getattr(n, "id", "")) for n in ast.walk(cls.node))
        if setting is None or is_taken or site.function.receiver != built.receiver:
            return
        edits += [site.insert_behind(setting, known), *declare_constant(site, cls, name)]
    imports = [] if site.module.future_annotations else [FINAL]
    summary = f"keep `{text}` as the constant `{name}`"
    yield site.mend(RULE.name, MendKind.FROZEN, test, summary, edits, imports=imports)


def _parts(test: ast.expr, text: str) -> Iterator[ast.expr]:
    if ast.unparse(test) == text:
        yield test
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value, text)


def _name(test: ast.expr) -> str:
    """`self.skip is not None` → _has_skip, `self.norm == "batch"` → _norm_is_batch, `2 == self.n` → _is_n_2."""
    if isinstance(test, ast.Compare) and ast.unparse(test).endswith(" is not None"):
        test = test.left
    if isinstance(test, ast.Attribute):
        return f"_has_{test.attr.lstrip('_')}"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, op, right = test.left, type(test.ops[0]), test.comparators[0]
        if isinstance(left, ast.Constant):
            left, op, right = right, MIRRORED.get(op, op), left
        words = [_word(left), WORDS[op], _word(right)]
        if WORDS[op].startswith("is") and words[2][:1].isdigit():
            words = [words[1], words[0], words[2]]
        return f"_{'_'.join(words)}".rstrip("_")
    if isinstance(test, ast.BoolOp):
        return ("_and" if isinstance(test.op, ast.And) else "_or").join(map(_name, test.values))
    return f"_{_word(test)}"


def _word(node: ast.AST) -> str:
    text = node.attr if isinstance(node, ast.Attribute) else ast.unparse(node)
    return re.sub(r"\W+", "_", text.replace("self.", "").replace("-", "minus ")).strip("_").lower()[:40]


RULE = MendRule("constant_tests", MendKind.FROZEN, anything, find, sweeps=False)
