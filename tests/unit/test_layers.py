"""Which module may import which other: the floors in the docstring of the package, compared with the imports."""

import functools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from repository import ROOT

import pdt_annotate

PACKAGE = ROOT / "pdt_annotate"
FILES = sorted(PACKAGE.rglob("*.py"))

FACE = "__init__"
"""`pdt_annotate/__init__.py` is on no floor: it only imports the functions of the library."""

FLOORS = [line.split()[0] for line in (pdt_annotate.__doc__ or "").splitlines() if line.startswith(4 * " ")]
HEIGHT = {room: len(FLOORS) - index for index, room in enumerate(FLOORS)}

# A stage may import `values` and `source`, and no other stage except these.
STAGES = {
    "observers": set(),
    "choose": {"findings"},
    "rewrite": set(),
    "verify": {"findings"},
    "emit": {"findings", "overlays", "settings", "writes"},
    "profiles": {"interpreters", "observers", "overlays", "writes"},
}

OWNERS = {
    "cattrs": {"processes"},
    "click": {"cli"},
    "jinja2": {"captures/exporting", "emit/html", "graphs"},
    "pygments": {"emit/html"},
    "pytest": {"pytest_plugin"},
    "rich": {"cli/interactive", "emit/terminal"},
    "monkeytype": {"observers"},
    "libcst": {"rewrite"},
    "networkx": {"graphs"},
    "yaml": {"inputs/specs", "processes/child/probes"},
    "hypothesis": {"processes/child/probes"},
    "jsonschema": {"inputs/specs"},
    "packaging": {"cli"},
    "platformdirs": {"values"},
    "torch": {"blame", "captures", "flows", "processes"}
    | {"graphs/read", "inputs/specs", "verify/judges", "verify/traps"},
}


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


ROOMS = {room_of(file) for file in FILES} - {FACE}


DOCUMENT = re.compile('"""(?s:.*?)"""')
IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import \(?\s*([\w., ]+)", re.MULTILINE)


@functools.cache
def code(file: Path) -> str:
    """A file without its docstrings. A regular expression removes them, because parsing all files takes seconds."""
    return DOCUMENT.sub("", file.read_text())


@functools.cache
def imported(file: Path) -> set[tuple[str, bool]]:
    """The rooms and foreign packages that a file imports anywhere, each with whether it is ours."""
    found = set()
    for module, names in IMPORT.findall(code(file)):
        assert not module.startswith("."), f"{file}: imports are absolute"
        for name in filter(None, map(str.strip, names.split(","))):
            top, *rest = (f"{module}.{name}" if module else name.split()[0]).split(".")
            room = rest[0].split()[0] if rest else ""
            found.add((room if room in ROOMS else FACE, True) if top == PACKAGE.name else (top, False))
    return found


def ours(file: Path) -> set[str]:
    return {room for room, own in imported(file) if own and room != room_of(file)}


def foreign(file: Path) -> set[str]:
    return {top for top, own in imported(file) if not own and top not in sys.stdlib_module_names}


def test_the_docstring_shows_every_room_once() -> None:
    assert sorted(FLOORS) == sorted(ROOMS)


@pytest.mark.parametrize("room", FLOORS)
def test_imports_go_down(room: str) -> None:
    for file in FILES:
        if room_of(file) == room:
            assert not {other for other in ours(file) if HEIGHT.get(other, 99) >= HEIGHT[room]}, file


def test_the_face_leads_to_the_library_and_nothing_else() -> None:
    assert ours(PACKAGE / "__init__.py") == {"api", "captures", "flows", "inputs", "overlays", "values"}


@pytest.mark.parametrize("stage", STAGES)
def test_stages_know_values_and_sources_alone(stage: str) -> None:
    known = {room for file in FILES if room_of(file) == stage for room in ours(file)}
    assert known <= {"values", "source", *STAGES[stage]}


@pytest.mark.parametrize("package", OWNERS)
def test_a_foreign_package_is_used_where_it_belongs(package: str) -> None:
    users = {file.relative_to(PACKAGE).as_posix() for file in FILES if package in foreign(file)}
    for user in users:
        assert any(user.startswith(f"{owner}/") for owner in OWNERS[package]), user
    for owner in OWNERS[package]:
        assert any(user.startswith(f"{owner}/") for user in users), owner


def test_no_foreign_package_is_without_an_owner() -> None:
    assert set().union(*map(foreign, FILES)) == set(OWNERS)


def test_no_room_hides_what_is_public() -> None:
    """Importing a room binds its name in the package."""
    assert not ROOMS & set(pdt_annotate.__all__)


ABOVE = ("blame", "captures", "choose", "emit", "flows", "graphs", "observers", "rewrite", "search", "verify")
LIGHT = {
    "pdt_annotate.flows.from_files": {"torch", "monkeytype", "click", "rich"},
    "pdt_annotate.cli": {f"pdt_annotate.{room}" for room in ABOVE},  # this module prints the help
}


@pytest.mark.parametrize("module", LIGHT)
def test_a_module_imports_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print({LIGHT[module]} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_no_two_public_classes_share_a_name() -> None:
    public = Counter(name for file in FILES for name in re.findall(r"^class ([^\W_]\w*)", code(file), re.MULTILINE))
    assert not [name for name, count in public.items() if count > 1]
