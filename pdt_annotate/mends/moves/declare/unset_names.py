"""If only a branch or loop sets a variable that later code reads, the scripted model also sets it beforehand.

If the branch or loop does not run, Python raises an error when the variable is read. The compiler rejects the code.

Message: `width is not defined in the false branch`, `undefined value`.
Kind: Exact if an assertion can be inserted before each statement that may read the variable before it is set. The
    scripted model then raises an error wherever Python does. Otherwise scripted.
Needs:
    - One loop, `if` or `with` statement contains all assignments of the variable. Code reads the variable only after
      the first of these assignments.
    - The value is a number, a bool, a string, a Tensor or a list of Tensors.
Before:
    for layer in self.layers:
        out = layer(x)
    return out
After:
    if torch.jit.is_scripting():
        out: Optional[torch.Tensor] = None
    for layer in self.layers:
        out = layer(x)
    if torch.jit.is_scripting():
        assert out is not None
    return out
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCH_LACKS, UNDEFINED
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, LOOPS, is_set_before
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import CHOOSING, loads, stores
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NEVER_READ = {"int": "0", "float": "0.0", "bool": "False", "str": '""', "list[torch.Tensor]": "[]"}
OUTER = (*LOOPS, ast.If, ast.With)


def find(site: FunctionContext) -> Iterator[Mend]:
    lacks = BRANCH_LACKS.read(site.failure.message) if site.failure else None
    for name in sorted({lacks["name"]} if lacks else site.failing_names):
        yield from _set_before(site, name)


def _set_before(site: FunctionContext, name: str) -> Iterator[Mend]:
    bound, read = stores(site.node, name), loads(site.node, name)
    around = [outer for outer in site.around(bound[0]) if isinstance(outer, OUTER)] if bound else []
    if not around or not read or site.function.parameter(name):
        return
    first = min(bound, key=lambda node: (node.lineno, node.col_offset))
    is_late = set(ast.walk(around[-1])).issuperset(bound) and all(node.lineno >= first.lineno for node in read)
    asked, new = site.spell(IS_SCRIPTING), _set(site, name, read[0])
    if not new or not is_late:
        return
    edits = _asserted(site, name, f"if {asked}():\n    assert {name} is not None")
    left_out = "" if edits else f"the error if nothing sets `{name}`"
    if edits:
        new = f"{name}: {site.spell('typing.Optional')}[{_type(site, read[0])}] = None"
    edits.append(site.insert_before(around[-1], f"if {asked}():\n    {new}"))
    yield site.mend(around[-1], f"add `{new}` in the scripted model", edits, left_out=left_out)


def _asserted(site: FunctionContext, name: str, check: str) -> list[Edit]:
    """The edits that check the name where it is read before it is surely set; none if a use cannot have a check."""
    setting = {site.statement(node)[0] for node in stores(site.node, name)}
    read = sorted(loads(site.node, name), key=lambda node: (node.lineno, node.col_offset))
    is_plain = all(isinstance(each, (ast.Assign, ast.AnnAssign)) for each in setting) and _type(site, read[0])
    edits, checked = list[Edit](), set[ast.stmt]()
    for use in read if is_plain else ():
        statement, between = site.statement(use)
        if is_set_before(site, statement, checked | setting) or statement in checked:
            continue
        is_first = site.takes_lines(statement)
        if not is_first or any(isinstance(node, CHOOSING) for node in between):
            return []
        checked.add(statement)
        edits.append(site.insert_before(statement, check))
    return edits


def _type(site: FunctionContext, value: ast.expr) -> str:
    if site.is_always(value, "torch.Tensor"):
        return site.spell("torch.Tensor")
    if site.is_always(value, "list[torch.Tensor]"):
        return f"{site.spell('typing.List')}[{site.spell('torch.Tensor')}]"
    return next((each for each in NEVER_READ if each.isalpha() and site.is_always(value, each)), "")


def _set(site: FunctionContext, name: str, value: ast.expr) -> str:
    """An assignment of a value that is never read, of the type of another; "" if there is none."""
    if site.is_always(value, "torch.Tensor"):
        return f"{name} = {site.spell('torch.empty')}(0)"
    return next((f"{name} = {text}" for type_, text in NEVER_READ.items() if site.is_always(value, type_)), "")


RULE = MendRule("unset_names", MendKind.EXACT, said(BRANCH_LACKS, UNDEFINED), find, sweeps=False)
