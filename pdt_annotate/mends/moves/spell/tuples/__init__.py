"""A tuple whose length the compiler cannot infer becomes a list, or a tuple display that lists every item.

In TorchScript, the length of a tuple is part of its type. Star unpacking is replaced by a sum of sizes, a nested target
or slices.

Message: `previously had type Tuple`, `is set to type Tuple`, any message about `Tuple[()]`,
    `cannot statically infer the expected size of a list in this context`, `range cannot be used as a tuple`,
    `tuple expected exactly 1 arguments but found 0`.
Kind: Exact. Frozen if the mend lists every item, because an assertion then checks the number of items.
Needs:
    - A local variable becomes a list if it starts as a tuple display, or as a choice between one and None, and grows
      only by tuple displays. All items had one type. Code reads its items or its length, iterates over it, compares it
      with None, or passes it on, but not to `isinstance`. Python passes a tuple on, and the scripted model a list.
    - `tuple()` becomes `()`.
    - `tuple(xs)` becomes a list if `xs` is a list, a comprehension, a generator or a range, and code only reads the
      items or the length of the result, iterates over it, or passes it to a function or method of torch.
    - Every item is listed for `tuple(xs)` or `(*xs,)` that is returned or assigned, for `tuple(xs)` in a display or in
      a call of the project's functions, and for `*xs` in a call or display, if the number of items was the same in all
      calls, and is at most 8.
    - `*xs` in a call of a torch function that accepts sizes one by one or as a list is replaced if `xs` is a shape, a
      slice of a shape, a name that only holds shapes, or a list that held ints in every call.
    - `*xs` in a call of `torch.meshgrid` or `torch.einsum` becomes `xs` if it was a list or tuple of tensors in all
      calls, and no other tensor is passed.
    - `*xs` in a display is replaced if every starred value in the display is a shape, or in a list display a list; if
      the display is passed to a function such as `torch.cat` or `F.pad`; or if it is unpacked at once and has no other
      star.
    - `*rest` as a target of an assignment is replaced if the assigned value is a shape, a list, or a display with the
      items of one, such as `*x.shape, heads`.
Before:
    b, n, heads = *x.shape[:2], self.heads
    *rest, time = x.shape
    x = x.view(*x.shape[:2], heads, -1).expand(*rest, time)
    hidden = ()
    for x in xs:
        hidden = hidden + (x * 2,)
    maps = tuple(conv(x) for conv in self.convs)
    return self.fuse(*features) + torch.cat(hidden) + torch.cat(maps)
After:
    (b, n), heads = x.shape[:2], self.heads
    rest, time = x.shape[:-1], x.shape[-1]
    x = x.view(x.shape[:2] + (heads, -1)).expand(rest + (time,))
    hidden = []
    for x in xs:
        hidden = hidden + [x * 2]
    maps = [conv(x) for conv in self.convs]
    assert len(features) == 3
    return self.fuse(features[0], features[1], features[2]) + torch.cat(hidden) + torch.cat(maps)
"""

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import EMPTY_TUPLE, GROWING_TUPLE, STARRED, UNPACKED_RANGE
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, PLAIN_STATEMENTS, statement_of_first
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import LIST_FUNCTIONS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.edit_arguments import call_taking, is_of_torch
from pdt_annotate.mends.kit.spelled import (
    CHOICE,
    Expression,
    is_gone_over,
    is_none,
    is_plain,
    loads,
    may_be_skipped,
    put_in,
    stores,
)
from pdt_annotate.mends.moves.spell.tuples.stars import inside_tuple, may_become_sizes, without_star
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import assignments, plain_assignments
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE, TENSOR

MOST = 8
INDEXED = frozenset(("list", "tuple", TENSOR.name))
PASSING = (ast.Return, ast.Tuple, ast.List, ast.Dict, ast.Call, ast.keyword, ast.IfExp, ast.Assign)
"""The nodes that pass a value on."""


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _growing(site)
    yield from _listed(site)
    for node in ast.walk(site.node):
        if edits := without_star(site, node):
            yield site.mend(node, f"write `{site.source(node)}` without a star", edits)
        elif is_call(node, "tuple") and not (node.args or node.keywords) and "tuple" not in site.known_names:
            yield site.mend(node, "write `tuple()` as `()`", [site.replace(node, "()")])
        elif isinstance(node, ast.Return) or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            yield from _written_out(site, node)
        elif isinstance(node, ast.Call) or (isinstance(node, ast.Tuple) and len(node.elts) > 1):
            yield from _unpacked(site, node)


def _reads_items(site: FunctionContext, node: ast.expr) -> bool:
    call = call_taking(site, node)
    if is_gone_over(site, node) or (call and is_of_torch(site, call)):
        return True
    match site.parents[node]:
        case ast.Subscript(inner, index, ast.Load()):
            return inner is node and not isinstance(index, ast.Slice)
        case ast.Assign([ast.Name(name)]):
            return len(stores(site.node, name)) == 1 and all(_reads_items(site, use) for use in loads(site.node, name))
    return False


def _growing(site: FunctionContext) -> Iterator[Mend]:
    starting = (name for name, each in plain_assignments(site.node) if isinstance(each.value, (ast.Tuple, ast.IfExp)))
    for name in dict.fromkeys(starting):
        edits, grown, starts = list[Edit](), list[ast.expr](), list[ast.expr]()
        for store in stores(site.node, name):
            statement = site.parents[store]
            added = _grown_by(statement, name)
            given = added or (statement.value if isinstance(statement, ast.Assign) else None)
            text = _as_list(site, given)
            is_joint = isinstance(statement, ast.Assign) and len(statement.targets) > 1
            if text is None or given is None or is_joint or not (added is None or isinstance(added, ast.Tuple)):
                break
            (grown if added else starts).append(given)
            edits.append(site.replace(statement if added else given, f"{name} = {name} + {text}" if added else text))
        else:
            uses = [use for use in loads(site.node, name) if getattr(site.parents[use], "right", None) not in grown]
            may_be_none = any(is_none(node) for each in starts for node in ast.walk(each))
            passed = [use for use in uses if not _reads_items(site, use) and not _is_tested(site, use)]
            tuples = [_as_tuple(site, use, may_be_none) for use in passed]
            is_alike = all(len({*each.args} - {NONE}) < 2 for each in site.observed(name))
            if grown and is_alike and None not in tuples and not site.function.parameter(name):
                edits += filter(None, tuples)
                yield site.mend(statement, f"make `{name}` a list, not a tuple", edits)


def _is_tested(site: FunctionContext, use: ast.Name) -> bool:
    """Whether a test asks if a name is None or empty."""
    match site.parents[use]:
        case ast.Compare(left, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return left is use
        case ast.If(test=test) | ast.IfExp(test=test):
            return test is use
    return False


def _as_tuple(site: FunctionContext, use: ast.Name, may_be_none: bool) -> Edit | None:
    """A tuple in place of a list that is passed on; None if other code may read the list.

    The scripted model passes the list. A returned tuple may get its items from another mend.
    """
    outer, made = site.parents[use], f"tuple({use.id})"
    is_asked = isinstance(outer, ast.Call) and (outer.func is use or is_call(outer, "isinstance"))
    if "tuple" in site.known_names or is_asked or not isinstance(outer, PASSING):
        return None
    if isinstance(outer, ast.Return) and not may_be_none:
        return site.replace(use, made)
    made = f"None if {use.id} is None else {made}" if may_be_none else made
    return put_in(site, use, Expression(f"{use.id} if {site.spell(IS_SCRIPTING)}() else {made}", CHOICE))


def _grown_by(statement: ast.AST, name: str) -> ast.expr | None:
    """The value that a statement adds to a tuple: b of `a += b`, `a = a + b`."""
    match statement:
        case ast.AugAssign(op=ast.Add(), value=value):
            return value
        case ast.Assign(value=ast.BinOp(ast.Name(left), ast.Add(), value)) if left == name:
            return value
    return None


def _as_list(site: FunctionContext, node: ast.expr | None) -> str | None:
    """A tuple display as a list, also where it is one side of a choice; None and `None` for anything else and None."""
    if node is not None and is_none(node):
        return "None"
    if isinstance(node, ast.IfExp):
        texts = {arm: _as_list(site, arm) for arm in (node.body, node.orelse)}
        edits = [site.replace(arm, text) for arm, text in texts.items() if text]
        return site.text.edited(edits, *site.span(node)).decode() if all(texts.values()) else None
    if not isinstance(node, ast.Tuple) or any(isinstance(each, ast.Starred) for each in node.elts):
        return None
    return f"[{', '.join(map(site.source, node.elts))}]" if "#" not in site.source(node) else None


def _listed(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        inner = inside_tuple(site, node)
        if inner is not None and isinstance(node, ast.Call) and _reads_items(site, node):
            text, call = site.source(inner), call_taking(site, node)
            is_list = isinstance(inner, ast.ListComp) or site.is_always(inner, "list")
            is_generator, is_range = isinstance(inner, ast.GeneratorExp), is_call(inner, "range")
            if is_list or is_generator or is_range or (call and site.meaning(call.func) in LIST_FUNCTIONS):
                new = text if is_list else f"[{text[1:-1]}]" if is_generator else f"list({text})"
                summary = f"make a list, not a tuple, of `{text}`"
                yield site.mend(node, summary, [site.replace(node, new)])


def _written_out(site: FunctionContext, statement: ast.Return | ast.Assign) -> Iterator[Mend]:
    types = site.observed("return") if isinstance(statement, ast.Return) else ()
    lengths = {len(t.args) if t.name == "tuple" else 0 for t in types} if types else _lengths(site, statement.value)
    inner = _list(site, statement.value)
    if inner is not None and statement.value is not None and site.begins_line(statement):
        yield from _with_items(site, statement.value, inner, lengths)


def _unpacked(site: FunctionContext, node: ast.Call | ast.Tuple) -> Iterator[Mend]:
    """`xs[0], xs[1]` for `*xs`, and `x, (xs[0], xs[1])` for `x, tuple(xs)`, in a display or among arguments."""
    parts = node.elts if isinstance(node, ast.Tuple) else [*node.args, *(each.value for each in node.keywords)]
    stars = [each for each in parts if isinstance(each, ast.Starred) and isinstance(each.ctx, ast.Load)]
    is_own = isinstance(node, ast.Tuple) or site.definition(node.func) or site.self_attribute(node.func)
    statement, _ = site.statement(node)
    is_first = statement_of_first(site, node) is statement
    if not isinstance(statement, PLAIN_STATEMENTS) or may_be_skipped(site, node) or not site.begins_line(statement):
        return
    for index, part in enumerate(parts):
        before: list[ast.expr] = []  # what Python evaluates first
        if isinstance(part, ast.Starred) and part in stars:
            if may_become_sizes(site, part):
                continue
            inner = part.value
            if not isinstance(inner, ast.Name) and statement_of_first(site, inner) is not statement:
                before = [each for each in parts[:index] if not is_plain(each)]
                if isinstance(node, ast.Call) or len(stars) > 1 or not is_first:
                    continue
        elif is_own and is_first and (listed := _list(site, part)):
            inner, before = listed, [each for each in parts[:index] if not _is_still(each)]
            if before and isinstance(node, ast.Call):
                continue
        else:
            continue
        yield from _with_items(site, part, inner, _lengths(site, part), before)


def _is_still(node: ast.expr) -> bool:
    """Whether evaluating an expression changes nothing, so that it may wait for another one."""
    if isinstance(node, (ast.Tuple, ast.Subscript)):
        return all(_is_still(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
    return is_plain(node) or (is_call(node, "tuple") and all(map(_is_still, node.args)))


def _with_items(
    site: FunctionContext, node: ast.expr, inner: ast.expr, lengths: set[int], before: Sequence[ast.expr] = ()
) -> Iterator[Mend]:
    """A node such as `*xs` as `xs[0], xs[1]`; a list without a name, and values `before` it, get names."""
    length = max(lengths, default=0)
    if len(lengths) > 1 or not 0 < length <= MOST:
        return
    known = names_inside(site.node)
    name = inner.id if isinstance(inner, ast.Name) else site.free_name("items", known)
    named = {part: site.free_name(f"item_{index}", known) for index, part in enumerate(before, 1)}
    lines = [f"{each} = {site.source(part)}" for part, each in named.items()]
    is_made = isinstance(inner, (ast.ListComp, ast.GeneratorExp))
    text = f"[{site.source(inner)[1:-1]}]" if is_made else site.source(inner)
    lines += [f"{name} = {text}"] * (not isinstance(inner, ast.Name))
    lines += [f"assert len({name}) == {length}"]
    new = ", ".join(f"{name}[{index}]" for index in range(length))
    new += "," * (length == 1 and not isinstance(node, ast.Starred))
    if isinstance(node, ast.Call) and isinstance(site.parents[node], (ast.Tuple, ast.Call, ast.keyword)):
        new = f"({new})"
    edits = [site.insert_before(site.statement(node)[0], "\n".join(lines)), site.replace(node, new)]
    edits += [site.replace(part, each) for part, each in named.items()]
    yield site.mend(node, f"write `{site.source(node)}` as {length} items", edits, frozen=True)


def _lengths(site: FunctionContext, node: ast.expr | None) -> set[int]:
    """The lengths that a list or tuple had in all calls."""
    values = site.values(node) if node else ()
    return {v.length if v.type in ("builtins.list", "builtins.tuple") else 0 for v in values}


def _list(site: FunctionContext, value: ast.expr | None) -> ast.expr | None:
    """The list that becomes a tuple: xs of `tuple(xs)`, `(*xs,)`."""
    inner = inside_tuple(site, value)
    if isinstance(value, ast.Tuple) and len(value.elts) == 1 and isinstance(value.elts[0], ast.Starred):
        inner = value.elts[0].value
    if not isinstance(inner, ast.Name):
        return inner if isinstance(inner, (ast.ListComp, ast.GeneratorExp)) else None
    # The name only held, or is only bound to, lists, tuples or tensors.
    values = [node.value for node in assignments(site.node, inner.id)]
    is_list = bool(values) and all(isinstance(value, (ast.List, ast.ListComp)) for value in values)
    types = {type_.name for type_ in site.observed(inner.id)}
    return inner if (types <= INDEXED if types else is_list) else None


RULE = MendRule("tuples", MendKind.EXACT, quoted(EMPTY_TUPLE, GROWING_TUPLE, STARRED, UNPACKED_RANGE), find)
