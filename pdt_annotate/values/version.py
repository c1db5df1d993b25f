"""The version of the package, and where it lives."""

from __future__ import annotations

__version__ = "0.1.0"

URL = "https://github.com/OWNER/pdt-annotate"
"""The project's page; pyproject.toml has it, too, for package indexes."""

DOCS = f"{URL}/blob/main/docs"


def docs_of(code: str) -> str:
    """The page of the documentation that says what a code of a finding means."""
    return f"{DOCS}/findings.md#{code.lower()}"
