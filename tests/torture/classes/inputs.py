"""Invalid documents are refused in one sentence, and valid ones can be shown in any output."""

import ast
import json
import tempfile
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from mutants import mutate
from projects import scratch
from tally import WRONG, Means, Tally, refusal_faults
from workers import Fell, Result, in_processes

from pdt_annotate.cli.init import add_section
from pdt_annotate.cli.pyproject import read_table
from pdt_annotate.flows import baseline
from pdt_annotate.inputs import specs, target
from pdt_annotate.inputs.specs import args, yaml_spec
from pdt_annotate.overlays import manifest
from pdt_annotate.rewrite import rewrite
from pdt_annotate.source.imports import Sources
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_style import read_tool_tables
from pdt_annotate.values.errors import PdtError
from pdt_annotate.values.runs import Call, SpecSource

LEAST = 5_000
TIMES = 6_000

SPEC = b"""\
seed: 3
dtype: float32
calls:
  - args: [{tensor: [2, 3], dtype: int64, fill: "randint(0, 4)"}, 1e-3, null, &x {tuple: [1, a]}]
    kwargs: {mask: {data: [[1, 2]]}, other: *x}
    name: one
    repeat: 2
  - {args: [{dict: {a: {size: [1]}}}, {device: cpu}], held_back: true}
"""
TOML = b"""\
[project]
name = "x"

[tool.pdt-annotate]
timeout = 5
ignore = ["PDT001"]
required-version = ">=0.1"
root = "x"

[[tool.pdt-annotate.targets]]
target = ["m:Net", "n.py:make().run"]
inputs = "i.py:calls"
"""
BASELINE = json.dumps(
    {"schema_version": 1, "findings": [{"file": "a.py", "code": "PDT001", "message": "x", "fingerprint": "ab"}]}
).encode()
ENTRY = {"module": "a.b", "distribution": "a", "version": "1", "path": "a/b.py"}
ENTRY |= {"original": "0" * 64, "annotated": "1" * 64}
MANIFEST = json.dumps({"format": "pdt-annotate overlay", "version": 1, "files": [ENTRY]}).encode()
SOURCE = """\
# -*- coding: utf-8 -*-
from typing import List
import torch as t


class Net(t.nn.Module):
    def forward(self, x, *, n=1):  # pdt: skip
        # type: (t.Tensor) -> t.Tensor
        ﬁ = [n for n in range(3)]
        return x + f"{n!r}"


example_inputs = [(1, {"a": -2.5})]
""".encode()


@dataclass(frozen=True)
class Kind:
    """A kind of document: a valid one, the code that reads it without running user code, and its check.

    Args:
        is_right: whether the result is that of an independent parser, which raises if there is no document.
        names: the names in a refusal, if it does not name the file.
    """

    sound: bytes
    read: Callable[[Path], object]
    is_right: Callable[[Any, bytes], bool]
    ending: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    kind: str
    content: bytes

    def __str__(self) -> str:
        return f"{self.kind}: {self.content[:300]!r}"


def run(means: Means, tally: Tally) -> None:
    kinds = sorted(KINDS)
    cases = [Case(kind, KINDS[kind].sound) for kind in kinds]  # the controls, which must be read
    for number in range(means.times(TIMES)):
        kind = kinds[number % len(kinds)]
        cases.append(Case(kind, mutate(means.random("inputs", number), KINDS[kind].sound)))
    with scratch() as folder:
        in_processes(partial(_attack, folder), cases, tally)


def _attack(folder: Path, case: Case) -> list[Result]:
    return [(str(case), _read(folder, case.content, KINDS[case.kind]))]


def _read(folder: Path, content: bytes, kind: Kind) -> Fell:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        file = Path(own) / f"case{kind.ending}"
        file.write_bytes(content)
        try:
            value = kind.read(file)
        except PdtError as error:
            is_sound = content == kind.sound
            return refusal_faults(error, *kind.names or [file.name]) + [(WRONG, "it was refused")] * is_sound
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                is_read = kind.is_right(value, content)
        except Exception as error:  # an invalid document has none of this
            return [(WRONG, f"it was accepted as {value!r:.300}: {error!r:.300}")]
        return [] if is_read else [(WRONG, f"it was read as {value!r:.300}")]


def _read_overlay(file: Path) -> object:
    (file.parent / manifest.MANIFEST).write_bytes(file.read_bytes())
    return manifest.load(str(file.parent))


def _read_source(file: Path) -> object:
    list(target.names_in(str(file), file.parent))
    specs.call_names(SpecSource(str(file)))
    Sources(str(file.parent), ()).module(str(file))
    rewrite(file.read_bytes(), [], file=str(file), module="case", classes={})
    return Project(str(file.parent), {"case": str(file)}).read(str(file))


def _read_ruff(file: Path) -> object:
    return read_tool_tables(str(file.rename(file.with_name("ruff.toml")).with_name("a.py")))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _toml(content: bytes) -> dict[str, Any]:
    return tomllib.loads(content.decode("utf-8-sig"))


def _is_table(read: Any, content: bytes) -> bool:
    table = _toml(content).get("tool", {}).get("pdt-annotate", {})
    return bool({name.replace("_", "-") for name in (read.values if read else ())} == table.keys() - {"targets"})


def _has_section(read: Any, content: bytes) -> bool:
    before, after = _toml(content), _toml(read[0])
    added = after["tool"]["pdt-annotate"]["targets"].pop()
    had = before.setdefault("tool", {}).setdefault("pdt-annotate", {}).setdefault("targets", [])
    return bool(added["target"] == "a:b" and after == before and had is not None)


def _is_ruff(read: Any, content: bytes) -> bool:
    try:
        length = _toml(content).get("line-length")
    except (ValueError, RecursionError):
        return bool(read == {})
    return bool(read["ruff"].values.get("line_length") == length)


def _is_survey(read: Any, content: bytes) -> bool:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return len(read.functions) == sum(isinstance(node, definitions) for node in ast.walk(ast.parse(content)))


KINDS = {
    "argument": Kind(
        b"mask=[f32[2,3], {'a': (1, None, -2.5)}, 'x', 1+2j]",
        lambda file: args.parse_args([_text(file.read_bytes())]),
        lambda read, content: isinstance(read, Call) and len(read.args) + len(read.kwargs) == 1,
        names=("--arg",),
    ),
    "baseline": Kind(
        BASELINE,
        lambda file: baseline.read(str(file)),
        lambda read, content: len(read) == len(json.loads(content)["findings"]),
        ".json",
    ),
    "manifest": Kind(
        MANIFEST,
        _read_overlay,
        lambda read, content: read.keys() == {each["module"] for each in json.loads(content)["files"]},
        names=(manifest.MANIFEST,),
    ),
    "pyproject": Kind(TOML, lambda file: read_table(str(file)), _is_table, ".toml"),
    "ruff": Kind(b"line-length = 100\n[lint.isort]\nknown-first-party = ['a']\n", _read_ruff, _is_ruff),
    "section": Kind(
        TOML,
        lambda file: add_section(file.read_bytes(), [{"target": "a:b", "inputs": "c"}], str(file)),
        _has_section,
        ".toml",
    ),
    "source": Kind(SOURCE, _read_source, _is_survey, ".py"),
    "spec": Kind(
        SPEC,
        lambda file: yaml_spec.read_yaml(str(file), "", None),
        lambda read, content: bool(read.calls) and yaml.safe_load(content) is not None,
        ".yaml",
    ),
    "target": Kind(
        b"pkg.model:Net().forward.inner",
        lambda file: target.parse(_text(file.read_bytes())),
        lambda read, content: read.text == _text(content),
        names=("target", "object in a module"),
    ),
}
