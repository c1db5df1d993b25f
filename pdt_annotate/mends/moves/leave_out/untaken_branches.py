"""A branch that no example took raises an error in the scripted model, and the compiler does not compile its code.

If a branch ends with `return`, the code after the `if` is its other branch. If a missing `else` would leave a variable
without a value, an `else` that raises an error is added. An operand of `and` or `or` that no example evaluated raises
an error, too, such as the second one in `if self.training and random() < self.rate:`; so does a side of a conditional
expression.

Message:
    - Any message in the branch or in its test.
    - Any message about a variable that branches set to different types, or that one of the branches does not set.
    - Any message about returns of different types.
Kind: Scripted. Exact if the configuration alone decides the test, because then no call of the scripted model reaches
    the branch.
Needs: One of the following conditions holds.
    - Examples entered the function. The test had the same result in all of them, or none of them reached it.
    - The branch is the body of a loop, and the loop ran no round in any call of the examples.
    - The test reads only attributes that only the constructor sets, and it has the same result in all modules of the
      class.
Before:
    if x.is_cuda:
        x = torch.cuda.comm.broadcast(x, [0])[0]
    return x
After:
    if x.is_cuda:
        assert not torch.jit.is_scripting(), "left out of the scripted model"
        x = torch.cuda.comm.broadcast(x, [0])[0]
    return x
"""

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import (
    BRANCH_LACKS,
    BRANCHES_SET,
    NO_INSTANCE,
    QUOTED,
    REASSIGNED,
    RETURN_ANNOTATED,
    RETURNS_DIFFER,
)
from pdt_annotate.mends.kit.blocks import (
    IS_SCRIPTING,
    LEAVING,
    LEFT_OUT,
    add_else,
    asks_for_python,
    ends_line,
    if_scripted,
    never_scripted,
    rest_of_block,
    statements,
    when_scripted,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.deciding import decided, is_untaken
from pdt_annotate.mends.kit.spelled import ATOM, OR, Expression, is_first, is_none, is_plain, spell, stores, strength
from pdt_annotate.source.syntax import assignments
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import Failure

IS_OF_RETURNS = said(RETURNS_DIFFER, RETURN_ANNOTATED)
RECORDED = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.UnaryOp),
    *(ast.Tuple, ast.List),
)
"""The expressions whose values examples show."""


def is_asked_for(failure: Failure) -> bool:
    """The front end refuses syntax in branches that the compiler itself would not read; but not in what they call.

    If annotations are text, the compiler refuses each call of a function that is left out. It refuses to create an
    object of an unknown class only where it compiles the call.
    """
    is_late = QUOTED.is_in(failure.message) or NO_INSTANCE.is_in(failure.message)
    is_read = failure.kind == "RuntimeError" or failure.place in failure.chain or is_late
    return bool(failure.place.line) and is_read


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.failure is None:
        return
    yield from _sides(site, site.failure.place)
    yield from itertools.islice(_arms(site, site.failure), 1)
    found = (mend for caller in site.way for mend in _branches(caller))
    yield from itertools.islice((mend for mend in found if mend.kind is MendKind.EXACT), 1)
    yield from itertools.islice(itertools.chain(_idle_loops(site), _branches(site)), 1)


def _idle_loops(site: FunctionContext) -> Iterator[Mend]:
    """The outermost loop around the failing line that ran no round in any call."""
    loops = (each for each in statements(site.node.body) if isinstance(each, (ast.For, ast.While)))
    for loop in loops if site.is_entered() and site.is_recorded else ():
        first = loop.body[0]
        # The statement always evaluates this expression.
        value = next((each for name in ("test", "iter", "value") if (each := getattr(first, name, None))), None)
        is_meant = site.fails_in(*loop.body) and site.begins_line(first) and not asks_for_python(first)
        if is_meant and isinstance(value, RECORDED) and not site.values(value):
            over = site.on_one_line(loop.test if isinstance(loop, ast.While) else loop.iter)
            what = f"the loop over `{over}` in `{site.function.owner.qualname}`"
            edits = [site.insert_before(first, never_scripted(site))]
            yield site.mend(loop, f"leave out {what}", edits, left_out=what)


def _branches(site: FunctionContext) -> Iterator[Mend]:
    """The branches to leave out for a failure in the function, or in one that it calls; inner branches first."""
    lacked = site.fact(BRANCH_LACKS)
    named = lacked or site.fact(BRANCHES_SET) or site.fact(REASSIGNED)
    returns = site.failure is not None and IS_OF_RETURNS(site.failure)
    ifs = (each for each in statements(site.node.body) if isinstance(each, ast.If))
    for choice in sorted(ifs, key=lambda each: -each.lineno):
        always = decided(site, choice.test)
        if always is None and not site.values(choice.test) and _is_elif(site, choice):  # the test above decides
            continue
        # `if x: return y` leaves out the statements after it.
        rest = choice.orelse or (rest_of_block(site, choice) if isinstance(choice.body[-1], LEAVING) else [])
        for arm, other, truth in ((choice.body, choice.orelse, True), (rest, choice.body, False)):
            is_left_out = bool(arm) and asks_for_python(arm[0])
            if is_left_out or (not is_untaken(site, choice.test, truth) if always is None else always is truth):
                continue
            sets, others = (any(stores(s, named) for s in block) for block in (arm, other))
            leaves = returns and any(isinstance(n, ast.Return) for s in arm for n in ast.walk(s))
            is_meant = site.fails_in(*arm) or sets or (others and lacked) or leaves
            if is_meant and (edits := _leave_out(site, choice, arm)):
                test = site.on_one_line(choice.test)
                what = f"the branch of `{site.function.owner.qualname}` {'if' if truth else 'unless'} `{test}`"
                yield site.mend(choice, f"leave out {what}", edits, left_out=what if always is None else "")


def _is_elif(site: FunctionContext, choice: ast.stmt) -> bool:
    return site.source(choice).startswith("elif")


def _sides(site: FunctionContext, place: Place) -> Iterator[Mend]:
    """The test in which the compiler stopped, if that is on a side of `and` or `or` that no example reached."""
    read = set(statements(site.node.body))
    for choice in ast.walk(site.node):
        if not isinstance(choice, (ast.If, ast.IfExp)) or not isinstance(test := choice.test, ast.BoolOp):
            continue
        statement = choice if isinstance(choice, ast.If) else site.statement(choice)[0]
        decides = isinstance(test.op, ast.Or)
        known = (i for i, part in enumerate(test.values) if site.values(part) and is_untaken(site, part, not decides))
        reached = test.values[: next(known, len(test.values)) + 1]
        # The assertion reads the reached operands in front of the statement.
        is_read_first = site.takes_lines(statement) and is_first(statement, choice)
        is_compiled = statement in read and site.fails_in(test)
        if not is_compiled or not is_read_first or len(reached) == len(test.values):
            continue
        rest = test.values[len(reached)]
        # If the compiler stopped in a called function, it names a place before the call.
        calls = [n for each in reached for n in ast.walk(each) if isinstance(n, ast.Call)]
        is_in_call = not calls and site.failure is not None and place in site.failure.chain
        if not is_in_call and place.column and (place.line, place.column) <= (rest.lineno, rest.col_offset):
            continue
        asked = site.spell(IS_SCRIPTING)
        first = ast.unparse(ast.BoolOp(test.op, reached) if len(reached) > 1 else reached[0])
        asserted = first if decides else f"not ({first})" if len(first.split()) > 1 else f"not {first}"
        edits = [
            site.insert_before(statement, f"if {asked}():\n    assert {asserted}, {LEFT_OUT}"),
            when_scripted(site, test, str(decides)),
        ]
        left_out = f"the rest of the test in `{site.function.owner.qualname}` {'unless' if decides else 'if'} `{first}`"
        yield site.mend(test, f"leave out {left_out}", edits, left_out=left_out)


def _arms(site: FunctionContext, failure: Failure) -> Iterator[Mend]:
    """The sides of conditional expressions that no example evaluated.

    They are in the failing statement, or choose between None and another value of a variable that it reads.
    """
    choices = [
        n for each in site.failing for n in ast.walk(each) if isinstance(n, ast.IfExp) and not asks_for_python(n)
    ]
    for name in sorted(site.failing_names):
        values = (each.value for each in assignments(site.node, name) if isinstance(each.value, ast.IfExp))
        choices += [each for each in values if not asks_for_python(each) and is_none(each.body) != is_none(each.orelse)]
    for choice in choices:
        head, place = choice.test, failure.place
        end = head.end_lineno or head.lineno, head.end_col_offset or 0
        # The scripted model evaluates the test, too.
        if (head.lineno, head.col_offset) < (place.line, place.column) <= end:
            continue
        statement, _ = site.statement(choice)
        is_read_first = site.takes_lines(statement) and is_first(statement, choice)
        for other, arm, truth in ((choice.orelse, choice.body, True), (choice.body, choice.orelse, False)):
            if is_plain(arm) and failure.place in failure.chain:
                continue  # the compiler stopped in a function that the test calls
            if is_read_first and site.values(choice.test) and is_untaken(site, choice.test, truth):
                test = ast.unparse(choice.test)
                holds = f"not {Expression(test, strength(choice.test)).at_least(ATOM)}" if truth else test
                asserted = f"assert {holds}, {LEFT_OUT}"
                edits = [
                    site.insert_before(statement, if_scripted(site, asserted)),
                    when_scripted(site, choice, spell(site, other).at_least(OR)),
                ]
                left_out = f"a value in `{site.function.owner.qualname}` {'if' if truth else 'unless'} `{test}`"
                yield site.mend(choice, f"leave out {left_out}", edits, left_out=left_out)


def _leave_out(site: FunctionContext, choice: ast.If, arm: list[ast.stmt]) -> list[Edit]:
    asserted = never_scripted(site)
    if arm and site.begins_line(arm[0]):
        above = f"elif {site.spell(IS_SCRIPTING)}():\n    {asserted}" if _is_elif(site, arm[0]) else asserted
        return [site.insert_before(arm[0], above)]
    last = choice.body[-1]
    if arm or not site.begins_line(last) or not ends_line(site, last):
        return []
    return add_else(site, choice, asserted)


RULE = MendRule("untaken_branches", MendKind.SCRIPTED, is_asked_for, find, sweeps=False)
