"""A return of another type than any call returned raises in the scripted model: TorchScript functions return one type.

The compiler does not read code after an assertion that it knows to fail in the scripted model.

Message: `Previous return statement returned a value of type`, `Return value was annotated as having type`; any about
    a Union that a function returns.
Kind: scripted.
Needs: a return of a display, or of a local whose types were observed, in a function that always returned others.
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
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import RETURN_ANNOTATED, RETURNS_DIFFER, UNION
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, blocks, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.moves.declare.wide_annotations import take_wrong_return
from pdt_annotate.values.mends import Mend, MendKind

DISPLAYS: Mapping[type[ast.expr], str] = {ast.Tuple: "tuple", ast.List: "list", ast.Dict: "dict"}


def find(site: FunctionContext) -> Iterator[Mend]:
    """In the function, and in the functions that it calls: to the compiler their results may be a Union."""
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call))
    called = filter(None, (site.definition(call.func) for call in calls))
    for inner in map(site.at, dict.fromkeys((site.function, *called))):
        asked, imports = inner.spell(IS_SCRIPTING)
        for statement, before in _returns(inner):
            is_left_out = isinstance(before, ast.Assert) and "is_scripting()" in ast.unparse(before.test)
            if statement.value is not None and _is_untaken(inner, statement.value) and not is_left_out:
                source = inner.source(statement.value)
                left_out = inner.insert_before(statement, f'assert not {asked}(), "left out of the scripted model"')
                yield inner.mend(
                    RULE.name,
                    MendKind.SCRIPTED,
                    statement,
                    f"no `return {source}` in the scripted model, as in no example",
                    [left_out, *take_wrong_return(inner)],
                    imports=imports,
                    left_out=f"`return {source}`",
                )


def _returns(site: FunctionContext) -> Iterator[tuple[ast.Return, ast.stmt | None]]:
    """The returns that the compiler reads, each on a line of its own, with the statement in front of it."""
    read = set(statements(site.node.body))
    for block in blocks(site.node):
        for before, statement in zip((None, *block), block, strict=False):
            if isinstance(statement, ast.Return) and statement in read and site.begins_line(statement):
                yield statement, before


def _is_untaken(site: FunctionContext, value: ast.expr) -> bool:
    """Whether a returned value has none of the types that calls returned."""
    returned = site.observed("return")
    if type(value) in DISPLAYS:
        alike = [type_ for type_ in returned if type_.name == DISPLAYS[type(value)]]
        if isinstance(value, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in value.elts):
            alike = [type_ for type_ in alike if not type_.args or len(type_.args) == len(value.elts)]
        return bool(returned) and not alike
    types = site.observed(value.id) if isinstance(value, ast.Name) else ()
    return bool(returned and types) and not {each.name for each in types} & {each.name for each in returned}


RULE = MendRule(
    "untaken_returns", MendKind.SCRIPTED, quoted(RETURNS_DIFFER, RETURN_ANNOTATED, UNION), find, sweeps=False
)
