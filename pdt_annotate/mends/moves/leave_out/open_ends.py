"""A function whose branches all return, but which has no last `else`, ends with an error in the scripted model.

At its end, such a function returns None. Even if the configuration always decides for one of the branches, its result
is an Optional to the compiler. If the examples show this alone, the rule `dead_branches` leaves out the end.

Message: Any message about a value of type `Optional` or None, and `does not return along all paths`.
Kind: Exact.
Needs:
    - No `return` of the function is without a value.
    - Each of the branches at the end of the function returns or raises an error. Their tests read only attributes that
      only the constructor sets, and in each module of the class one of the tests is true.
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

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NONE_TYPE, OPEN_END, OPTIONAL_FOUND
from pdt_annotate.mends.kit.blocks import ends_line, may_end, never_scripted, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.deciding import is_surely_true
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    """The mend of the function; if the compiler stopped there, also of all functions that it has read.

    The result of any of them may be the Optional that the message is about.
    """
    compiled = sorted(site.shown.compiled) if site.failure else ()
    read = (site.project.read(file).function_named(name) for file, name in compiled if site.project.has(file))
    for inner in map(site.at, {each.owner: each for each in (site.function, *read) if each}.values()):
        tests, last = _tests(inner.node.body), inner.node.body[-1]
        returns = [each for each in statements(inner.node.body) if isinstance(each, ast.Return)]
        gives_values = bool(returns) and not any(each.value is None or is_none(each.value) for each in returns)
        asked = " or ".join(f"({ast.unparse(test)})" for test in tests)
        if tests and gives_values and ends_line(inner, last) and is_surely_true(inner, asked):
            what = f"leave out the end of `{inner.function.owner.qualname}`"
            yield inner.mend(last, what, [inner.insert_behind(last, never_scripted(inner))])


def _tests(block: list[ast.stmt]) -> list[ast.expr]:
    """The tests of the `if` and `elif` at the end of a block, if all their branches leave the function."""
    match block[-1]:
        case ast.If(test, body, orelse) if not may_end(body):
            others = _tests(orelse) if orelse else []
            return [test, *others] if others or not orelse else []
    return []


RULE = MendRule("open_ends", MendKind.EXACT, quoted(NONE_TYPE, OPEN_END, OPTIONAL_FOUND), find)
