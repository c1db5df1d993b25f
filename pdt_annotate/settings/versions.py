"""The versions that a result depends on, told without importing anything."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import metadata

from pdt_annotate.interpreters.interpreter import find_interpreter
from pdt_annotate.values.version import __version__

PACKAGES = ("torch", "libcst", "MonkeyType")


def versions(python: str = "") -> dict[str, str]:
    """By name: the tool, what it stands on, and Python; "" for a package that is not installed.

    Args:
        python: the path of the Python that runs models, whose version and torch count then.
    """
    if python:
        interpreter = find_interpreter(python)
        torch, number = _version_of("torch", interpreter.path), interpreter.spelled_version
    else:
        torch, number = _version_of("torch"), platform.python_version()
    packages = {name: _version_of(name) for name in PACKAGES}
    return {"pdt-annotate": __version__, **packages, "torch": torch, "Python": number}


def _version_of(package: str, path: Sequence[str] | None = None) -> str:
    found = metadata.distributions(name=package) if path is None else metadata.distributions(name=package, path=[*path])
    return next((each.version for each in found), "")
