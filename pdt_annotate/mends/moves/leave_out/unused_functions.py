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

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything, way_to
from pdt_annotate.values.mends import Mend, MendKind

ENTRIES = ("__init__", "__call__")
DECORATOR = "torch.jit.unused"


def find(site: FunctionContext) -> Iterator[Mend]:
    # A helper is left out before a whole layer is: its caller may be one, too.
    way = [function for _, function in way_to(site.failure, site.project)] if site.failure else []
    idle = list(itertools.takewhile(lambda function: not site.is_entered(function), way))
    for function in sorted(idle, key=lambda function: function.node.name == "forward"):
        is_inner = ".<locals>." in function.owner.qualname
        if function.decorators or function.settled or function.node.name in ENTRIES or is_inner:
            continue
        inner, left_out = site.at(function), f"`{function.owner.qualname}`"
        decorator = inner.spell(DECORATOR)
        edits = [inner.insert_before(inner.node, f"@{decorator}")]
        yield inner.mend(inner.node, f"leave out {left_out}, which no example enters", edits, left_out=left_out)
        return


RULE = MendRule("unused_functions", MendKind.SCRIPTED, anything, find, sweeps=False)
