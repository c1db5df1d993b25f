"""Choices as `if` statements, and code after them that is written into their branches."""

import ast
from collections.abc import Callable, Collection, Iterator, Sequence

from pdt_annotate.mends.kit.blocks import (
    LEAVING,
    blocks,
    can_be_indented,
    code_of,
    ends_line,
    indent_lines,
    nested,
    rest_of_block,
    round_ends,
    settled_before,
    until,
)
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import ANY, CHOICE, NOT, spell
from pdt_annotate.source.definitions import Scope
from pdt_annotate.values.edits import Edit

MOST = 40  # lines that are added


def into_branches(
    site: FunctionContext, name: str, uses: Collection[ast.AST], is_choice: Callable[[ast.stmt], bool]
) -> tuple[ast.stmt, list[Edit]] | None:
    """The last choice of a local's value before its uses, and the edits that write the code up to them to its branches.

    The choice is an `if`, or the assignment of a conditional expression, which becomes an `if`.
    """
    for block in blocks(site.node):
        for choice in filter(is_choice, reversed(block)):
            moved = until(site, choice, uses)
            if moved and name in settled_before(site, moved[0]) and (edits := _moved(site, choice, moved)):
                return choice, edits
    return None


def _moved(site: FunctionContext, choice: ast.stmt, moved: Sequence[ast.stmt]) -> list[Edit]:
    """The edits that write the statements after a choice to the end of each branch; none if they cannot be moved."""
    code = code_of(site, moved)
    if code is None or any(isinstance(node, Scope) for each in moved for node in ast.walk(each)):
        return []
    # The comments below it belong to the next statement.
    code = "\n".join(code.split("\n")[: (moved[-1].end_lineno or 0) - moved[0].lineno + 1])
    edits = as_statement(site, choice, code) or list(_at_ends(site, choice, code))
    is_short = sum(edit.text.count("\n") for edit in edits) <= MOST
    return [*edits, _removed(site, choice, moved)] if edits and is_short and ends_line(site, moved[-1]) else []


def as_statement(site: FunctionContext, choice: ast.stmt, code: str = "") -> list[Edit]:
    """The edits that write the assignment of a conditional expression as an `if`, with code in both branches."""
    match choice:
        case ast.Assign([target], ast.IfExp(test, body, orelse)) if site.takes_lines(choice):
            headers = {f"if {spell(site, test).at_least(ANY)}:": body, "else:": orelse}
            texts = [f"{site.source(target)} = {spell(site, arm).at_least(CHOICE)}\n{code}" for arm in headers.values()]
            new = "\n".join(nested(text.rstrip(), header) for text, header in zip(texts, headers, strict=True))
            return [site.replace(choice, new)] if ends_line(site, choice) else []
    return []


def _at_ends(site: FunctionContext, choice: ast.stmt, code: str) -> Iterator[Edit]:
    """The edits that write code to the end of each branch that does not leave the block; none if that is impossible."""
    branches, rest = list[list[ast.stmt]](), [choice]
    # In the tree, an `elif` is an `if` in the `else`, but it begins in the column of the first `if`.
    while rest and isinstance(rest[0], ast.If) and rest[0].col_offset == choice.col_offset:
        branches, rest = [*branches, rest[0].body], rest[0].orelse
    branches += [rest]
    are_lines = all(site.begins_line(each[0]) and ends_line(site, each[-1]) for each in branches if each)
    if not isinstance(choice, ast.If) or not site.begins_line(choice) or not are_lines:
        return
    yield from (site.insert_behind(each[-1], code) for each in branches if each and not isinstance(each[-1], LEAVING))
    if not rest:
        end = max(map(site.end_of_lines, (choice, branches[-2][-1])))  # behind comments, too
        yield Edit(end, site.insert_behind(choice, nested(code, "else:")).text)


def _removed(site: FunctionContext, choice: ast.stmt, moved: Sequence[ast.stmt]) -> Edit:
    """Removes statements in a row, with the blank lines in front of them."""
    text, first = site.text, moved[0].lineno
    while first - 1 > (choice.end_lineno or 0) and not text.lines[first - 2].strip():
        first -= 1
    start, end = text.line_start(first), text.line_start((moved[-1].end_lineno or 0) + 1)
    return Edit(start, "", removed=end - start)


def without_continue(site: FunctionContext, loop: ast.AST) -> list[Edit]:
    """The edits that write the code after the last `if …: continue` of a loop into its `else`.

    There are none if the loop has another `continue`, or the code cannot be indented.
    """
    block = getattr(loop, "body", [])
    choices = [each for each in block if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Continue)]
    own = round_ends(site, loop, ast.Continue)
    if not choices or own != [each.body[-1] for each in choices] or any(each.orelse for each in choices):
        return []
    choice, (*body, leaving), rest = choices[-1], choices[-1].body, rest_of_block(site, choices[-1])
    are_lines = all(map(site.begins_line, (choice, leaving, *rest[:1])))
    if not rest or not are_lines or not all(can_be_indented(site, each) for each in rest):
        return []
    text, first = site.text, (leaving.end_lineno or 0) + 1
    negated = site.replace(choice.test, f"not {spell(site, choice.test).at_least(NOT)}")
    otherwise = Edit(text.line_start(first), f"{text.indent(text.start(choice))}else:\n")
    indented = indent_lines(site, first, rest[-1].end_lineno or 0)  # with comments
    return [site.remove(leaving), otherwise if body else negated, *indented]
