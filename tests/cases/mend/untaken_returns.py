"""Returns that no example takes."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
import torch


{}
""",
    types={"attend.return": ("Tensor",)},
)
