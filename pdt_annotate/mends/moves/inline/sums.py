"""A `sum` of tensors, which the compiler adds up only as numbers, becomes a function that adds them in a loop.

Message: `Expected a value of type 'Tensor' for argument 'self' but instead found type 'List[Tensor]'`.
Kind: frozen: a sum of nothing, which no call had, is an error from then on. Exact for a sum of a display.
Needs: in all calls the sum was a tensor; the list is its only argument.
Before:
    def forward(self, x):
        return sum(conv(x) for conv in self.convs) + sum([x, x])
After:
    def _sum_of(values: List[torch.Tensor]):
        total = 0 + values[0]
        for value in values[1:]:
            total = total + value
        return total

    def forward(self, x):
        return _sum_of([conv(x) for conv in self.convs]) + (0 + x + x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import SUM_OF_LIST
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, Expression, put_in, spell
from pdt_annotate.source.definitions import Scope
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NAME = "_sum_of"
HELPER = """\
def {}(values: {}[{}]):
    total = 0 + values[0]
    for value in values[1:]:
        total = total + value
    return total"""


def find(site: FunctionContext) -> Iterator[Mend]:
    name = NAME if site.module.function_named(NAME) else site.free_name(NAME)
    top = next(each for each in site.module.tree.body if isinstance(each, Scope))
    (list_, tensor), imports = zip(*map(site.spell, ("typing.List", "torch.Tensor")), strict=True)
    made = site.insert_before(top, HELPER.format(name, list_, tensor))
    helper = [Edit(made.offset, made.text + 2 * site.text.newline)] if name not in site.module.qualnames else []
    for call in ast.walk(site.node) if "sum" not in {*site.local_names, *site.module.qualnames} else ():
        if not is_call(call, "sum") or len(call.args) != 1 or call.keywords or not site.is_always(call, *TENSORS):
            continue
        [values], kind, needed = call.args, MendKind.FROZEN, [each for names in imports for each in names]
        if isinstance(values, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in values.elts):
            parts = " + ".join(["0", *(spell(site, each).at_least(ATOM) for each in values.elts)])
            edits, kind, needed = [put_in(site, call, Expression(parts, ARITHMETIC))], MendKind.EXACT, []
        elif isinstance(values, ast.GeneratorExp):
            edits = [site.replace(call, f"{name}([{site.source(values)[1:-1]}])"), *helper]
        elif not isinstance(values, ast.Starred):
            edits = [site.replace(call.func, name), *helper]
        else:
            continue
        yield site.mend(RULE.name, kind, call, "add up the tensors of `sum` one by one", edits, imports=needed)


RULE = MendRule("sums", MendKind.FROZEN, quoted(SUM_OF_LIST), find)
