"""Compare tools that type models without annotations: torch, other tools and pdt-annotate.

    python benchmarks/comparison.py [--models DIR] [--righttyper PYTHON] [--pyannotate PYTHON] [NAME ...]

DIR has a folder for each model, as `fixtures/` does: its files, the example calls (`spec.py` or `spec.yaml`), and its
name in `target`. Each tool changes a copy of the folder, and may run the example calls. `pdt-annotate verify` tests
every copy: the model must compile, and return the results of eager mode on all calls, including the held-back calls,
which no tool has run. The script prints a table in Markdown, and below it the error of each failure.

RightTyper needs Python 3.12, and PyAnnotate needs a Python before 3.13. Pass an interpreter for each, in which torch
and the dependencies of pdt-annotate are installed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = Path(__file__).resolve().parent / "example_calls.py"
LIMIT = 600.0
"""The time limit of one tool for one model, in seconds."""


@dataclass(frozen=True)
class Model:
    """A model in its own folder. The tools only see copies of the folder.

    Args:
        target: the TARGET argument of the command.
        spec: the name of the file with the example calls.
    """

    folder: Path
    target: str
    spec: str

    @classmethod
    def of(cls, folder: Path) -> Model:
        (spec,) = (name for name in ("spec.py", "spec.yaml") if (folder / name).exists())
        return cls(folder, (folder / "target").read_text().strip(), spec)

    def files(self) -> list[str]:
        """The names of the model's source files."""
        return [file.name for file in sorted(self.folder.glob("*.py")) if file.name != self.spec]

    def modules(self) -> list[str]:
        """The dotted names of their modules. Modules of a package are imported from the parent folder."""
        package = f"{self.folder.name}." if (self.folder / "__init__.py").exists() else ""
        return [package + name.removesuffix(".py") for name in self.files() if name != "__init__.py"]


@dataclass(frozen=True)
class Result:
    """The result of one tool for one model.

    Args:
        works: whether the model scripts and returns the same results.
        why: the error, if the model fails.
        written: the number of annotations that the tool added to the files.
    """

    works: bool
    why: str = ""
    written: int = 0


Way = Callable[[Model, Path], Result]
"""(model, a copy of its folder) → the result."""


def as_it_is(model: Model, copy: Path) -> Result:
    return judge(model, copy)


def example_inputs(model: Model, copy: Path) -> Result:
    """torch's own profile-directed typing, in memory: `torch.jit.script(model, example_inputs=…)`."""
    return _result(_run(copy, str(CALLS), model.target, model.spec, "--example-inputs"))


def monkeytype(model: Model, copy: Path) -> Result:
    steps = [("run", str(CALLS), model.target, model.spec), *(("apply", name) for name in model.modules())]
    for step in steps:
        done = _run(copy, "-m", "monkeytype", *step)
        if done.returncode:
            return _result(done)
    return judge(model, copy)


def pyannotate(model: Model, copy: Path, python: str) -> Result:
    done = _run(copy, str(CALLS), model.target, model.spec, "--collect", "types.json", python=python)
    if not done.returncode:
        apply = ["-m", "pyannotate_tools.annotations", "--py3", "-w", "--type-info", "types.json", *model.files()]
        done = _run(copy, *apply, python=python)
    return judge(model, copy) if not done.returncode else _result(done)


def righttyper(model: Model, copy: Path, python: str) -> Result:
    # By default, RightTyper only observes files near the script, which is in this folder.
    where = ["--all-files", "--include-files", re.escape(f"{copy.parent.name}/{copy.name}/")]
    # The judge's Python must parse the annotations.
    version = ["--python-version", f"{sys.version_info.major}.{sys.version_info.minor}"]
    options = ["--overwrite", "--output-files", "--no-sampling", "--use-top-pct", "100", *version, *where]
    done = _run(copy, "-m", "righttyper", *options, str(CALLS), model.target, model.spec, python=python)
    return judge(model, copy) if not done.returncode else _result(done)


def pdt_annotate(model: Model, copy: Path) -> Result:
    command = ["-m", "pdt_annotate", model.target, "-i", model.spec, "--root", ".", "--no-cache", "--quiet"]
    done = _run(copy, *command)
    return judge(model, copy) if not done.returncode else _result(done)


def judge(model: Model, copy: Path) -> Result:
    """Test whether the files script, and return the same results on every call."""
    command = ["-m", "pdt_annotate", "verify", model.target, "-i", model.spec, "--root", "."]
    done = _run(copy, *command, "--no-probe", "--output-format", "json")
    if not done.stdout:
        return _result(done)
    failed = [each for each in json.loads(done.stdout)["verdicts"] if not each["ok"]]
    said = failed[0].get("failure") if failed else None
    return Result(not failed, " ".join(said["message"].split()) if said else "")


def compare(models: Sequence[Model], ways: Mapping[str, Way]) -> dict[str, dict[str, Result]]:
    """The results by model and tool."""
    found: dict[str, dict[str, Result]] = {}
    with tempfile.TemporaryDirectory(prefix="comparison-") as scratch:
        for model in models:
            results = found.setdefault(model.folder.name, {})
            for name, way in ways.items():
                copy = Path(shutil.copytree(model.folder, Path(scratch, str(len(results)), model.folder.name)))
                result = way(model, copy)
                results[name] = replace(result, written=_annotations(model, copy) - _annotations(model, model.folder))
                print(f"{model.folder.name}: {name}: {_mark(results[name])}", file=sys.stderr, flush=True)
    return found


def table(found: Mapping[str, Mapping[str, Result]], ways: Sequence[str]) -> str:
    """The results as a table in Markdown."""
    rows = [[name, *(_mark(results[way]) for way in ways)] for name, results in found.items()]
    sums = [f"{sum(results[way].works for results in found.values())} of {len(found)}" for way in ways]
    written = [str(sum(results[way].written for results in found.values()) or "") for way in ways]
    last = [["**all**", *sums], ["annotations written", *written]]
    lines = [["model", *ways], ["---"] * (len(ways) + 1), *rows, *last]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _mark(result: Result) -> str:
    return "yes" if result.works else "no"


def _annotations(model: Model, folder: Path) -> int:
    """Count the annotations of parameters, returns, variables and attributes."""
    trees = [ast.parse((folder / name).read_text()) for name in model.files()]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    slots = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns")]
    return sum(slot is not None for slot in slots)


def _result(done: subprocess.CompletedProcess[str]) -> Result:
    said = [line.strip() for line in (done.stderr or "").splitlines() if line.strip()]
    return Result(not done.returncode, said[-1] if done.returncode and said else "")


def _run(folder: Path, *words: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(
        filter(None, (str(ROOT), str(CALLS.parent), str(folder.parent), os.environ.get("PYTHONPATH", "")))
    )
    environment = {**os.environ, "PYTHONPATH": path, "PDT_ANNOTATE_NO_CACHE": "1"}
    try:
        return subprocess.run(
            [python, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"not finished within {LIMIT:g} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", type=Path, default=ROOT / "fixtures", help="the folder of the models")
    parser.add_argument("--righttyper", metavar="PYTHON", help="an interpreter that has RightTyper")
    parser.add_argument("--pyannotate", metavar="PYTHON", help="an interpreter that has PyAnnotate")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these models")
    given = parser.parse_args()
    ways: dict[str, Way] = {"as it is": as_it_is, "example_inputs=": example_inputs, "MonkeyType": monkeytype}
    if given.pyannotate:
        ways["PyAnnotate"] = partial(pyannotate, python=given.pyannotate)
    if given.righttyper:
        ways["RightTyper"] = partial(righttyper, python=given.righttyper)
    ways["pdt-annotate"] = pdt_annotate
    folders = sorted(file.parent for file in given.models.glob("*/target"))
    found = compare([Model.of(each) for each in folders if not given.names or each.name in given.names], ways)
    print(table(found, list(ways)))
    for name, results in found.items():
        for way, result in results.items():
            if not result.works:
                print(f"\n{name}, {way}: {result.why}", end="")
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
