"""Loops over the indices of lists of layers."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.search.mend.construction import LISTS
from pdt_annotate.values.mends import Held, HeldValue

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x):
        {}
        return ys
""",
    held={f"Net.{name}": Held((HeldValue(LISTS[0], length=2, items=("Linear",)),)) for name in ("layers", "heads")},
)
