"""A branch that no example took raises in the scripted model, and the compiler does not read it.

The code behind a branch that returns is a branch, too. One that is not written, and would leave a name without a
value, becomes an `else` that raises there.

Message: any, in the branch; about a name that branches set to different types, or that one of them does not set; about
    returns of different types.
Kind: scripted.
Needs: a function that examples entered, and a test that always had the same truth in them, or that none reached.
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

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCH_LACKS, BRANCHES_SET, REASSIGNED, RETURN_ANNOTATED, RETURNS_DIFFER
from pdt_annotate.mends.kit.blocks import ARMS, IS_SCRIPTING, ends_line, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
LEFT_OUT = '"left out of the scripted model"'


def is_asked_for(failure: Failure) -> bool:
    """The compiler's front end refuses syntax in branches that the compiler itself would not read."""
    return failure.kind == "RuntimeError" and bool(failure.place.line)


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.failure is None or not site.is_entered() or not site.is_recorded:
        return
    message, line = site.failure.message, site.failure.place.line
    lacks = BRANCH_LACKS.read(message)
    named = lacks or BRANCHES_SET.read(message) or REASSIGNED.read(message)
    returns = RETURNS_DIFFER.is_in(message) or RETURN_ANNOTATED.is_in(message)
    ifs = (each for each in statements(site.node.body) if isinstance(each, ast.If))
    found = [each for each in ifs if "is_scripting()" not in ast.unparse(each.test)]
    for choice in sorted(found, key=lambda each: -each.lineno):
        rest = choice.orelse or _behind(site, choice)
        for arm, other, truth in ((choice.body, choice.orelse, True), (rest, choice.body, False)):
            if not _is_untaken(site, choice.test, truth) or _is_left_out(arm):
                continue
            spans = bool(arm) and arm[0].lineno <= line <= (arm[-1].end_lineno or 0)
            sets, others = (any(stores(s, named["name"]) for s in block) if named else False for block in (arm, other))
            missing = bool(lacks) and others and not sets
            leaves = returns and any(isinstance(n, ast.Return) for s in arm for n in ast.walk(s))
            if (spans or sets or missing or leaves) and (edits := _leave_out(site, choice, arm)):
                test = " ".join(site.source(choice.test).split())
                left_out = f"what `{site.function.owner.qualname}` does {'if' if truth else 'unless'} `{test}`"
                imports, summary = site.spell(IS_SCRIPTING)[1], f"leave {left_out} out"
                kind = MendKind.SCRIPTED
                yield site.mend(RULE.name, kind, choice, summary, edits, imports=imports, left_out=left_out)
                return


def _behind(site: FunctionContext, choice: ast.If) -> list[ast.stmt]:
    """The statements behind a branch that leaves them out: `if x: return y`."""
    around = site.parents[choice]
    arms = (getattr(around, name, []) for name in ARMS) if isinstance(choice.body[-1], LEAVING) else ()
    return next((arm[arm.index(choice) + 1 :] for arm in arms if isinstance(arm, list) and choice in arm), [])


def _is_untaken(site: FunctionContext, test: ast.expr, truth: bool) -> bool:
    """Whether a test was never of this truth in the calls of the examples; they may not have reached it."""
    values = site.values(test)
    known = [value.literal or "True" for value in values if value.literal or value.always_true or value.is_module]
    return len(known) == len(values) and all(bool(ast.literal_eval(value)) is not truth for value in known)


def _is_left_out(arm: list[ast.stmt]) -> bool:
    return bool(arm) and isinstance(arm[0], ast.Assert) and "is_scripting()" in ast.unparse(arm[0].test)


def _leave_out(site: FunctionContext, choice: ast.If, arm: list[ast.stmt]) -> list[Edit]:
    asserted = f"assert not {site.spell(IS_SCRIPTING)[0]}(), {LEFT_OUT}"
    if arm:
        is_first = site.begins_line(arm[0]) and not site.source(arm[0]).startswith("elif")
        return [site.insert_before(arm[0], asserted)] if is_first else []
    last = choice.body[-1]
    if not site.begins_line(last) or not ends_line(site, last):
        return []
    indent, end = site.text.indent(site.text.start(choice)), site.end_of_lines(last)
    step = site.text.indent(site.text.start(choice.body[0]))
    end = len(site.text.body[:end].rstrip(b"\r\n"))
    return [Edit(end, f"{site.text.newline}{indent}else:{site.text.newline}{step}{asserted}")]


RULE = MendRule("untaken_branches", MendKind.SCRIPTED, is_asked_for, find, sweeps=False)
