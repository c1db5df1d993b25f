"""A sum of tensors is written as additions, and starts with a tensor: to the compiler, 0 stays a number.

Message: `aten::sum`, `Cannot input a tensor of`, `Type mismatch: … is set to type int`,
    `Variable … previously had type int`, `is of type … when scripted, Tensor`.
Kind: exact for a display; frozen for other lists, which may not be empty any more.
Needs: the sum was a tensor in every call; a list is evaluated first in its statement, and always; a name that starts
    with 0 became a tensor, and loops only add to it.
Before:
    loss = 0
    for x in xs:
        loss += x.sum()
    y = sum([x, x.t()])
    return sum(layer(y) for layer in self.layers)
After:
    loss = torch.zeros((), dtype=torch.int64)
    for x in xs:
        loss = loss + x.sum()
    y = 0 + x + x.t()
    terms = [layer(y) for layer in self.layers]
    total = 0 + terms[0]
    for term in terms[1:]:
        total = total + term
    return total
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NUMBER_FOR_TENSOR, NUMBER_OF_TENSOR, SUM
from pdt_annotate.mends.kit.blocks import LOOPS, statement_of_first
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, CHOICE, Expression, loads, put_in, spell
from pdt_annotate.source.syntax import is_name, plain_assignments
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _starts(site)
    for node in ast.walk(site.node):
        is_sum = is_call(node, "sum") and len(node.args) == 1 and not node.keywords and "sum" not in site.local_names
        if not is_sum or not isinstance(node, ast.Call) or not site.is_always(node, *TENSORS):
            continue
        [given] = node.args
        summary = f"`{' '.join(site.source(node).split())}` is written as additions"
        if isinstance(given, (ast.List, ast.Tuple)):
            if not any(isinstance(each, ast.Starred) for each in given.elts):
                parts = (spell(site, each).at_least(ATOM) for each in given.elts)
                new = Expression(" + ".join(("0", *parts)), ARITHMETIC)
                yield site.mend(RULE.name, MendKind.EXACT, node, summary, [put_in(site, node, new)])
            continue
        statement = statement_of_first(site, node)
        if statement is None or isinstance(given, ast.Starred) or site.is_always(given, *TENSORS):
            continue
        text, lines = spell(site, given).at_least(CHOICE), list[str]()
        names = [site.free_name("terms"), site.free_name("total"), site.free_name("term")]
        if isinstance(given, ast.Name):
            names[0] = given.id
        else:
            whole = isinstance(given, (ast.ListComp, ast.GeneratorExp))
            lines.append(f"{names[0]} = {f'[{text[1:-1]}]' if whole else f'list({text})'}")
        terms, total, term = names
        lines += [f"{total} = 0 + {terms}[0]", f"for {term} in {terms}[1:]:", f"    {total} = {total} + {term}"]
        edits = [site.insert_before(statement, "\n".join(lines)), put_in(site, node, Expression(total, ATOM))]
        yield site.mend(RULE.name, MendKind.FROZEN, node, summary, edits)


def _starts(site: FunctionContext) -> Iterator[Mend]:
    """`loss = 0`, where loops add tensors to it, as a tensor with the dtype of the other side."""
    starts: dict[str, list[ast.Assign]] = {}
    for name, assign in plain_assignments(site.node):
        if (
            isinstance(assign.value, ast.Constant)
            and type(assign.value.value) in (int, float)
            and not assign.value.value
        ):
            starts.setdefault(name, []).append(assign)
    for name, assigns in starts.items():
        types = {type_.name for type_ in site.observed(name)}
        adding = [node for node in ast.walk(site.node) if _adds(node, name)]
        loops = [loop for node in adding for loop in site.around(node) if isinstance(loop, LOOPS)]
        inside = {id(n) for node in adding for n in ast.walk(node)}
        escapes = [use for loop in loops for use in loads(loop, name) if id(use) not in inside]
        is_tensor = TENSOR.name in types and types <= {TENSOR.name, "int", "float"}
        if not adding or not is_tensor or escapes or site.function.parameter(name):
            continue
        zeros, imports = site.spell("torch.zeros")
        whole, more = site.spell("torch.int64")
        edits = []
        for assign in assigns:
            is_whole = isinstance(assign.value, ast.Constant) and isinstance(assign.value.value, int)
            edits.append(site.replace(assign.value, f"{zeros}((), dtype={whole})" if is_whole else f"{zeros}(())"))
        for node in adding:
            if isinstance(node, ast.AugAssign):  # a sum in place keeps its dtype and its shape
                text = spell(site, node.value).at_least(ARITHMETIC)
                text = f"({text})" if isinstance(node.value, ast.BinOp) and not _is_product(node.value) else text
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                edits.append(site.replace(node, f"{name} = {name} {sign} {text}"))
        summary = f"start the sum `{name}` with a tensor"
        yield site.mend(RULE.name, MendKind.FROZEN, assigns[0], summary, edits, imports=(*imports, *more))


def _adds(node: ast.AST, name: str) -> bool:
    """Whether a statement adds to a name, or subtracts from it."""
    if isinstance(node, ast.AugAssign):
        return is_name(node.target, name) and isinstance(node.op, (ast.Add, ast.Sub))
    value = node.value if isinstance(node, ast.Assign) and is_name(node.targets[0], name) else None
    is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))
    return is_sum and bool(loads(value, name))  # type: ignore[arg-type]


def _is_product(node: ast.BinOp) -> bool:
    return isinstance(node.op, (ast.Mult, ast.Div, ast.MatMult, ast.Pow))


RULE = MendRule("sums", MendKind.FROZEN, quoted(SUM, NUMBER_OF_TENSOR, NUMBER_FOR_TENSOR), find)
