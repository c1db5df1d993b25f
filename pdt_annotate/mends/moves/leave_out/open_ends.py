"""A function whose branches return values, but which has no last `else`, ends with an error in the scripted model.

For Python, and for the compiler, such a function returns None at its end. So its result is an Optional to the compiler.

Message: Any message about a value of type `Optional` or None, and `does not return along all paths`.
Kind: Scripted. Exact if the configuration alone decides that one of the branches returns.
Needs:
    - No `return` of the function is without a value.
    - Examples entered the function, and it never returned None. Or each of the branches returns, and their tests read
      only attributes that only the constructor sets, and in each module of the class one of the tests is true.
Before:
    def forward(self, x):
        if self.pool == "mean":
            return x.mean(1)
        elif self.pool == "max":
            return x.amax(1)
After:
    def forward(self, x):
        if self.pool == "mean":
            return x.mean(1)
        elif self.pool == "max":
            return x.amax(1)
        assert not torch.jit.is_scripting(), "left out of the scripted model"
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NONE_TYPE, OPEN_END, OPTIONAL_FOUND
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, LEFT_OUT, asks_for_python, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.deciding import is_surely_true
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE


def find(site: FunctionContext) -> Iterator[Mend]:
    """The mend of the function; if the compiler stopped there, also of all functions that it has read.

    The result of any of them may be the Optional that the message is about.
    """
    compiled = sorted(site.shown.compiled) if site.failure else ()
    read = (site.project.read(file).function_named(name) for file, name in compiled if site.project.has(file))
    for function in {each.owner: each for each in (site.function, *read) if each}.values():
        yield from _ended(site.at(function))


def _ended(site: FunctionContext) -> Iterator[Mend]:
    last, types = site.node.body[-1], site.observed("return")
    returns = [each for each in statements(site.node.body) if isinstance(each, ast.Return)]
    if not returns or any(each.value is None or is_none(each.value) for each in returns) or not _may_end(last):
        return
    tests = _tests(last)
    is_settled = bool(tests) and is_surely_true(site, " or ".join(f"({ast.unparse(test)})" for test in tests))
    if is_settled or (site.is_entered() and types and NONE not in types):
        asserted = site.insert_behind(last, f"assert not {site.spell(IS_SCRIPTING)}(), {LEFT_OUT}")
        what = f"the end of `{site.function.owner.qualname}`"
        yield site.mend(last, f"leave out {what}", [asserted], left_out="" if is_settled else what)


def _may_end(statement: ast.stmt) -> bool:
    """Whether the statement after a statement may be reached."""
    match statement:
        case ast.Return() | ast.Raise() | ast.While(ast.Constant(True)):
            return False
        case ast.If(body=body, orelse=orelse):
            return not orelse or _may_end(body[-1]) or _may_end(orelse[-1])
        case ast.With(body=body):
            return _may_end(body[-1])
    return not asks_for_python(statement)


def _tests(statement: ast.stmt) -> list[ast.expr]:
    """The tests of `if` and `elif` whose branches all leave the function; none of another statement."""
    match statement:
        case ast.If(test, body, [] | [ast.If()] as orelse) if not _may_end(body[-1]):
            others = [each for inner in orelse for each in _tests(inner)]
            return [test, *others] if others or not orelse else []
    return []


RULE = MendRule("open_ends", MendKind.SCRIPTED, quoted(NONE_TYPE, OPEN_END, OPTIONAL_FOUND), find)
