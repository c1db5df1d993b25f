"""Tests that are settled in the constructor: constants."""

from __future__ import annotations

from mend_cases import Form
from mended import held

DOCUMENTED = Form(
    """\
{}
""",
    held={"Block.skip": held("3", "0")},
    stops="return x, self.side(x)",
)
