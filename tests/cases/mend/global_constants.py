"""Constants of a module or class that the compiler does not see."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
EPSILON = 1e-6
{}
"""
)
