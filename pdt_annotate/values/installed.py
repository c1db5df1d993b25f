"""Which files are installed packages: those are never the project's, wherever their environment lies.

Imports next to nothing: the processes of a recorded program load this file alone, before anything else of ours.
"""

from __future__ import annotations

import os

PACKAGES = frozenset(("site-packages", "dist-packages", "__pypackages__"))
"""The folders that installers fill, on every system, and that of PEP 582."""

MARKS = ("pyvenv.cfg", "conda-meta")
"""What lies at the top of an environment: of venv, virtualenv and uv; of conda and its kin."""


def is_environment(folder: str) -> bool:
    """Whether a folder holds installed packages, an interpreter and such, and nothing that belongs to a project."""
    marks = (os.path.join(folder, mark) for mark in MARKS)
    return os.path.basename(folder) in PACKAGES or any(map(os.path.exists, marks))


def is_installed(file: str, root: str = "") -> bool:
    """Whether a file belongs to an installed package, or to an environment inside the project.

    A project may itself lie in an environment, or be an installed package that somebody works on: of a file below the
    root only the folders below the root count. What is installed as editable lies in its project, and not here.

    Args:
        file: an absolute path; real, where links might lead out of an environment.
        root: that of the project, just as absolute and real; "" where none is known.
    """
    inside = bool(root) and file.startswith(os.path.join(root, ""))
    parts = file[len(root) if inside else 0 :].split(os.sep)
    if not PACKAGES.isdisjoint(parts):
        return True
    start = len(os.path.join(root, ""))
    return inside and any(is_environment(file[:end]) for end in range(start, len(file)) if file[end] == os.sep)


def is_own(file: str, root: str) -> bool:
    """Whether a file lies below the root of a project and belongs to it."""
    return file.startswith(os.path.join(root, "")) and not is_installed(file, root)
