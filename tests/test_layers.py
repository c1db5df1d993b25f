"""Who may import what. The tables are the picture of the architecture; the sources are held against them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pdt_annotate

PACKAGE = Path(__file__).resolve().parent.parent / "pdt_annotate"

# A part (a module or a subpackage) imports from lines below its own, never from its own line or from above.
PICTURE = """
    __main__
    cli
    live ask
    api report standing
    pipeline tree from_profile settling
    piecemeal third_party batch
    partial culprits observing
    fresh blame
    trials review parts remedies
    search child recording choosing
    repair evidence
    plan slots inference
    call_sites expressions editable drafting hook saving
    project usage namesakes bodies overloads emit specs profiles scripting cache settings sharing
    survey config applying compiler_state closure target_names
    observers consolidate legalize rewrite verify target diagnose
    isolate
    kept_overlay
    serving
    script_types written findings manifest versions placeholder
    ir errors
"""

# What a stage may import of ours; the pipeline carries values from one to the next.
STAGES = {
    "observers": {"ir", "errors"},
    "consolidate": {"ir", "errors"},
    "legalize": {"ir", "errors"},
    "rewrite": {"ir", "errors"},
    "verify": {"ir", "errors"},
    "emit": {"ir", "errors", "config", "findings", "diagnose", "manifest", "versions", "__init__"},
    "profiles": {"ir", "errors", "survey", "__init__"},
}

OWNERS = {
    "click": {"cli"},
    "rich": {"report", "tree", "ask"},
    "monkeytype": {"observers"},
    "libcst": {"rewrite", "emit"},
    "yaml": {"specs"},
    "jsonschema": {"specs"},
    "packaging": {"settings"},
    "torch": {"isolate", "child", "parts", "blame", "specs", "verify", "compiler_state", "scripting"},
}

# Besides its name and version, the package's face leads to the library's functions.
FACE = "__init__"

PARTS = [line.split() for line in PICTURE.strip().splitlines()]
HEIGHT = {part: len(PARTS) - index for index, line in enumerate(PARTS) for part in line}


def part_of(file: Path) -> str:
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


FILES = sorted(PACKAGE.rglob("*.py"))
NAMES = {part_of(file) for file in FILES}


def imported(file: Path) -> Iterator[tuple[str, bool]]:
    """The parts and foreign packages that a file imports anywhere in it, each with whether it is ours."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in modules:
            top, _, rest = module.partition(".")
            if top != PACKAGE.name:
                yield top, False
            else:
                part = rest.partition(".")[0]
                yield part if part in NAMES else FACE, True


def ours(file: Path) -> set[str]:
    return {part for part, own in imported(file) if own and part != part_of(file)}


def foreign(file: Path) -> set[str]:
    return {top for top, own in imported(file) if not own and top not in sys.stdlib_module_names}


@pytest.fixture(params=FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def file(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_the_picture_shows_every_part_once() -> None:
    shown = [part for line in PARTS for part in line]
    assert sorted(shown) == sorted(NAMES - {FACE})


def test_imports_go_down(file: Path) -> None:
    if part_of(file) == FACE:
        assert ours(file) == {"ir", "api", "kept_overlay", "placeholder", "scripting"}
        return
    upwards = {part for part in ours(file) - {FACE} if HEIGHT[part] >= HEIGHT[part_of(file)]}
    assert not upwards


def test_stages_know_only_the_values_and_the_errors(file: Path) -> None:
    if part_of(file) in STAGES:
        assert ours(file) <= STAGES[part_of(file)]


def test_every_foreign_package_has_its_owners(file: Path) -> None:
    for package in foreign(file):
        assert part_of(file) in OWNERS.get(package, ())


@pytest.mark.parametrize("package", OWNERS)
def test_every_owner_uses_what_it_owns(package: str) -> None:
    assert {part_of(file) for file in FILES if package in foreign(file)} == OWNERS[package]


def test_no_part_hides_what_is_public() -> None:
    """Importing a part binds its name in the package."""
    assert not NAMES & set(pdt_annotate.__all__)


def test_the_main_flow_runs_without_torch_and_what_observes() -> None:
    code = "import sys, pdt_annotate.pipeline; print({'torch', 'monkeytype', 'click', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
