"""A function that no example enters is left out of the scripted model, where a call of it raises.

Message: any, in the function, or in what it calls.
Kind: scripted.
Needs: a function of the project that no example call entered; it has no decorator.
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

from collections.abc import Iterator

from pdt_annotate.search.mend.site import MendRule, MendSite, anything
from pdt_annotate.source.survey import Function
from pdt_annotate.values.mends import Mend, MendKind

ENTRIES = ("forward", "__init__", "__call__")
DECORATOR = "torch.jit.unused"


def find(site: MendSite) -> Iterator[Mend]:
    # The functions of the project that the compiler was in when it stopped, the innermost first.
    for place in (site.failure.place, *site.failure.chain) if site.failure else ():
        function = site.project.function_at(place.file, place.line) if site.project.has(place.file) else None
        if function is not None and site.is_entered(function):
            return
        if function is not None and _can_be_unused(function):
            yield _mend(site.at(function))
            return


def _can_be_unused(function: Function) -> bool:
    is_nested = ".<locals>." in function.owner.qualname
    return not (function.decorators or is_nested or function.settled or function.node.name in ENTRIES)


def _mend(site: MendSite) -> Mend:
    decorator, imports = site.spell(DECORATOR)
    left_out = f"`{site.function.owner.qualname}`"
    edits = [site.insert_before(site.node, f"@{decorator}")]
    summary = f"leave {left_out}, which no example enters, out"
    return site.mend(RULE.name, MendKind.SCRIPTED, site.node, summary, edits, imports=imports, left_out=left_out)


RULE = MendRule("unused_functions", MendKind.SCRIPTED, anything, find, sweeps=False)
