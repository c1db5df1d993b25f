"""A return of another type than any call returned raises in the scripted model: TorchScript functions return one type.

The compiler does not read code after an assertion that it knows to fail in the scripted model. The end of a function
also returns, namely None.

Message: `Previous return statement returned a value of type`, `Return value was annotated as having type`; any about
    a Union or an Optional that a function returns.
Kind: scripted.
Needs: a return of a display, of None, or of a local whose types were observed, in a function that always returned
    others.
Before:
    def attend(q, k, v, need_weights=False):
        weights = (q @ k.transpose(1, 2)).softmax(-1)
        if need_weights:
            return weights @ v, weights
        return weights @ v
After:
    def attend(q, k, v, need_weights=False):
        weights = (q @ k.transpose(1, 2)).softmax(-1)
        if need_weights:
            assert not torch.jit.is_scripting(), "left out of the scripted model"
            return weights @ v, weights
        return weights @ v
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.findings.messages.said import OPTIONAL_FOUND, RETURN_ANNOTATED, RETURNS_DIFFER, UNION
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, blocks, ends_line, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.mends.moves.declare.wide_annotations import take_wrong_return
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

DISPLAYS: Mapping[type[ast.expr], str] = {ast.Tuple: "tuple", ast.List: "list", ast.Dict: "dict"}


def find(site: FunctionContext) -> Iterator[Mend]:
    """In the function, and in the functions that it calls: to the compiler their results may be a Union."""
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call))
    called = filter(None, (site.definition(call.func) for call in calls))
    for inner in map(site.at, dict.fromkeys((site.function, *called))):
        asserted = f'assert not {inner.spell(IS_SCRIPTING)[0]}(), "left out of the scripted model"'
        for statement, before in _returns(inner):
            is_left_out = isinstance(before, ast.Assert) and "is_scripting()" in ast.unparse(before.test)
            if _is_untaken(inner, statement.value) and not is_left_out:
                yield _mend(inner, statement, inner.source(statement), inner.insert_before(statement, asserted))
        last, returns = inner.node.body[-1], any(statement.value for statement, _ in _returns(inner))
        if returns and _is_untaken(inner, None) and _may_end(inner.node.body) and ends_line(inner, last):
            yield _mend(inner, last, "return None", inner.insert_behind(last, asserted))


def _mend(site: FunctionContext, statement: ast.stmt, left_out: str, edit: Edit) -> Mend:
    return site.mend(
        RULE.name,
        MendKind.SCRIPTED,
        statement,
        f"no `{left_out}` in the scripted model, as in no example",
        [edit, *take_wrong_return(site)],
        imports=site.spell(IS_SCRIPTING)[1],
        left_out=f"`{left_out}`",
    )


def _returns(site: FunctionContext) -> Iterator[tuple[ast.Return, ast.stmt | None]]:
    """The returns that the compiler reads, each on a line of its own, with the statement in front of it."""
    read = set(statements(site.node.body))
    for block in blocks(site.node):
        for before, statement in zip((None, *block), block, strict=False):
            if isinstance(statement, ast.Return) and statement in read and site.begins_line(statement):
                yield statement, before


def _may_end(block: Sequence[ast.stmt]) -> bool:
    """Whether a block may end without a return or an error."""
    last = block[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _may_end(last.body) or _may_end(last.orelse)
    return not isinstance(last, (ast.Return, ast.Raise, ast.Assert))


def _is_untaken(site: FunctionContext, value: ast.expr | None) -> bool:
    """Whether a returned value has none of the types that calls returned."""
    returned = site.observed("return")
    if value is None or is_none(value):
        return bool(returned) and NONE not in returned
    if type(value) in DISPLAYS:
        alike = [type_ for type_ in returned if type_.name == DISPLAYS[type(value)]]
        if isinstance(value, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in value.elts):
            alike = [type_ for type_ in alike if not type_.args or len(type_.args) == len(value.elts)]
        return bool(returned) and not alike
    types = site.observed(value.id) if isinstance(value, ast.Name) else ()
    return bool(returned and types) and not {each.name for each in types} & {each.name for each in returned}


RULE = MendRule(
    "untaken_returns",
    MendKind.SCRIPTED,
    quoted(RETURNS_DIFFER, RETURN_ANNOTATED, UNION, OPTIONAL_FOUND),
    find,
    sweeps=False,
)
