"""What is no document, or none of ours, is refused in one sentence; what is one may be shown anywhere."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mutants import mutate
from projects import scratch
from tally import WRONG, Means, Tally
from workers import Fell, attack_in_workers

from pdt_annotate.flows import baseline
from pdt_annotate.inputs import call_names, target, target_names
from pdt_annotate.inputs.drafting.section import TargetTable, add_section
from pdt_annotate.inputs.specs import args, yaml_spec
from pdt_annotate.overlays import manifest
from pdt_annotate.rewrite import rewrite
from pdt_annotate.settings.pyproject import read_table
from pdt_annotate.source.pages import Sources
from pdt_annotate.source.project import Project
from pdt_annotate.source.tool_tables import read_tool_tables
from pdt_annotate.values.errors import PdtError
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.runs import SpecSource

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
select = ["PDT001"]
required-version = ">=0.1"
root = "x"

[[tool.pdt-annotate.targets]]
target = ["m:Net", "n.py:make().run"]
inputs = "i.py:calls"
"""
BASELINE = json.dumps(
    {"schema_version": 1, "findings": [{"file": "a.py", "code": "PDT001", "message": "x", "fingerprint": "ab"}]}
).encode()
ENTRY = {
    "module": "a.b",
    "distribution": "a",
    "version": "1",
    "path": "a/b.py",
    "original": "0" * 64,
    "annotated": "1" * 64,
}
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
ARGUMENT = b"mask=[f32[2,3], {'a': (1, None, -2.5)}, 'x', 1+2j]"
TARGET = b"pkg.model:Net().forward.inner"


@dataclass(frozen=True)
class Case:
    kind: str
    number: int
    content: bytes


def run(means: Means, tally: Tally) -> None:
    readers = _readers()
    kinds = sorted(readers)
    cases = [_draw(means, kinds[number % len(kinds)], number) for number in range(means.times(TIMES))]
    with scratch() as folder:
        attack = functools.partial(_attack, readers=readers, folder=folder)
        attack_in_workers(attack, cases, lambda case: f"{case.kind} {case.number}: {case.content[:300]!r}", tally)


def _draw(means: Means, kind: str, number: int) -> Case:
    return Case(kind, number, mutate(means.random("inputs", number), SOUND[kind]))


def _attack(case: Case, readers: dict[str, Callable[[Path], object]], folder: Path) -> Fell:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        file = Path(own) / f"case{ENDINGS.get(case.kind, '')}"
        file.write_bytes(case.content)
        try:
            readers[case.kind](file)
        except PdtError as error:
            return [(WRONG, f"not printable: {reason!a}") for reason in _shown(error) if not _is_harmless(reason)]
    return []


def _shown(error: Exception) -> list[str]:
    """What a terminal is given of an error."""
    place = str(getattr(error, "place", ""))
    return [disarm(str(error)), disarm(place), disarm(str(getattr(error, "hint", "")))]


def _is_harmless(text: str) -> bool:
    text.encode()  # half a character raises here
    acting = any((char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f" for char in text)
    return not acting and not any(line.lstrip().startswith("::") for line in text.splitlines())


def _readers() -> dict[str, Callable[[Path], object]]:
    """By kind of document, what reads it as far as nothing of the user's has to run."""

    def read_overlay(file: Path) -> object:
        (file.parent / manifest.MANIFEST).write_bytes(file.read_bytes())
        return manifest.load(str(file.parent))

    def read_source(file: Path) -> object:
        list(target_names.names_in(str(file), file.parent))
        call_names.call_names(SpecSource(str(file)))
        Sources(str(file.parent), ()).page(str(file))
        rewrite(file.read_bytes(), [], file=str(file), module="case", classes={})
        return Project(str(file.parent), {"case": str(file)}).survey(str(file))

    def read_text(file: Path) -> str:
        return file.read_bytes().decode("utf-8", "surrogateescape")

    return {
        "argument": lambda file: args.parse_args([read_text(file)]),
        "baseline": lambda file: baseline.read(str(file)),
        "calls": lambda file: call_names.call_names(SpecSource(str(file))),
        "manifest": read_overlay,
        "pyproject": lambda file: read_table(str(file)),
        "ruff": lambda file: read_tool_tables(str(file.rename(file.with_name("ruff.toml")).with_name("a.py"))),
        "section": lambda file: add_section(file.read_bytes(), [TargetTable("a:b", "c")], str(file)),
        "source": read_source,
        "spec": lambda file: yaml_spec.read_yaml(str(file), "", None),
        "target": lambda file: target.parse(read_text(file)),
    }


SOUND = {
    "argument": ARGUMENT,
    "baseline": BASELINE,
    "calls": SPEC,
    "manifest": MANIFEST,
    "pyproject": TOML,
    "ruff": b"line-length = 100\n[lint.isort]\nknown-first-party = ['a']\n",
    "section": TOML,
    "source": SOURCE,
    "spec": SPEC,
    "target": TARGET,
}
ENDINGS = {
    "baseline": ".json",
    "calls": ".yaml",
    "pyproject": ".toml",
    "section": ".toml",
    "source": ".py",
    "spec": ".yaml",
}
