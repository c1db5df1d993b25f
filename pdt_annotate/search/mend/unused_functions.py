"""A function that no example enters is left out of the scripted model, in which a call of it raises.

Message: any, in the function, or in code that it calls.
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
from pdt_annotate.values.mends import Mend, MendKind

ENTRIES = ("forward", "__init__", "__call__")
DECORATOR = "torch.jit.unused"


def find(site: MendSite) -> Iterator[Mend]:
    # The functions of the project that the compiler was in when it stopped, the innermost first.
    for place in (site.failure.place, *site.failure.chain) if site.failure else ():
        function = site.project.function_at(place.file, place.line) if site.project.has(place.file) else None
        if function is not None and site.is_entered(function):
            return
        if function is None or function.decorators or function.settled or function.node.name in ENTRIES:
            continue  # its caller may be one to leave out
        if ".<locals>." in function.owner.qualname:
            continue
        inner, left_out = site.at(function), f"`{function.owner.qualname}`"
        decorator, imports = inner.spell(DECORATOR)
        edits = [inner.insert_before(inner.node, f"@{decorator}")]
        summary = f"leave {left_out}, which no example enters, out"
        yield inner.mend(RULE.name, MendKind.SCRIPTED, inner.node, summary, edits, imports=imports, left_out=left_out)
        return


RULE = MendRule("unused_functions", MendKind.SCRIPTED, anything, find, sweeps=False)
