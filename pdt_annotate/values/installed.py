"""Which files are installed packages: these never belong to the project, in any environment.

Imports next to nothing: the processes of a recorded program load this file before all our other modules.
"""

import os

# The folders that installers fill, on every system, and the folder of PEP 582.
PACKAGES = frozenset(("site-packages", "dist-packages", "__pypackages__"))
MARKS = ("pyvenv.cfg", "conda-meta")
"""Names at the top of an environment: of venv, virtualenv and uv; of conda and its kin."""


def is_environment(folder: str) -> bool:
    """Whether a folder holds installed packages, an interpreter and such, and nothing that belongs to a project."""
    marks = (os.path.join(folder, mark) for mark in MARKS)
    return os.path.basename(folder) in PACKAGES or any(map(os.path.exists, marks))


def is_installed(file: str, root: str = "") -> bool:
    """Whether a file belongs to an installed package, or to an environment inside the project.

    A project may itself be in an environment, or be an installed package under development. So only the folders
    below the root count for a file below the root. An editable install is in its own project, not installed. Both paths
    are absolute, and real if links might lead out of an environment; without a known root, it is "".
    """
    inside = bool(root) and file.startswith(os.path.join(root, ""))
    parts = file[len(root) if inside else 0 :].split(os.sep)
    if not PACKAGES.isdisjoint(parts):
        return True
    start = len(os.path.join(root, ""))
    return inside and any(is_environment(file[:end]) for end in range(start, len(file)) if file[end] == os.sep)


def is_own(file: str, root: str) -> bool:
    """Whether a file is below the root of a project and belongs to it."""
    return file.startswith(os.path.join(root, "")) and not is_installed(file, root)
