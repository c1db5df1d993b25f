"""The versions that a result depends on, told without importing anything."""

from __future__ import annotations

import platform
from importlib import metadata

from pdt_annotate.values.version import __version__

PACKAGES = ("torch", "libcst", "MonkeyType")


def versions() -> dict[str, str]:
    """By name: the tool, what it stands on, and Python; "" for a package that is not installed."""
    packages = {name: _version_of(name) for name in PACKAGES}
    return {"pdt-annotate": __version__, **packages, "Python": platform.python_version()}


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
