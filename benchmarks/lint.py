"""Count the errors of linters and formatters that a rewrite adds, by tool and by configuration of the project.

    python benchmarks/lint.py

Each fixture is first formatted by the tools of a configuration. Then the annotations of its `expected.json` are written
into it. Errors that the tools report after this, but did not report before, are counted.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.module import Module, read_module
from pdt_annotate.source.read_style import read_style
from pdt_annotate.values.slots import Annotation, ClassInfo, ClassKind, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@dataclass(frozen=True)
class Configuration:
    """The configuration of a project: its files by name, and their values for tools that do not read these files."""

    name: str
    files: Mapping[str, str]
    length: int
    python: str

    @property
    def tools(self) -> Mapping[str, Sequence[str]]:
        """The commands that report errors, by the name of the tool."""
        length, target = str(self.length), self.python
        ruff = ("--isolated", "--line-length", length, "--target-version", target)
        return {
            "ruff check": ("ruff", "check", *ruff, "--select", "E501,F,I,UP", "--output-format", "concise"),
            "ruff format": ("ruff", "format", *ruff, "--check"),
            "black": ("black", "--config", "/dev/null", "-l", length, "-t", target, "--check"),
            "isort": ("isort", "--settings-path", "/dev/null", "--profile", "black", "-l", length, "--check"),
        }

    def tidy(self, folder: Path, without: str = "") -> None:
        """Format all files with the tools."""
        for name in (each for each in ("ruff check", "ruff format", "black") if each != without):
            command = [each for each in self.tools[name] if each != "--check"]
            run([*command, *(["--fix", "--unsafe-fixes"] if name == "ruff check" else [])], folder)


CONFIGURATIONS = (
    Configuration(
        "ruff, 88 columns, Python 3.11",
        {
            "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\n'
            '[tool.ruff]\nline-length = 88\n[tool.ruff.lint]\nselect = ["E", "F", "I", "UP"]\n'
        },
        88,
        "py311",
    ),
    Configuration(
        "black, Python 3.8",
        {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.8"\n[tool.black]\n'},
        88,
        "py38",
    ),
    Configuration(
        "black and isort, 100 columns, Python 3.9",
        {
            "pyproject.toml": '[tool.black]\nline-length = 100\ntarget-version = ["py39"]\n'
            '[tool.isort]\nprofile = "black"\nline_length = 100\n'
        },
        100,
        "py39",
    ),
    Configuration(
        "flake8, 79 columns",
        {
            "setup.cfg": "[flake8]\nmax-line-length = 79\n[options]\npython_requires = >=3.10\n",
            ".editorconfig": "root = true\n[*]\nindent_size = 4\n[*.{py,pyi}]\nmax_line_length = 79\n",
        },
        79,
        "py310",
    ),
)


def run(command: Sequence[str], folder: Path) -> str:
    """Run a Python module on the folder, and return its output, even if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *command, "."], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def complaints(configuration: Configuration, folder: Path, without: str = "") -> Mapping[str, Counter[str]]:
    """The errors of each tool except `without`, without line numbers."""
    tools = {name: command for name, command in configuration.tools.items() if name != without}
    return {name: Counter(_complaints(run(command, folder))) for name, command in tools.items()}


def _complaints(printed: str) -> Iterator[str]:
    """The lines that name a Python file, by its path in the folder."""
    for line in printed.splitlines():
        if re.search(r"\.py\b", line):
            yield re.sub(r":\d+:\d+:", "", line)


def measure(configuration: Configuration, folder: Path, without: str = "") -> Mapping[str, list[str]]:
    """The new errors of each tool except `without` for the annotated fixtures, which are written to the folder."""
    for name, text in configuration.files.items():
        (folder / name).write_text(text)
    names = sorted(target.parent.name for target in FIXTURES.glob("*/target"))
    for name in names:
        shutil.copytree(FIXTURES / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "expected.*"))
    configuration.tidy(folder, without)
    before = complaints(configuration, folder, without)
    for name in names:
        for file, annotated in rewrite_fixture(FIXTURES / name, folder / name):
            file.write_bytes(annotated.source)
    after = complaints(configuration, folder, without)
    return {tool: sorted((after[tool] - before[tool]).elements()) for tool in before}


def rewrite_fixture(original: Path, folder: Path) -> Iterator[tuple[Path, Rewritten]]:
    """Rewrite the files of a copy of a fixture, which may have another layout, with the expected annotations."""
    found = json.loads((original / "expected.json").read_text())["annotations"]
    for name in sorted({each["slot"]["file"] for each in found}):
        file, moved = folder / name, _Moved(original / name, folder / name)
        wanted = [moved.annotation(each) for each in found if each["slot"]["file"] == name]
        classes = {each.name: each for annotation in wanted for each in _classes(annotation.type, folder)}
        style, module = read_style(str(file)), module_name_of(str(file))
        done = rewrite(file.read_bytes(), wanted, file=str(file), module=module, classes=classes, style=style)
        assert len(done.written) == len(wanted), done.refused
        yield file, done


class _Moved:
    """Maps the slots of a file to a copy with another layout. The definitions and statements have the same order."""

    def __init__(self, original: Path, copy: Path) -> None:
        before, after = (read_module(str(each), each.read_bytes()) for each in (original, copy))
        self.owners: dict[tuple[str, int], Owner] = {}
        self.lines: dict[int, int] = {0: 0}
        for old, new in zip(_definitions(before), _definitions(after), strict=True):
            self.owners[old.owner.qualname, old.owner.line] = new.owner
            self.lines.update(zip(_lines(old.node), _lines(new.node), strict=True))

    def annotation(self, found: Mapping[str, Any]) -> Annotation:
        slot = found["slot"]
        owner = self.owners[slot["function"], slot["line"]]
        place = Slot(owner, SlotKind(slot["kind"]), slot["name"], self.lines[slot["slot_line"]])
        return Annotation(place, _type(ast.parse(found["type"], mode="eval").body), final=found["final"])


def _definitions(found: Module) -> list[Function | Class]:
    return [*found.functions, *found.classes]


def _lines(node: ast.AST) -> list[int]:
    """The first lines of the statements in a definition."""
    return [each.lineno for each in ast.walk(node) if isinstance(each, ast.stmt)]


def _type(node: ast.expr) -> TypeExpr:
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return TypeExpr(ast.unparse(node.value), tuple(map(_type, inner)))
    return TypeExpr(ast.unparse(node))


def _classes(type_: TypeExpr, folder: Path) -> Iterator[ClassInfo]:
    """The classes in a type, with their files, which the rewrite needs."""
    for name in type_.names:
        module, _, qualname = name.rpartition(".")
        file = folder / f"{module.rpartition('.')[2]}.py"
        if file.is_file():
            yield ClassInfo(name, module, qualname, ClassKind.NAMEDTUPLE, str(file))


def report() -> None:
    """Measure and print one block."""
    print("new linter errors in the annotated fixtures")
    for configuration in CONFIGURATIONS:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(configuration, Path(folder))
        print(f"  {configuration.name}: " + ", ".join(f"{tool} {len(said)}" for tool, said in found.items()))
        print("".join(f"    {tool}: {line}\n" for tool, said in found.items() for line in said), end="", flush=True)


if __name__ == "__main__":
    report()
