"""The version of the package, and its home page."""

from __future__ import annotations

__version__ = "0.1.0"
HOMEPAGE = "https://github.com/pdt-annotate/pdt-annotate"
"""The project's page, without a trailing slash."""
