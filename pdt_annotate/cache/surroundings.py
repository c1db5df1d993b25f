"""What decides a result beside the project's files: versions, installed packages, environment, working directory."""

from __future__ import annotations

import os
import sys

from pdt_annotate.cache import store
from pdt_annotate.cache.state import digest_file
from pdt_annotate.values.installed import PACKAGES, is_installed
from pdt_annotate.values.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METADATA = (".dist-info", ".egg-info", ".egg-link", ".pth")
"""The names of these carry a distribution's name and version, so that no metadata has to be read."""

VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONOPTIMIZE", "PYTHONSAFEPATH", "PDT_ANNOTATE_OVERLAY")
PREFIXES = ("PYTORCH_", "TORCH_")


def describe() -> str:
    """A digest: equal where the same sources, inputs and options give the same result, in our own Python."""
    tool = [__version__, sorted(_own_state())]
    python = [sys.version, sys.platform, sys.prefix]
    installed = _installed_on(sys.path)
    deciding = sorted(name for name in os.environ if name in VARIABLES or name.startswith(PREFIXES))
    environment = [[name, os.environ[name]] for name in deciding]
    return store.digest([tool, python, installed, environment, os.getcwd()])


def describe_other(executable: str, prefix: str, path: Sequence[str]) -> str:
    """The same for another Python, of what decides there. It is not started for that.

    Args:
        executable: its file.
        prefix: the directory of its environment.
        path: where it looks for modules, as it once said.
    """
    try:
        status = os.stat(executable)
    except OSError:
        return ""
    interpreter = [os.path.realpath(executable), status.st_size, status.st_mtime_ns]
    return store.digest([interpreter, digest_file(os.path.join(prefix, "pyvenv.cfg")), _installed_on(path)])


def _installed_on(path: Sequence[str]) -> list[object]:
    """What is installed in the directories of an import path."""
    libraries = [directory for directory in path if os.path.basename(directory) in PACKAGES]
    return [[directory, _installed_in(directory)] for directory in libraries]


def _installed_in(directory: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(directory) if name.endswith(METADATA))
    except OSError:
        return []


def _own_state() -> Iterator[tuple[str, int, int]]:
    """Where the tool is not installed but worked on, one version has many states."""
    if is_installed(PACKAGE):
        return
    for folder, _, files in os.walk(PACKAGE):
        for file in files:
            if file.endswith(".py"):
                status = os.stat(os.path.join(folder, file))
                yield os.path.join(folder, file), status.st_size, status.st_mtime_ns
