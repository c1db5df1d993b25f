"""A loop over `itertools.product` becomes nested loops.

In a comprehension, it becomes several `for` clauses, which the rule `comprehension_tests` then changes.

Message: `range cannot be used as a value`, `product(Tensor 0`.
Kind: Exact.
Needs:
    - Every iterated value is a display of constants, a tuple, or a `range`. The loop changes none but the first.
    - The loop has no `break` and no `else`, and no code reads its variables after it.
Before:
    for i, j in itertools.product(range(x.shape[0]), range(2)):
        x[i, j] = 0
    return [x[i::2, j::2] for i, j in itertools.product(range(2), repeat=2)]
After:
    for i in range(x.shape[0]):
        for j in range(2):
            x[i, j] = 0
    return [x[i::2, j::2] for i in range(2) for j in range(2)]
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pdt_annotate.findings.messages.said import PRODUCT
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, LOOPS, code_of, nested
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import CHOICE, loads, spell, stores
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

PRODUCT_OF = "itertools.product"
MOST = 4  # iterated values


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        clauses: Sequence[ast.For | ast.comprehension] = [node] if isinstance(node, ast.For) else ()
        clauses = node.generators if isinstance(node, COMPREHENSIONS) else clauses
        for clause in clauses:
            factors = _factors(site, clause.iter)
            targets = clause.target.elts if isinstance(clause.target, (ast.Tuple, ast.List)) else ()
            are_named = len(targets) == len(factors) and all(isinstance(each, ast.Name) for each in targets)
            # Nested loops evaluate the first value once, too.
            is_once = bool(factors) and is_call(factors[0], "range")
            are_again = all(_is_again(site, each, node) for each in factors[is_once:])
            if not factors or not are_named or not are_again:
                continue
            headers = [f"for {each} in {text}" for each, text in _pairs(site, targets, factors)]
            edits = _nested(site, clause, headers) if isinstance(clause, ast.For) else _clauses(site, clause, headers)
            if edits:
                yield site.mend(clause.iter, f"write `{site.source(clause.iter)}` as nested loops", edits)


def _factors(site: FunctionContext, node: ast.expr) -> list[ast.expr]:
    """The iterated values of `itertools.product`, in order; none if it is another call, or takes too few or many."""
    repeats, factors = 1, list[ast.expr]()
    match node:
        case ast.Call(_, args, []) if site.meaning(node.func) == PRODUCT_OF:
            factors = args
        case ast.Call(_, args, [ast.keyword("repeat", ast.Constant(int(repeats)))]):
            factors = args * repeats if site.meaning(node.func) == PRODUCT_OF else []
    return factors if 2 <= len(factors) <= MOST else []


def _pairs(
    site: FunctionContext, targets: Iterable[ast.expr], factors: Iterable[ast.expr]
) -> Iterator[tuple[str, str]]:
    for target, factor in zip(targets, factors, strict=True):
        yield site.source(target), spell(site, factor).at_least(CHOICE)


def _is_again(site: FunctionContext, node: ast.expr, loop: ast.AST) -> bool:
    """Whether a value gives the same items each time that the loop goes over it."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(literal_type, node.elts))
    if is_call(node, "range"):
        return not node.keywords and all(_is_number(site, each, loop) for each in node.args)
    return isinstance(node, ast.Name) and site.is_always(node, "tuple") and not stores(loop, node.id)


def _is_number(site: FunctionContext, node: ast.expr, loop: ast.AST) -> bool:
    """Whether a number is the same throughout a loop: a name or size, or configuration, in a calculation."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(name):
            return not stores(loop, name)
        case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant()):
            return not stores(loop, name)
        case ast.BinOp(left, _, right):
            return _is_number(site, left, loop) and _is_number(site, right, loop)
        case ast.Attribute():
            return is_kept(site, site.self_attribute(node))
    return False


def _clauses(site: FunctionContext, clause: ast.comprehension, headers: Sequence[str]) -> list[Edit]:
    """`for i in xs for j in ys`."""
    if clause.is_async:
        return []
    end = site.span(clause.iter)[1]
    start = site.text.body.rindex(b"for", 0, site.span(clause.target)[0])
    return [Edit(start, " ".join(headers), removed=end - start)]


def _nested(site: FunctionContext, loop: ast.For, headers: Sequence[str]) -> list[Edit]:
    breaks = (node for node in ast.walk(loop) if isinstance(node, ast.Break))
    leaves = any(next(outer for outer in site.around(node) if isinstance(outer, LOOPS)) is loop for node in breaks)
    targets, inside = names_in(loop.target), set(ast.walk(loop))
    later = (use for name in targets for use in loads(site.node, name) if use not in inside)
    is_read = any(not any(stores(outer, use.id) for outer in _loops_around(site, use)) for use in later)
    body = code_of(site, loop.body)
    start, end = site.span(loop)[0], site.text.start(loop.body[0])
    if leaves or is_read or loop.orelse or body is None or b"#" in site.text.body[start:end]:
        return []
    edit = site.replace(loop, nested(body, *(f"{header}:" for header in headers)))
    end = len(site.text.body[: site.end_of_lines(loop.body[-1])].rstrip())
    return [replace(edit, removed=end - edit.offset)]


def _loops_around(site: FunctionContext, node: ast.AST) -> Iterator[ast.AST]:
    return (outer for outer in site.around(node) if isinstance(outer, (ast.For, *COMPREHENSIONS)))


RULE = MendRule("products", MendKind.EXACT, quoted(PRODUCT), find)
