"""The version of the package, and where it is at home."""

from __future__ import annotations

__version__ = "0.1.0"
HOMEPAGE = "https://github.com/pdt-annotate/pdt-annotate"
"""The project's page, without a slash at its end."""


def docs_of(code: str) -> str:
    """Where the documentation says what a code of a finding means."""
    return f"{HOMEPAGE}/blob/main/docs/findings.md#{code.lower()}"
