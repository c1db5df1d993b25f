"""Properties that nothing compiled reads."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
{}

    def forward(self, x):
        return x
""",
    stops="return next",
)
