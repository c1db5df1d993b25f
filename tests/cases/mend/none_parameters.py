"""Parameters for which only None was seen."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    types={"Net.forward.cache": ("None",)},
    stops="not in cache",
)
