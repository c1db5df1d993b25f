"""The Python that runs the user's code: our own, or another, named by its file or its environment's directory."""

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

from pdt_annotate.interpreters import lending
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import named_from

OLDEST = (3, 11)
# The interpreter in an environment of venv or conda, on all platforms.
PLACES = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
LENT = (
    *("monkeytype", "mypy_extensions", "typing_extensions", "yaml", "sortedcontainers", "attr", "attrs"),
    *("hypothesis", "_hypothesis_globals", "_hypothesis_ftz_detector"),
)
"""Packages that our code imports in the user's environment. Compiled ones need the same version of Python."""

# Older Pythons must be able to run it, too, to report their version.
DESCRIBE = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]  # nothing in the working directory is what is asked for
import json
answer = {"version": list(sys.version_info[:3]), "prefix": sys.prefix, "path": sys.path}
if sys.version_info >= (3, 11):
    import importlib.util, os, sysconfig
    torch = importlib.util.find_spec("torch")
    answer["libraries"] = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
    answer["torch"] = os.path.dirname(torch.origin) if torch and torch.origin else ""
print(json.dumps(answer))
"""
STANDARD_FIRST = """\
import os, sys
here, standard = os.getcwd() + os.sep, os.path.dirname(os.__file__)
def rank(entry):
    installed = entry.endswith("-packages")
    if not installed and (entry.startswith((standard, sys.base_prefix + os.sep)) or entry.endswith(".zip")):
        return 0
    return 1 if installed or not (entry + os.sep).startswith(here) else 2
sys.path.sort(key=rank)
"""
"""The beginning of a program: it sorts PYTHONPATH after the standard library, and the project to the end."""

PATIENCE = 60.0  # seconds for an interpreter to describe itself


@dataclass(frozen=True)
class Interpreter:
    """A Python, in its own description."""

    executable: str  # its absolute path; for an environment, the link in it
    version: tuple[int, ...]  # three numbers
    prefix: str  # the environment's directory
    path: tuple[str, ...]  # its module search path, except the working directory
    # The directories of the standard library and of installed packages, each with a separator at its end.
    libraries: tuple[str, ...]
    torch: str = ""  # the directory of its torch, "" if it has none

    @property
    def torch_version(self) -> str:
        """ "2.13.0"; "" if it has no torch, or one without metadata."""
        found = metadata.distributions(name="torch", path=[os.path.dirname(self.torch)]) if self.torch else ()
        return next((each.version for each in found), "")

    def command(self, program: str) -> list[str]:
        """The command that runs a program text, which can import our package."""
        # Exclude the working directory: a file there may have the name of any module.
        return [self.executable, "-P", "-c", f"{_lend()}\n{program}"]


def find_interpreter(python: str = "") -> Interpreter:
    """The interpreter at a path, or in the environment; our own for "". Raises `UserError` if it cannot run us."""
    if python:
        return _ask(_locate(python))
    from pdt_annotate.values.libraries import LIBRARIES  # noqa: PLC0415  (slow to import)

    torch = find_spec("torch")
    place = os.path.dirname(torch.origin) if torch and torch.origin else ""
    return Interpreter(sys.executable, sys.version_info[:3], sys.prefix, tuple(sys.path), LIBRARIES, place)


def assert_torch(python: str, *folders: str) -> None:
    """Raise `UserError` if the interpreter at a path has no torch; the hint names an environment in `folders`."""
    interpreter = find_interpreter(python)
    if interpreter.torch:
        return
    install = f"{interpreter.executable} -m pip install torch"
    hint = f"install torch there: {install}"
    if not python:
        near = next(_with_torch(folders, interpreter), "")  # perhaps the model's own environment
        unknown = "name the environment that the model runs in: --python DIR"
        named = f"{near} has torch: --python {near}" if near else unknown
        configured = f'or `python = "{near or "DIR"}"` under [tool.pdt-annotate] in pyproject.toml'
        hint = "\n    ".join([named, configured, *([] if near else [f"or install torch here: {install}"])])
    version = ".".join(map(str, interpreter.version))
    raise UserError(f"there is no torch in {interpreter.prefix} (Python {version})", hint=hint)


def _with_torch(folders: tuple[str, ...], other: Interpreter) -> Iterator[str]:
    """The shortest paths of nearby environments that have a torch."""
    variables = (os.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
    nearby = (os.path.join(folder, name) for folder in folders for name in (".venv", "venv"))
    for place in dict.fromkeys(map(os.path.abspath, filter(None, (*variables, *nearby)))):
        executable = _executable_in(place)
        try:
            if executable and executable != other.executable and _ask(executable).torch:
                yield min(place, named_from(place), key=len)
        except UserError:  # the user did not ask for this one
            continue


def _locate(python: str) -> str:
    """The file of an interpreter. A link is not resolved, because Python finds its environment by it."""
    place = os.path.abspath(python)
    if os.path.isdir(place):
        found = _executable_in(place)
        if not found:
            raise UserError(f"--python: {python} is a directory without an interpreter, such as {PLACES[0]}")
        return found
    if not os.path.exists(place):
        on_path = shutil.which(python)
        hint = f"on PATH there is {on_path}" if on_path else "name an interpreter, or the directory of an environment"
        raise UserError(f"--python: there is no {python}", hint=hint)
    return place


def _executable_in(place: str) -> str:
    found = (os.path.join(place, *name.split("/")) for name in PLACES)
    return next(filter(os.path.isfile, found), "")


@functools.cache
def _ask(executable: str) -> Interpreter:
    try:
        done = subprocess.run(
            [executable, "-c", DESCRIBE], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=True
        )
        answer = json.loads(done.stdout.splitlines()[-1])
        version = tuple(answer["version"])
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        raise UserError(f"--python: {executable} is not a working Python") from None
    if version < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        shown = ".".join(map(str, version))
        raise UserError(f"--python: {executable} is Python {shown}, but {oldest} or newer is needed")
    libraries = dict.fromkeys(os.path.join(os.path.realpath(path), "") for path in answer["libraries"])
    return Interpreter(executable, version, answer["prefix"], tuple(answer["path"]), tuple(libraries), answer["torch"])


@functools.cache
def _lend() -> str:
    """The beginning of a program, which imports our package in another Python."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(lending.__file__)))
    return (
        f"{STANDARD_FIRST}"
        f"with open({lending.__file__!r}, encoding='utf-8') as file:\n"
        f"    exec(compile(file.read(), file.name, 'exec'), lending := {{'__name__': 'pdt_annotate_lending'}})\n"
        f"lending['lend']({os.path.dirname(package)!r}, {places_of(LENT)!r})"
    )


def places_of(packages: tuple[str, ...]) -> dict[str, str]:
    """The directories of these packages by name, without packages that are not installed here."""
    places: dict[str, str] = {}
    for spec in filter(None, map(find_spec, packages)):
        if spec.origin:
            file = os.path.dirname(spec.origin) if spec.submodule_search_locations else spec.origin
            places[spec.name] = os.path.dirname(file)
    return places
