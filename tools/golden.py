"""Run the tool on the fixtures, and write the golden files, which contain the expected results.

    python tools/golden.py [NAME ...]

rewrites `expected.diff` and `expected.json`, for all fixtures or the named ones. A fixture is a folder with `target`
(one line), `spec.py` or `spec.yaml`, and the model. There is no list of fixtures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate.emit.files import diff
from pdt_annotate.values.outcome import FileChange

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
WORKERS = 2
"""The number of processes that run at the same time. Each uses one thread."""


@dataclass(frozen=True)
class Process:
    """How one run of the tool ended."""

    code: int
    stdout: bytes
    stderr: str


@dataclass(frozen=True)
class Made:
    """The results of in-place runs on a copy of a fixture: the first run's diff and JSON, and the second run's diff."""

    first: Process
    diff: bytes
    json: bytes
    second: Process | None
    second_diff: bytes


def names() -> list[str]:
    """The names of all fixtures, which are the names of their folders."""
    return sorted(target.parent.name for target in FIXTURES.glob("*/target"))


def spec_of(folder: Path) -> str:
    """The name of a fixture's spec file."""
    (spec,) = folder.glob("spec.*")
    return spec.name


def copy(name: str, parent: Path) -> Path:
    """A copy of a fixture. The folder keeps its name, because it is the name of a package."""
    unwanted = shutil.ignore_patterns("__pycache__", "expected.*")
    return Path(shutil.copytree(FIXTURES / name, parent / name, ignore=unwanted))


def run(folder: Path, *options: str) -> Process:
    """Run the tool on the fixture in `folder`, which is the working directory and the root.

    Temporary files of the models are written to the parent of `folder`.
    """
    target = (folder / "target").read_text().strip()
    # The number of generated calls depends on the machine.
    asked = [target, "-i", spec_of(folder), "--root", ".", "--no-cache", "--no-probe", *options]
    command = [sys.executable, "-m", "pdt_annotate", *asked]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return Process(done.returncode, done.stdout, done.stderr.decode())


def make(name: str, twice: bool = True) -> Made:
    """Annotate a copy of the fixture in place, then run the tool on the result, if `twice`."""
    with tempfile.TemporaryDirectory() as parent:
        folder, json = copy(name, Path(parent)), Path(parent, "found.json")
        original = _sources(folder)
        first = run(folder, "--json", str(json))
        annotated = _sources(folder)
        second = run(folder) if twice else None
        return Made(
            first=first,
            diff=_difference(original, annotated),
            json=json.read_bytes() if json.exists() else b"",
            second=second,
            second_diff=_difference(annotated, _sources(folder)),
        )


def _sources(folder: Path) -> Mapping[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.py"))}


def _difference(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """The changes as `--diff` prints them."""
    files = sorted(before.keys() | after.keys())
    changes = (FileChange(file, before.get(file, b""), after.get(file, b"")) for file in files)
    changed = (change for change in changes if change.before != change.after)
    return b"".join(line for change in changed for line in diff.unified(change, change.file))


def write(name: str, made: Made) -> None:
    """Save the result of a run as the expected result."""
    (FIXTURES / name / "expected.diff").write_bytes(made.diff)
    (FIXTURES / name / "expected.json").write_bytes(made.json)


def regenerate(wanted: list[str]) -> Iterator[str]:
    """Write the golden files, and yield errors. If a fixture fails verification, its files do not change."""
    with ThreadPoolExecutor(WORKERS) as pool:
        for name, made in zip(wanted, pool.map(make, wanted), strict=True):
            if made.first.code:
                yield f"{name}: exit code {made.first.code}, golden files left as they were\n{made.first.stderr}"
                continue
            write(name, made)
            if made.second and (made.second.code or made.second_diff):
                yield f"{name}: a second run ends with {made.second.code} and changes\n{made.second_diff.decode()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="fixtures; all if none")
    faults = 0
    for fault in regenerate(parser.parse_args().names or names()):
        print(fault, file=sys.stderr)
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
