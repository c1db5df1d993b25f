"""Environments that are quick to make, because they consist of links to installed packages."""

import subprocess
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

OF_TORCH = (
    "torch",
    "torchgen",
    "functorch",
    "numpy",
    "sympy",
    "mpmath",
    "filelock",
    "jinja2",
    "markupsafe",
    "networkx",
    "fsspec",
    "typing_extensions",
)


def make_environment(directory: Path, has: Callable[[str], bool]) -> Path:
    """An environment with the installed packages, and their metadata, for whose names `has` returns True.

    Returns:
        its directory of packages.
    """
    venv.create(directory, symlinks=True, with_pip=False)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    command = [str(directory / "bin" / "python"), "-c", where]
    packages = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if package.suffix != ".pth" and not package.name.startswith("__") and has(package.name):
            (packages / package.name).symlink_to(package)
    return packages


def is_of_torch(name: str) -> bool:
    """Whether this is the name of torch or of a dependency of torch."""
    return name.partition(".")[0].partition("-")[0].lower() in OF_TORCH


def is_of_the_tool(name: str) -> bool:
    """Whether the tool may need a package of this name."""
    return not name.startswith(("torch", "functorch"))
