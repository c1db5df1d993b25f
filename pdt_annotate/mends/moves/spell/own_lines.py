"""Each statement of a function gets a line of its own, so that other rules can change it.

Message: Any message in a function with several statements in one line.
Kind: Exact.
Needs: No line ends with a backslash in front of such a statement. It is not in an `except` or `case` clause.
Before:
    if self.flag: return x, x
    y = x; return y
After:
    if self.flag:
        return x, x
    y = x
    return y
"""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import blocks
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.source.definitions import first_line
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    calls = (node for each in site.failing for node in ast.walk(each) if isinstance(node, ast.Call))
    called = filter(None, (site.definition(call.func) for call in calls))  # the compiler may refuse their results
    for each in map(site.at, dict.fromkeys((site.function, *called))):
        edits = [edit for block in blocks(each.node) for edit in _breaks(each, block)]
        if edits:
            yield each.mend(each.node, f"write the statements of `{each.node.name}` in lines of their own", edits)


def _breaks(site: FunctionContext, block: list[ast.stmt]) -> Iterator[Edit]:
    """The edits that begin a new line at every statement of a block that begins none."""
    body = site.text.body
    if not block or body[: site.text.line_start(block[0].lineno)].rstrip(b"\r\n").endswith(b"\\"):
        return
    begins = site.begins_line(block[0])
    outer = next(node for node in site.around(block[0]) if isinstance(node, ast.stmt))
    indent = site.text.indent(site.text.line_start((block[0] if begins else outer).lineno)) + "    " * (not begins)
    for statement in block:
        start = site.text.line_start(first_line(statement))
        if not body[start : site.text.start(statement)].strip():
            continue
        before = body[: site.text.start(statement)].rstrip(b" \t")
        before = before.removesuffix(b";").rstrip(b" \t")
        if not before.endswith(b"\\"):
            yield Edit(len(before), site.text.newline + indent, removed=site.text.start(statement) - len(before))


RULE = MendRule("own_lines", MendKind.EXACT, somewhere, find, sweeps=False)
