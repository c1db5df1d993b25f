"""A function that no example enters is left out of the scripted model, where a call of it raises an error.

Message: Any message in the function, or in code that it calls.
Kind: Scripted.
Needs: The function belongs to the project, has no decorator, and no example call entered it.
Before:
    def forward(self, x, mode: str = "fast"):
        if mode == "slow":
            return self.search(x)
        return self.layer(x)

    def search(self, x):
        return max(self.beams(x), key=lambda beam: beam.score)
After:
    def forward(self, x, mode: str = "fast"):
        if mode == "slow":
            return self.search(x)
        return self.layer(x)

    @torch.jit.unused
    def search(self, x):
        return max(self.beams(x), key=lambda beam: beam.score)
"""

import itertools
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import UNUSED
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.values.mends import Mend, MendKind

ENTRIES = ("__init__", "__call__")


def find(site: FunctionContext) -> Iterator[Mend]:
    # A helper is left out before a whole layer is: its caller may be one, too.
    idle = itertools.takewhile(lambda inner: not inner.is_entered(), site.way)
    for inner in sorted(idle, key=lambda inner: inner.node.name == "forward"):
        function, qualname = inner.function, inner.function.owner.qualname
        if not (function.decorators or function.settled or inner.node.name in ENTRIES or ".<locals>." in qualname):
            edits = [inner.insert_before(inner.node, f"@{inner.spell(UNUSED)}")]
            summary = f"leave out `{qualname}`, which no example enters"
            yield inner.mend(inner.node, summary, edits, left_out=f"`{qualname}`")
            return


RULE = MendRule("unused_functions", MendKind.SCRIPTED, anything, find, sweeps=False)
