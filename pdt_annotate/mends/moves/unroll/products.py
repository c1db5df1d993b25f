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

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import PRODUCT
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, code_of, nested, put_in_place, round_ends
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

PRODUCT_OF = "itertools.product"
MOST = 4  # iterated values


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        clauses: Sequence[ast.For | ast.comprehension] = [node] if isinstance(node, ast.For) else ()
        # A generator may evaluate the values later.
        for clause in node.generators if isinstance(node, (ast.ListComp, ast.DictComp)) else clauses:
            factors, targets = _factors(site, clause.iter), getattr(clause.target, "elts", [])
            # Nested loops evaluate the first value once, too.
            again = factors[1:] if factors and is_call(factors[0], "range") else factors
            are_named = len(targets) == len(factors) > 0 and all(isinstance(each, ast.Name) for each in targets)
            if not are_named or not all(_is_again(site, each, node) for each in again):
                continue
            pairs = zip(map(site.source, targets), map(site.source, factors), strict=True)
            headers = [f"for {target} in {factor}" for target, factor in pairs]
            if isinstance(clause, ast.For):
                edits = _nested(site, clause, headers)
            else:
                start = site.text.body.rindex(b"for", 0, site.span(clause.target)[0])
                edits = [Edit(start, " ".join(headers), removed=site.span(clause.iter)[1] - start)]
            if edits:
                yield site.mend(clause.iter, f"write `{site.source(clause.iter)}` as nested loops", edits)


def _factors(site: FunctionContext, node: ast.expr) -> list[ast.expr]:
    """The iterated values of `itertools.product`, in order; none if it is another call, or takes too few or many."""
    factors = list[ast.expr]()
    match node:
        case ast.Call(function, args, []) if site.meaning(function) == PRODUCT_OF:
            factors = args
        case ast.Call(function, args, [ast.keyword("repeat", ast.Constant(int(repeats)))]):
            factors = args * repeats if site.meaning(function) == PRODUCT_OF else []
    return factors if 2 <= len(factors) <= MOST else []


def _is_again(site: FunctionContext, node: ast.expr, loop: ast.AST) -> bool:
    """Whether a value gives the same items each time that the loop goes over it."""
    match node:
        case ast.Tuple(parts) | ast.List(parts):
            return all(map(literal_type, parts))
        case ast.Call(ast.Name("range"), args, []):
            return all(_is_number(site, each, loop) for each in args)
        case ast.Name(name):
            return site.is_always(node, "tuple") and not stores(loop, name)
    return False


def _is_number(site: FunctionContext, node: ast.expr, loop: ast.AST) -> bool:
    """Whether a number is the same throughout a loop: a name or size, or configuration, in a calculation."""
    match node:
        case ast.Name(name) | ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant()):
            return not stores(loop, name)
        case ast.BinOp(left, _, right):
            return _is_number(site, left, loop) and _is_number(site, right, loop)
    return isinstance(node, ast.Constant) or is_kept(site, site.self_attribute(node))


def _nested(site: FunctionContext, loop: ast.For, headers: Sequence[str]) -> list[Edit]:
    inside, body = set(ast.walk(loop)), code_of(site, loop.body)
    later = [use for name in names_in(loop.target) for use in loads(site.node, name) if use not in inside]
    loops = (each for each in ast.walk(site.node) if isinstance(each, (ast.For, *COMPREHENSIONS)))
    others = [each for each in loops if loop not in ast.walk(each)]
    start, end = site.span(loop)[0], site.text.start(loop.body[0])
    # Nested loops set the first variables even if the last value is empty. Other loops may set them again.
    is_read = any(not any(use in ast.walk(each) and stores(each, use.id) for each in others) for use in later)
    is_read |= any(stores(each, name) for each in loop.body for name in names_in(loop.target))
    leaves = is_read or loop.orelse or round_ends(site, loop, ast.Break)
    if leaves or body is None or b"#" in site.text.body[start:end]:
        return []
    return [put_in_place(site, [loop, loop.body[-1]], nested(body, *(f"{header}:" for header in headers)))]


RULE = MendRule("products", MendKind.EXACT, quoted(PRODUCT), find)
