"""A `with` block of a context that the compiler cannot read runs in Python alone; the scripted model runs its body.

Message: any, at the head of a with statement, or in the class or function of its context.
Kind: scripted: the scripted model does not enter the context.
Needs: a `with` that binds no name.
Before:
    with timer("forward"):
        y = self.net(x)
    return y
After:
    if torch.jit.is_scripting():
        y = self.net(x)
    else:
        with timer("forward"):
            y = self.net(x)
    return y
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, can_be_indented, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything, way_to
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for place, function in way_to(site.failure, site.project) if site.failure else ():
        for block in _blocks(function):
            if block.lineno <= place.line < block.body[0].lineno:
                yield from _mend(site.at(function), block)
    # The compiler does not name the caller of a function that makes a context.
    if any(isinstance(node, ast.Yield) for node in ast.walk(site.node)):
        for file in sorted(filter(site.project.has, site.project.calling(site.node.name))):
            for function in site.project.read(file).functions:
                for block in _blocks(function):
                    if any(is_call_of(item.context_expr, site.node.name) for item in block.items):
                        yield from _mend(site.at(function), block)


def _blocks(function: Function) -> list[ast.With]:
    return [each for each in statements(function.node.body) if isinstance(each, ast.With)]


def _mend(site: FunctionContext, block: ast.With) -> Iterator[Mend]:
    is_plain = site.begins_line(block) and site.begins_line(block.body[0]) and can_be_indented(site, block)
    if any(item.optional_vars for item in block.items) or not is_plain:
        return
    asked, imports = site.spell(IS_SCRIPTING)
    end = site.span(block)[1]
    inside, whole = (
        textwrap.indent(textwrap.dedent(site.text.body[site.text.line_start(line) : end].decode()), "    ")
        for line in (block.body[0].lineno, block.lineno)
    )
    entered = ", ".join(site.source(item.context_expr) for item in block.items)
    edits = [site.replace(block, f"if {asked}():\n{inside}\nelse:\n{whole}")]
    summary, left_out = f"enter `{entered}` in Python alone", f"the context `{entered}`"
    yield site.mend(RULE.name, MendKind.SCRIPTED, block, summary, edits, imports=imports, left_out=left_out)


RULE = MendRule("eager_contexts", MendKind.SCRIPTED, anything, find)
