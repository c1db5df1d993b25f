"""`*args` that takes as many values in each call becomes as many parameters, and a tuple of them.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: frozen: a call with another number of values raises an error from then on.
Needs: no parameter before it has a default. `*args` in a call becomes the parameters themselves.
Before:
    def forward(self, *inputs):
        return self.merge(*inputs) / len(inputs)
After:
    def forward(self, input_1, input_2):
        inputs = (input_1, input_2)
        return self.merge(input_1, input_2) / len(inputs)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.construction import is_docstring
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import ends_of, exchange, parameters
from pdt_annotate.mends.kit.spelled import is_hidden, loads, stores
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    args, passed = site.node.args, site.passed
    if args.vararg is None or passed is None or passed.fewest != passed.positional or args.defaults:
        return
    name, count = args.vararg.arg, passed.positional
    one = name.removesuffix("s") if len(name) > 2 else "value"
    names = [site.free_name(f"{one}_{number}", [name]) for number in range(1, count + 1)]
    # Only the tuple changes if the function binds the name again.
    uses = loads(site.node, name)
    starred = [p for use in uses if isinstance(p := site.parents[use], ast.Starred) and not stores(site.node, name)]
    passing = [each for each in starred if names and not is_hidden(site, each, [name])]
    star = ["*"] if args.kwonlyargs else []
    header = exchange(site, parameters(site.node), {args.vararg: ", ".join([*names, *star])}, ends_of(site))
    first = next((each for each in site.node.body if not is_docstring(each)), None)
    if header is None or first is None or not site.begins_line(first) or not (names or uses):
        return
    edits = [*header, *(site.replace(each, ", ".join(names)) for each in passing)]
    if len(passing) < len(uses) or stores(site.node, name):
        values = ", ".join(names) + "," * (count == 1)
        edits.append(site.insert_before(first, f"{name} = ({values})"))
    summary = f"`*{name}` of `{site.node.name}` becomes {', '.join(f'`{each}`' for each in names) or 'an empty tuple'}"
    yield site.mend(RULE.name, MendKind.FROZEN, site.node, summary, edits)


RULE = MendRule("counted_values", MendKind.FROZEN, said(VARIABLE_ARGUMENTS), find)
