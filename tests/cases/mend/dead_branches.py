"""Branches that no instance takes."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    types={"Net.forward.mask": ("None",)},
    stops="key=lambda",
)
