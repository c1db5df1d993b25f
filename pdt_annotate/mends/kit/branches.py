"""Choices as `if` statements, and code after them that is written into their branches."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.mends.kit.blocks import LEAVING, code_of, ends_line, is_in_loop, nested
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import ANY, ARITHMETIC, CHOICE, is_plain, spell
from pdt_annotate.source.definitions import Scope
from pdt_annotate.values.edits import Edit

MOST = 40  # lines that are added


def into_branches(site: FunctionContext, choice: ast.stmt, moved: Sequence[ast.stmt]) -> list[Edit] | None:
    """The edits that write the statements after a choice to the end of each branch; None if they cannot be moved.

    The choice is an `if`, or the assignment of a conditional expression, which becomes an `if`.
    """
    code = code_of(site, moved)
    if code is None or any(isinstance(node, Scope) for each in moved for node in ast.walk(each)):
        return None
    # The comments below it belong to the next statement.
    code = "\n".join(code.splitlines()[: (moved[-1].end_lineno or 0) - moved[0].lineno + 1])
    match choice:
        case ast.If():
            edits = list(_at_ends(site, choice, code)) if site.begins_line(choice) else []
        case ast.Assign():
            edits = as_statement(site, choice, code)
        case _:
            return None
    is_short = sum(edit.text.count("\n") for edit in edits) <= MOST
    return [*edits, _removed(site, choice, moved)] if edits and is_short and ends_line(site, moved[-1]) else None


def as_statement(site: FunctionContext, choice: ast.Assign, code: str = "") -> list[Edit]:
    """The edits that write the assignment of a conditional expression as an `if`, with code in both branches."""
    match choice:
        case ast.Assign([target], ast.IfExp(test, body, orelse)) if site.takes_lines(choice) and ends_line(
            site, choice
        ):
            arms = (f"{site.source(target)} = {spell(site, arm).at_least(CHOICE)}\n{code}" for arm in (body, orelse))
            headers = (f"if {spell(site, test).at_least(ANY)}:", "else:")
            new = (nested(arm.rstrip("\n"), header) for arm, header in zip(arms, headers, strict=True))
            return [site.replace(choice, "\n".join(new))]
    return []


def by_key(site: FunctionContext, choice: ast.Assign) -> list[Edit]:
    """The edits that write `x = {"a": …, "b": …}[key]` as an `if`."""
    match choice:
        case ast.Assign([target], ast.Subscript(ast.Dict([_, *_] as keys, values), key)) if is_plain(key):
            if all(isinstance(each, ast.Constant) for each in keys):
                named = [ast.unparse(each) for each in keys if each]
                chosen = [spell(site, each).at_least(CHOICE) for each in values]
                return _chain(site, choice, target, key, dict(zip(named, chosen, strict=True)))
    return []


def by_name(site: FunctionContext, choice: ast.Assign, names: Sequence[str]) -> list[Edit]:
    """The edits that write `x = getattr(self, name)` as an `if`, for some names."""
    match choice:
        case ast.Assign([target], ast.Call(ast.Name("getattr"), [ast.Name(owner), key], [])) if names:
            return _chain(site, choice, target, key, {f'"{name}"': f"{owner}.{name}" for name in names})
    return []


def _chain(
    site: FunctionContext, choice: ast.Assign, target: ast.expr, key: ast.expr, values: Mapping[str, str]
) -> list[Edit]:
    """The edits that compare a key with constants, and set a value for each; or raise an error, or look it up."""
    asked, lines = spell(site, key).at_least(ARITHMETIC), list[str]()
    for constant, value in values.items():
        lines += [f"{'elif' if lines else 'if'} {asked} == {constant}:", f"    {site.source(target)} = {value}"]
    last = f"raise KeyError({asked})" if isinstance(choice.value, ast.Subscript) else site.source(choice)
    is_alone = site.takes_lines(choice) and ends_line(site, choice)
    return [site.replace(choice, "\n".join([*lines, "else:", f"    {last}"]))] if is_alone else []


def branches_of(choice: ast.If) -> Iterator[list[ast.stmt]]:
    """The branches of an `if` with its `elif`; the last one is empty if there is no `else`."""
    yield choice.body
    match choice.orelse:
        case [ast.If() as other] if other.col_offset == choice.col_offset:
            yield from branches_of(other)
        case orelse:
            yield orelse


def may_follow(site: FunctionContext, earlier: ast.stmt, later: ast.stmt) -> bool:
    """Whether one statement may run after another: no `if` has them in different branches, or a loop repeats it."""
    for outer in site.around(later):
        if isinstance(outer, ast.If) and earlier in ast.walk(outer):
            in_body = [any(each in ast.walk(part) for part in outer.body) for each in (earlier, later)]
            if in_body[0] != in_body[1]:
                return is_in_loop(site, outer)
    return earlier.lineno < later.lineno or is_in_loop(site, later)


def _at_ends(site: FunctionContext, choice: ast.If, code: str) -> Iterator[Edit]:
    """The edits that write code to the end of each branch that does not leave the block; none if that is impossible."""
    branches = list(branches_of(choice))
    written = [each for each in branches if each]
    if not all(site.begins_line(each[0]) and ends_line(site, each[-1]) for each in written):
        return
    staying = [each for each in written if not isinstance(each[-1], LEAVING)]
    if not branches[-1]:
        step = _indent(site, choice.body[0]).removeprefix(_indent(site, choice))
        text = f"else:\n{textwrap.indent(code, step)}"
        if written[-1] in staying:
            staying.pop()
            text = f"{textwrap.indent(code, step)}\n{text}"
        yield site.insert_behind(choice, text)
    for each in staying:
        yield site.insert_behind(each[-1], code)


def _indent(site: FunctionContext, statement: ast.stmt) -> str:
    return site.text.indent(site.text.start(statement))


def _removed(site: FunctionContext, choice: ast.stmt, moved: Sequence[ast.stmt]) -> Edit:
    """Removes statements in a row, with the blank lines in front of them."""
    text, first = site.text, moved[0].lineno
    while first - 1 > (choice.end_lineno or 0) and not text.lines[first - 2].strip():
        first -= 1
    start, end = text.line_start(first), text.line_start((moved[-1].end_lineno or 0) + 1)
    return Edit(start, "", removed=end - start)
