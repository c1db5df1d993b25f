"""A pool that keeps the size of a dimension gets a class of its own, whose `forward` asks for that size.

Message: `Expected a value of type 'List[int]' for argument 'output_size'`.
Kind: exact.
Needs: an adaptive pool of torch, made with sizes that are written out.
Before:
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = nn.AdaptiveAvgPool2d((None, 1))

        def forward(self, x):
            return self.pool(x)
After:
    class _AdaptiveAvgPool2dSame1(nn.AdaptiveAvgPool2d):
        def forward(self, input):
            return F.adaptive_avg_pool2d(input, (input.size(-2), 1))


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = _AdaptiveAvgPool2dSame1((None, 1))

        def forward(self, x):
            return self.pool(x)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import MISMATCH
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.construction import calls_around
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.source.definitions import Scope
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

POOL = re.compile(r"torch\.nn\.Adaptive(Avg|Max)Pool([123])d")


def is_asked_for(failure: Failure) -> bool:
    mismatches = MISMATCH.read_all(failure.text or failure.message)
    return any(facts["argument"] == "output_size" and "None" in facts["found"] for facts in mismatches)


def find(site: FunctionContext) -> Iterator[Mend]:
    """The pools that the functions of the class make, and functions of the file that are in no class."""
    for inner, call in calls_around(site):
        sizes, pool = _sizes(call), POOL.fullmatch(inner.meaning(call.func))
        if pool is None or not any(map(is_none, sizes)):
            continue
        words = "".join("Same" if is_none(size) else ast.unparse(size) for size in sizes)
        name = f"_Adaptive{pool[1]}Pool{pool[2]}d{words}"
        spelled, imports = site.spell(f"torch.nn.functional.adaptive_{pool[1].lower()}_pool{pool[2]}d")
        asked = (
            f"input.size({i - len(sizes)})" if is_none(each) else ast.unparse(each) for i, each in enumerate(sizes)
        )
        head = f"class {name}({inner.source(call.func)}):\n    def forward(self, input):\n"
        text = f"{head}        return {spelled}(input, ({', '.join(asked)}))"
        edits = [inner.replace(call.func, name)]
        if name not in site.module.qualnames:
            first = next(each for each in site.module.tree.body if isinstance(each, Scope))
            edits.append(insert_at_top(site, text, first))
        summary = f"`{inner.source(call)}` with a class of its own, `{name}`"
        yield site.mend(RULE.name, MendKind.EXACT, site.node, summary, edits, imports=imports)


def _sizes(call: ast.Call) -> Sequence[ast.expr]:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "output_size")]
    sizes = given[0].elts if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)) else []
    return sizes if all(isinstance(size, ast.Constant) for size in sizes) else ()


RULE = MendRule("kept_sizes", MendKind.EXACT, is_asked_for, find)
