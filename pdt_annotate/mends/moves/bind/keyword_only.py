"""Parameters that can be passed by name alone can be passed by position, too.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: exact: each call that was valid stays so.
Needs: one of them has a default, and no parameter without a default follows one with a default.
Before:
    def forward(self, x, *, scale=1.0):
        return x * scale
After:
    def forward(self, x, scale=1.0):
        return x * scale
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

STAR = re.compile(rb"\*\s*,\s*\Z")


def find(site: FunctionContext) -> Iterator[Mend]:
    args, defaults = site.node.args, defaults_of(site.node)
    ordered = [arg.arg in defaults for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    named = [arg.arg in defaults for arg in args.kwonlyargs]
    if args.vararg or not any(named) or ordered != sorted(ordered):
        return
    start = site.span(args.kwonlyargs[0])[0]
    star = STAR.search(site.text.body, site.text.name_start(site.node), start)
    if star is not None:
        names = ", ".join(f"`{arg.arg}`" for arg in args.kwonlyargs)
        summary = f"{names} of `{site.node.name}` may be passed by position, too"
        edits = [Edit(star.start(), "", removed=star.end() - star.start())]
        yield site.mend(RULE.name, MendKind.EXACT, site.node, summary, edits)


RULE = MendRule("keyword_only", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)
