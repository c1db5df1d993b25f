"""The same sources and examples give the same bytes, whatever Python's hash seed: sources, reports and what is said."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from projects import FIXTURES, environment, run_tool, scratch
from tally import WRONG, Means, Tally, side_by_side

LEAST = 15
FIXTURES_OF_ONE = 3
SEEDS = 5
REPORTS = ("--json", "report.json", "--html", "report.html", "--output-file", "sarif:report.sarif")


@dataclass(frozen=True)
class Made:
    """What a run made: by path, the bytes; and what it said."""

    said: str
    files: Mapping[str, bytes]
    faults: tuple[tuple[str, str], ...]


def run(means: Means, tally: Tally) -> None:
    drawn = means.random("sameness")
    names = sorted(path.parent.name for path in FIXTURES.glob("*/target"))
    seeds = [0, *(drawn.randrange(1, 2**32) for _ in range(SEEDS - 1))]
    fixtures = drawn.sample(names, min(len(names), means.times(FIXTURES_OF_ONE)))
    with scratch() as folder:
        runs = [(fixture, seed) for fixture in fixtures for seed in seeds]
        made: dict[tuple[str, int], Made] = {}
        side_by_side(lambda run: made.__setitem__(run, _make(folder, *run)), runs)
        for fixture, seed in runs:
            _count(f"{fixture}, seed {seed}", made[fixture, seed], made[fixture, seeds[0]], tally)


def _make(folder: Path, fixture: str, seed: int) -> Made:
    """A run in a copy whose place has the same name for each seed, since reports name it."""
    project = Path(shutil.copytree(FIXTURES / fixture, folder / str(seed) / fixture))
    env = environment(folder / "home" / f"{fixture}-{seed}", {"PYTHONHASHSEED": str(seed)})
    target = (project / "target").read_text().strip()
    spec = next(file.name for file in sorted(project.iterdir()) if file.stem == "spec")
    before = (project / "model.py").read_bytes()
    ran = run_tool((target, "-i", spec, *REPORTS), project, env)
    place = str(project).encode()
    files = {str(file.relative_to(project)): file for file in project.rglob("*") if file.is_file()}
    contents = {
        name: file.read_bytes().replace(place, b"") for name, file in files.items() if "__pycache__" not in name
    }
    done = [] if ran.code == 0 and contents["model.py"] != before else [(WRONG, f"not annotated: {ran.said[-300:]}")]
    return Made(f"exit {ran.code}: " + ran.said.replace(str(project), ""), contents, (*ran.faults(), *done))


def _count(name: str, made: Made, first: Made, tally: Tally) -> None:
    other = [path for path in made.files.keys() | first.files.keys() if made.files.get(path) != first.files.get(path)]
    fell = [(WRONG, f"other bytes: {sorted(other)}")] if other else []
    if made.said != first.said:
        fell.append((WRONG, f"said otherwise: {made.said[-300:]!r}, {first.said[-300:]!r}"))
    tally.count(name, *made.faults, *fell)
