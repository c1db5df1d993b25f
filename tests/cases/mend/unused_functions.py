"""Functions that no example enters."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    entered=["Net.forward"],
    stops="key=lambda",
)
