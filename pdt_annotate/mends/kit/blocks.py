"""Blocks of statements: the names that a block reads and binds, and how to run a block in Python alone."""

import ast
import itertools
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TypeGuard, TypeVar

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import (
    AND,
    ATOM,
    CHOICE,
    OR,
    Expression,
    expression,
    is_first,
    is_hidden,
    is_negation,
    loads,
    names_for,
    put_in,
    spell,
    stores,
    targets,
)
from pdt_annotate.source.definitions import Definition, Function, Scope
from pdt_annotate.source.syntax import is_call_of, nodes_in
from pdt_annotate.values.edits import Edit

LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ARMS = ("body", "orelse", "finalbody")
Statement = TypeVar("Statement", bound=ast.stmt)
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
LIBRARY_NAME = re.compile(r"\b(?:torch|typing)\.[\w.]+")
PLAIN_STATEMENTS = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The bodies of a function and of its compound statements, those of inner functions left out."""
    for block in (getattr(node, field, []) for field in ARMS):
        yield block
        for statement in block:
            if not isinstance(statement, Scope):
                yield from blocks(statement)


def names_read(site: FunctionContext, block: Sequence[ast.stmt]) -> list[str] | None:
    """The names of the function that a block needs, in order; None if one of them may have no value yet."""
    inside = {node for each in block for node in ast.walk(each)}
    outside = {name.id for name in _names(site.node) if _is_bound(name) and name not in inside}
    outside |= {parameter.name for parameter in site.function.parameters}
    needed = dict.fromkeys(_needed(site, block, outside))
    return list(needed) if set(needed) <= settled_before(site, block[0]) else None


def _needed(site: FunctionContext, block: Iterable[ast.stmt], outside: Set[str]) -> Iterator[str]:
    """The names of some that a block reads before it sets them."""
    for statement in block:
        read: Sequence[ast.AST] = [statement]
        if isinstance(statement, ast.Try):
            arms = ([*statement.body, *statement.orelse], *(each.body for each in statement.handlers))
            for arm in (*arms, statement.finalbody):
                yield from _needed(site, arm, outside)
            read = [each.type for each in statement.handlers if each.type]
        names = (name.id for each in read for name in in_order(each) if _is_read(site, name))
        yield from (name for name in names if name in outside)
        outside = outside - settled_by([statement])


def names_given(site: FunctionContext, block: Sequence[ast.stmt]) -> list[str] | None:
    """The names that a block binds and later code reads, in order; None if one may have no value at the end."""
    inside = {node for each in block for node in ast.walk(each)}
    end, again = block[-1].end_lineno or 0, is_in_loop(site, block[0])
    others = (name for name in _names(site.node) if name not in inside and (again or name.lineno > end))
    later = {name.id for name in others if _is_read(site, name)}
    given = dict.fromkeys(n.id for each in block for n in in_order(each) if _is_bound(n) and n.id in later)
    known = settled_before(site, block[0]) | settled_by(block)
    return list(given) if set(given) <= known else None


def rest_of_block(site: FunctionContext, statement: ast.stmt) -> list[ast.stmt]:
    """The statements after one in its block."""
    block = next(each for each in blocks(site.parents[statement]) if statement in each)
    return block[block.index(statement) + 1 :]


def calls_of_local(site: FunctionContext, name: str, *bindings: Statement) -> dict[Statement, list[ast.Call]]:
    """The calls of a local, by the statement that binds it earlier in the same block.

    Empty if code uses or binds the name in another way, or if a call contains another.
    """
    rest = {each: rest_of_block(site, each) for each in bindings}
    found = {each: list[ast.Call]() for each in bindings}
    for use in loads(site.node, name):
        call, around = site.parents[use], set(site.around(use))
        before = [each for each in bindings if not around.isdisjoint(rest[each])]
        if not before or not isinstance(call, ast.Call) or call.func is not use or is_hidden(site, use, [name]):
            return {}
        found[max(before, key=lambda each: each.lineno)].append(call)
    calls = [call for each in found.values() for call in each]
    inside = {node for each in bindings for node in ast.walk(each)}
    is_nested = any(one in site.around(other) for one in calls for other in calls)
    is_bound_again = any(name in bound_until(site, *each) for each in found.items())
    nodes = (node for each in site.node.body for node in ast.walk(each) if node not in inside)
    is_bound_elsewhere = name in bound_in(nodes)
    return {} if [] in found.values() or is_nested or is_bound_again or is_bound_elsewhere else found


def until(site: FunctionContext, statement: ast.stmt, nodes: Iterable[ast.AST]) -> list[ast.stmt]:
    """The statements after one in its block, up to the last one that contains one of some nodes."""
    around, rest = {outer for node in nodes for outer in site.around(node)}, rest_of_block(site, statement)
    return rest[: max((index for index, each in enumerate(rest, 1) if each in around), default=0)]


def bound_until(site: FunctionContext, statement: ast.stmt, nodes: Iterable[ast.AST]) -> set[str]:
    """The names and attributes that code binds after a statement, to the end of the statements around some nodes."""
    return bound_in(node for each in until(site, statement, nodes) for node in ast.walk(each))


def bound_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that some of the nodes bind, and the attributes that they set."""
    return names_and_attributes(node for node in nodes if not isinstance(getattr(node, "ctx", None), ast.Load))


def names_and_attributes(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of variables, parameters and definitions among some nodes, and of attributes with a dot in front."""
    kinds = (("id", ""), ("arg", ""), ("name", ""), ("attr", "."))
    named = (node for node in nodes if not isinstance(node, ast.keyword))
    names = ((mark, getattr(node, field, None)) for node in named for field, mark in kinds)
    return {mark + name for mark, name in names if name}


def is_in_loop(site: FunctionContext, node: ast.AST) -> bool:
    return any(isinstance(around, LOOPS) for around in site.around(node))


def round_ends(site: FunctionContext, loop: ast.AST, *kinds: type[ast.stmt]) -> list[ast.stmt]:
    """The statements of some kinds, such as `break`, that end a round of this loop."""
    found = (n for n in ast.walk(loop) if isinstance(n, kinds))
    return [n for n in found if next(outer for outer in site.around(n) if isinstance(outer, LOOPS)) is loop]


def is_repeated(site: FunctionContext, node: ast.AST) -> bool:
    """Whether a loop, comprehension or lambda around a node may evaluate it more than once, or later."""
    path = {node, *site.around(node)}
    around = (outer.generators[0] if isinstance(outer, COMPREHENSIONS) else outer for outer in path)
    looping = (outer for outer in around if isinstance(outer, (*LOOPS, ast.comprehension, ast.Lambda)))
    return any(getattr(outer, "iter", None) not in path for outer in looping)


def _names(node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """The names of a function in a part of it, except names that its comprehensions and lambdas bind."""
    if isinstance(node, ast.Name) and node.id not in hidden:
        yield node
    if isinstance(node, COMPREHENSIONS):
        yield from _names(node.generators[0].iter, hidden)  # outside the scope of the comprehension
        hidden |= {name.id for each in node.generators for name in _names(each.target)}
    if isinstance(node, ast.Lambda):
        hidden |= {arg.arg for arg in nodes_in(node.args, ast.arg)}
    for child in ast.iter_child_nodes(node):
        yield from _names(child, hidden)


def in_order(node: ast.AST) -> list[ast.Name]:
    """The names in a part of a function, except names that its comprehensions and lambdas bind, in source order."""
    return sorted(_names(node), key=lambda name: (name.lineno, name.col_offset))


def _is_bound(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _is_read(site: FunctionContext, name: ast.Name) -> bool:
    return not _is_bound(name) or isinstance(site.parents[name], ast.AugAssign)


def settled_by(block: Iterable[ast.stmt]) -> set[str]:
    """The names that surely have a value once statements are done."""
    found = set[str]()
    for statement in block:
        match statement:
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                found |= {name.id for target in targets(statement) for name in _names(target) if _is_bound(name)}
            case ast.If(body=body, orelse=orelse):
                found |= _settled_by_all(body, orelse)
            case ast.Try(body=body, handlers=handlers, orelse=orelse):
                found |= _settled_by_all([*body, *orelse], *(handler.body for handler in handlers))
            case ast.With(body=body):
                found |= settled_by(body)
    return found


def _settled_by_all(*arms: Sequence[ast.stmt]) -> set[str]:
    """The names that surely have a value after one of several blocks; a block that leaves does not count."""
    staying = [settled_by(arm) for arm in arms if not (arm and isinstance(arm[-1], LEAVING))]
    return set.intersection(*staying) if staying else set()


def settled_before(site: FunctionContext, statement: ast.stmt) -> set[str]:
    """The names that surely have a value when a statement begins."""
    found = {parameter.name for parameter in site.function.parameters}
    for inner, outer in itertools.pairwise((statement, *site.around(statement))):
        if isinstance(outer, (ast.For, ast.AsyncFor)) and inner in outer.body:
            found |= {name.id for name in _names(outer.target)}
    return found | settled_by(before(site, statement))


def outermost(site: FunctionContext) -> FunctionContext:
    """The site of the outermost function around an inner one; the compiler stops there and reads no inner function."""
    outer = next(each for each in site.module.around(site.node.lineno) if isinstance(each, Function))
    return site if outer.node is site.node else site.at(outer)


def insert_at_top(site: FunctionContext, text: str, *, before_all: bool = False) -> Edit:
    """Insert lines of the module in front of the function or class of the site, or of the first one in the file."""
    line = site.node.lineno
    places = (
        each
        for each in site.module.tree.body
        if (before_all and isinstance(each, Scope)) or each.lineno <= line <= (each.end_lineno or each.lineno)
    )
    edit = site.insert_before(next(places), text)
    return Edit(edit.offset, edit.text + 2 * site.text.newline)


def helper_at_top(site: FunctionContext, wanted: str, text: str) -> tuple[str, list[Edit]]:
    """The name of a function for the compiler, and the edit that adds it, if the file lacks it."""
    spelled = LIBRARY_NAME.sub(lambda found: site.spell(found[0]), text)
    known, new = site.module.defined.get(wanted), ast.parse(spelled.format(wanted)).body[0]
    if known is not None and ast.unparse(known) == ast.unparse(new):
        return wanted, []
    name = site.free_name(wanted)
    return name, [insert_at_top(site, spelled.format(name), before_all=True)]


def is_set_before(site: FunctionContext, node: ast.AST, setting: Set[ast.stmt]) -> bool:
    """Whether one of the statements surely ran before a node is reached."""
    return not setting.isdisjoint(before(site, node))


def before(site: FunctionContext, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements in front of a node, in its own block and in those around it, the last first: they ran before."""
    for inner, outer in itertools.pairwise((node, *site.around(node))):
        for arm in (getattr(outer, name, []) for name in ARMS):
            if isinstance(arm, list) and inner in arm:
                yield from reversed(arm[: arm.index(inner)])


def add_else(site: FunctionContext, choice: ast.If, *lines: str) -> list[Edit]:
    """The edits that add a branch of some lines to an `if` without an `else`."""
    # It begins at the end of the last line of the first branch: the next line may be edited too.
    end = len(site.text.body[: site.end_of_lines(choice.body[-1])].rstrip(b"\r\n"))
    outer, inner = (site.text.newline + site.text.indent(site.text.start(s)) for s in (choice, choice.body[0]))
    return [Edit(end, f"{outer}else:"), *(Edit(end, f"{inner}{line}") for line in lines)]


def ends_line(site: FunctionContext, statement: ast.stmt) -> bool:
    """Whether no other statement follows on the last line of a statement."""
    rest = site.text.lines[(statement.end_lineno or 0) - 1].encode()[statement.end_col_offset or 0 :].strip()
    return not rest or rest.startswith(b"#")


def statement_of_first(site: FunctionContext, node: ast.expr) -> ast.stmt | None:
    """The statement around an expression, if the expression may be evaluated before it, on lines of its own."""
    around, _ = site.statement(node)
    head = around.iter if isinstance(around, ast.For) else around.test if isinstance(around, ast.If) else None
    is_once = (head is not None and node in ast.walk(head)) or isinstance(around, PLAIN_STATEMENTS)
    return around if is_once and site.takes_lines(around) and is_first(around, node) else None


IS_SCRIPTING = "torch.jit.is_scripting"
LEFT_OUT = '"left out of the scripted model"'
UNUSED = "torch.jit.unused"


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements that both Python and the compiler read, outer ones first, without those of inner functions."""
    for statement in body:
        yield statement
        if not isinstance(statement, Scope) and not asks_for_python(statement):
            for field in ARMS:
                yield from statements(getattr(statement, field, []))


def may_end(block: Sequence[ast.stmt]) -> bool:
    """Whether a block may end without a return or an error."""
    last = block[-1]
    if isinstance(last, ast.If):
        return not last.orelse or may_end(last.body) or may_end(last.orelse)
    return not isinstance(last, (ast.Return, ast.Raise, ast.Assert))


def always_returns(node: ast.AST) -> bool:
    """Whether a statement returns a value, or raises an error."""
    match node:
        case ast.Return(value):
            return value is not None
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[]):
            ends = [(orelse or body)[-1], *(handler.body[-1] for handler in handlers)]
            return all(isinstance(each, ast.Raise) or always_returns(each) for each in ends)
    return False


def asks_for_python(node: ast.AST) -> TypeGuard[ast.If | ast.IfExp | ast.Assert]:
    return isinstance(node, (ast.If, ast.IfExp, ast.Assert)) and ast.unparse(node.test).endswith("is_scripting()")


def never_scripted(site: FunctionContext) -> str:
    """An assertion at which the compiler stops reading: it leaves out the code after it."""
    return f"assert not {site.spell(IS_SCRIPTING)}(), {LEFT_OUT}"


def is_for_python(site: FunctionContext, node: ast.AST) -> bool:
    """Whether an expression is in a choice between words for the scripted model and for Python."""
    return any(map(asks_for_python, site.statement(node)[1]))


def is_left_out(site: FunctionContext, node: ast.expr) -> bool:
    """Whether the compiler does not read an expression, perhaps since an assertion of `never_scripted` is before it."""
    asserted = (each.test for each in before(site, node) if isinstance(each, ast.Assert))
    is_after = any(is_negation(test) and is_call_of(test.operand, "is_scripting") for test in asserted)
    return is_after or is_for_python(site, node)


def when_scripted(site: FunctionContext, node: ast.expr, new: str) -> Edit:
    """Puts another expression in the place of one, in the scripted model alone."""
    text = f"{expression(new).at_least(OR)} if {site.spell(IS_SCRIPTING)}() else {spell(site, node).at_least(CHOICE)}"
    return put_in(site, node, Expression(text, CHOICE))


def code_of(site: FunctionContext, body: Sequence[ast.stmt], edits: Iterable[Edit] = ()) -> str | None:
    """The code of statements with edits, and without their indentation; None if it cannot be moved."""
    if not site.begins_line(body[0]) or not all(can_be_indented(site, each) for each in body):
        return None
    start, end = site.text.line_start(body[0].lineno), site.end_of_lines(body[-1])
    return textwrap.dedent(site.text.edited(edits, start, end).decode()).rstrip().replace(site.text.newline, "\n")


def put_in_place(site: FunctionContext, body: Sequence[ast.stmt], new: str) -> Edit:
    """Text in place of statements in a row, and of the comments below them."""
    end = len(site.text.body[: site.end_of_lines(body[-1])].rstrip())
    edit = site.replace(body[0], new)
    return Edit(edit.offset, edit.text, removed=end - edit.offset)


def nested(body: str, *headers: str) -> str:
    """Code in compound statements, the outermost first."""
    for header in reversed(headers):
        body = f"{header}\n{textwrap.indent(body, '    ')}"
    return body


def if_scripted(site: FunctionContext, code: str, otherwise: str = "") -> str:
    """An `if` statement with code for the scripted model, and perhaps other code for Python."""
    arms = {f"if {site.spell(IS_SCRIPTING)}():": code, "else:": otherwise}
    return "\n".join(nested(arm, header) for header, arm in arms.items() if arm)


def if_python(site: FunctionContext, code: str) -> str:
    """An `if` statement with code that only Python runs."""
    return nested(code, f"if not {site.spell(IS_SCRIPTING)}():")


def as_loop(site: FunctionContext, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, name: str) -> str:
    """The loop that adds the items of a comprehension to a list or dict of this name."""
    # Variables of the comprehension that mean something in the function get other names.
    own = [n for each in node.generators for n in ast.walk(each.target) if isinstance(n, ast.Name)]
    inside = set(ast.walk(node))
    new: dict[str, Expression] = {}
    for variable in dict.fromkeys(n.id for n in own):
        others = [n for n in (*loads(site.node, variable), *stores(site.node, variable)) if n not in inside]
        if others or site.function.parameter(variable) or variable in site.module.qualnames:
            new[variable] = Expression(site.free_name(f"{variable}_1", [each.text for each in new.values()]), ATOM)
    put, headers = names_for(new), list[str]()
    for index, each in enumerate(node.generators):
        over = spell(site, each.iter, put if index else lambda _: None).at_least(CHOICE)
        target = spell(site, each.target, put).text
        target = target[1:-1] if isinstance(each.target, ast.Tuple) and target.startswith("(") else target
        headers.append(f"for {target} in {over}:")
        level = CHOICE if len(each.ifs) == 1 else AND
        tests = [spell(site, test, put).at_least(level) for test in each.ifs]
        headers += [f"if {' and '.join(tests)}:"] if tests else []
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    texts = [spell(site, part, put).at_least(CHOICE) for part in parts]
    added = f"{name}[{texts[0]}] = {texts[1]}" if len(texts) > 1 else f"{name}.append({texts[0]})"
    return nested(added, *headers)


def end_of_header(site: FunctionContext, node: Definition) -> int:
    """The offset behind the colon of a definition, the first one after all parts that may contain another."""
    parts = [*ast.walk(node.args), *([node.returns] if node.returns else [])]
    ends = [site.span(part)[1] for part in parts if isinstance(part, (ast.arg, ast.expr))]
    return site.text.body.index(b":", max(ends, default=site.text.name_start(node))) + 1


def can_be_indented(site: FunctionContext, statement: ast.stmt) -> bool:
    """Whether no string in a statement spans lines, so that indenting it changes no text."""
    strings = (node for node in ast.walk(statement) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    texts = [site.source(node) for node in strings if node.lineno != node.end_lineno]
    return not any(mark in text for text in texts for mark in ('"""', "'''", "\\\n", "\\\r"))


def indent(site: FunctionContext, statement: ast.stmt, *more: ast.stmt) -> list[Edit]:
    """The edits that indent one or more statements in a row by one step."""
    return indent_lines(site, statement.lineno, [statement, *more][-1].end_lineno or 0)


def indent_lines(site: FunctionContext, first: int, last: int) -> list[Edit]:
    """The edits that indent lines, but no blank ones, by one step: by a tab if they begin with one."""
    lines = [line for line in range(first, last + 1) if site.text.lines[line - 1].strip()]
    steps = ("\t" if site.text.lines[line - 1].startswith("\t") else "    " for line in lines)
    return [Edit(site.text.line_start(line), step) for line, step in zip(lines, steps, strict=True)]


def flattens(statement: ast.stmt) -> bool:
    """Whether a statement is a call of `flatten_parameters()`, which only moves weights in memory."""
    return isinstance(statement, ast.Expr) and ast.unparse(statement).endswith(".flatten_parameters()")


def in_python_alone(site: FunctionContext, statement: ast.stmt, *more: ast.stmt) -> list[Edit]:
    """The edits that let the scripted model skip one or more statements in a row.

    The compiler folds this test only if it is alone: joined with another, both branches are read.
    """
    indented, end = indent(site, statement, *more), statement.lineno - 1
    above = (s for s in statements(site.node.body) if s.end_lineno == end and s.col_offset == statement.col_offset)
    alike = (s for s in above if isinstance(s, ast.If) and is_negation(s.test) and not s.orelse)
    if any(map(asks_for_python, alike)):
        return indented
    return [site.insert_before(statement, f"if not {site.spell(IS_SCRIPTING)}():"), *indented]
