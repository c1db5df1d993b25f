"""Layers that some instances lack: None there."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.values.mends import Held

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    held={"Net.expand": Held(lacking=True)},
)
