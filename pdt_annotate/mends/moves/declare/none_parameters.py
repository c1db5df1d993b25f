"""A parameter that is None in every call is annotated as None, so that the compiler skips code for other values.

Message: any, about a statement that uses the parameter as something else.
Kind: scripted.
Needs: a parameter without annotation whose default is None, for which only None was seen, and which the failing
    statement names.
Before:
    def forward(self, x, cache=None):
        if cache is None or self.key not in cache:
            return self.key(x)
        return cache[self.key]
After:
    def forward(self, x, cache: None = None):
        if cache is None or self.key not in cache:
            return self.key(x)
        return cache[self.key]
"""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.mends.moves.declare.unknown_annotations import parameters
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE


def find(site: FunctionContext) -> Iterator[Mend]:
    named = site.failing_names
    defaults = defaults_of(site.node)
    for arg in parameters(site.node):
        is_only_none = set(site.observed(arg.arg)) == {NONE}
        if arg.arg in named and not arg.annotation and is_only_none and is_none(defaults.get(arg.arg)):
            summary = f"`{arg.arg}` as None, which every call leaves it"
            left_out = f"`{arg.arg}` with a value"
            # PEP 8 wants spaces around the `=` after an annotation.
            (_, end), (start, _) = site.span(arg), site.span(defaults[arg.arg])
            edits = [Edit(end, ": None = ", removed=start - end)]
            yield site.mend(RULE.name, MendKind.SCRIPTED, arg, summary, edits, left_out=left_out)


RULE = MendRule("none_parameters", MendKind.SCRIPTED, somewhere, find, sweeps=False)
