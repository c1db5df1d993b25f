"""An annotation that promises more types than any call passes gives way to one of those that are passed.

Message: whatever the compiler says of a statement that uses the parameter: `cannot be used as a tuple`, say.
Kind: scripted.
Needs: a written Union, or anything that takes more than was seen, of a parameter that the failing statement names.
Before:
    def ssim(x, k: Union[List[float], Tuple[float, float]] = (0.01, 0.03)):
        k1, k2 = k
After:
    def ssim(x, k: Tuple[float, float] = (0.01, 0.03)):
        k1, k2 = k
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.search.mend.rule import MendRule
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.search.mend.unknown_annotations import parameters, take_annotation
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE
from pdt_annotate.values.verdicts import Failure


def is_asked_for(failure: Failure) -> bool:
    return bool(failure.place.line)


def find(site: MendSite) -> Iterator[Mend]:
    named = site.failing_names
    for arg in parameters(site.node):
        if arg.arg in named and arg.annotation and _is_wider(site, arg, ast.unparse(arg.annotation)):
            summary = f"`{site.source(arg)}` as no more than is passed"
            left_out = f"`{arg.arg}` of any other type than was passed"
            edits = [take_annotation(site, arg)]
            yield site.mend("wide_annotations", MendKind.SCRIPTED, arg, summary, edits, left_out=left_out)


def _is_wider(site: MendSite, arg: ast.arg, text: str) -> bool:
    """Whether an annotation is a union of more than was seen; what it makes of None is another rule's."""
    written, seen = read_annotation(text), set(site.observed(arg.arg)) - {NONE}
    members = [each for each in written.args if each != NONE] if written and written.name == "Union" else []
    return bool(seen) and len(members) > len(seen)


RULE = MendRule("wide_annotations", MendKind.SCRIPTED, is_asked_for, find, sweeps=False)
