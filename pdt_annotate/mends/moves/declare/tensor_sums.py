"""A sum or product of Tensors that begins as a number is a Tensor from the start in the scripted model.

A Tensor of bool without dimensions changes neither type nor shape of what is added to it.

Message: any about a name of two types; `Cannot input a tensor` when the scripted model runs, or a number as its result.
Kind: scripted.
Needs: a local that is 0 or 1 at first, is a Tensor later, and is only added to, subtracted from or multiplied.
Before:
    loss = 0
    for y in x:
        loss += y.sum()
    return loss
After:
    loss = 0
    if torch.jit.is_scripting():
        loss = torch.zeros([], dtype=torch.bool)
    for y in x:
        if torch.jit.is_scripting():
            loss = loss + y.sum()
        else:
            loss += y.sum()
    return loss
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCHES_SET, NO_NUMBER, REASSIGNED
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, can_be_indented, ends_line, statements
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ATOM, Expression, loads, stores, strength
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
STARTS = {"0": "torch.zeros", "0.0": "torch.zeros", "1": "torch.ones", "1.0": "torch.ones"}


def find(site: FunctionContext) -> Iterator[Mend]:
    asked, imports = site.spell(IS_SCRIPTING)
    for start in statements(site.node.body):
        target = start.targets[0] if isinstance(start, ast.Assign) and len(start.targets) == 1 else None
        called = STARTS.get(ast.unparse(start.value)) if isinstance(start, ast.Assign) else None
        if not called or not isinstance(target, ast.Name) or not _is_sum(site, target.id, start):
            continue
        whole = [site.statement(node)[0] for node in stores(site.node, target.id)]
        if not all(site.begins_line(s) and ends_line(site, s) and can_be_indented(site, s) for s in whole):
            continue
        name, (made, more), (dtype, _) = target.id, site.spell(called), site.spell("torch.bool")
        edits = [site.insert_behind(start, f"if {asked}():\n    {name} = {made}([], dtype={dtype})")]
        edits += [_apart(site, each, asked) for each in whole if isinstance(each, ast.AugAssign)]
        summary, left_out = f"`{name}` is a Tensor from the start in the scripted model", f"`{name}` as a number"
        needed = (*imports, *more)
        yield site.mend(RULE.name, MendKind.SCRIPTED, start, summary, edits, imports=needed, left_out=left_out)


def _is_sum(site: FunctionContext, name: str, start: ast.stmt) -> bool:
    """Whether a name is a Tensor at times, and each statement but the first only adds to it, or the like."""
    is_tensor = any(value.type in TENSORS for node in loads(site.node, name)[:1] for value in site.values(node))
    is_tensor = is_tensor or "Tensor" in {each.name.rpartition(".")[2] for each in site.observed(name)}
    others = [site.statement(node)[0] for node in stores(site.node, name)]
    return is_tensor and len(others) > 1 and all(each is start or _adds(each, name) for each in others)


def _adds(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.AugAssign):
        return type(statement.op) in SIGNS
    value = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    while isinstance(value, ast.BinOp) and type(value.op) in SIGNS:
        if loads(value.right, name) and not loads(value.left, name):
            return isinstance(value.right, ast.Name) and isinstance(value.op, (ast.Add, ast.Mult))
        value = value.left
    return isinstance(value, ast.Name) and value.id == name


def _apart(site: FunctionContext, statement: ast.AugAssign, asked: str) -> Edit:
    """`x += y` in Python alone, where it may change the Tensor itself."""
    name, sign = ast.unparse(statement.target), SIGNS[type(statement.op)]
    value = Expression(site.source(statement.value), strength(statement.value)).at_least(ATOM)
    added = f"if {asked}():\n    {name} = {name} {sign} {value}"
    return site.replace(statement, f"{added}\nelse:\n    {site.source(statement)}")


RULE = MendRule("tensor_sums", MendKind.SCRIPTED, quoted(REASSIGNED, BRANCHES_SET, NO_NUMBER), find)
