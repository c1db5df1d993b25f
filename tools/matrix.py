"""Run tests on pairs of versions of Python and torch, and record the results.

    python tools/matrix.py [--pairs "3.12:2.6.0 3.13:2.15.0"] [--use 3.12:2.6.0=DIR] [--cases DIR] [--page [--check]]

For each pair in tests/matrix.toml, an environment is created in .matrix/, with the torch that pip is configured to
install. --use names an existing environment instead. docs/matrix.json contains the last run of each pair, and
docs/matrix.md is made from it. If the Python or torch of a pair cannot be installed, the reason is recorded.

Pythons are the interpreters that the variable PYTHONS names, and then `pythonX.Y` on PATH. --cases runs your own cases:
DIR contains a `judge.py`, which is run with the files *.json of DIR, and prints a line "N of M cases hold" at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import made_page

ROOT = Path(__file__).resolve().parent.parent
DECLARED = ROOT / "tests" / "matrix.toml"
RESULTS = ROOT / "docs" / "matrix.json"
PAGE = ROOT / "docs" / "matrix.md"
PLACE = ROOT / ".matrix"
COUNT = re.compile(r"(\d+) (passed|failed|skipped|error)")
HOLD = re.compile(r"^(\d+) of (\d+) cases hold$", re.MULTILINE)

HEAD = """\
# Tested versions of Python and torch

<!-- Made by `make test-matrix` from docs/matrix.json. -->

pdt-annotate needs Python 3.11 or newer and torch 2.6 or newer. The table lists the pairs of versions that
`make test-matrix` tested, all of them on Linux. The table has a column for each group of tests:

- "fixtures": the tool runs twice on each model, and its output is compared with the expected files byte by byte.
- "compiler": tests that run the TorchScript compiler.
- "unit": unit tests.
- "cases": small programs from outside this project. After they have been annotated, the scripted programs must return
  the results of eager mode in a new process.

"-" means that the group was not run on the pair. The date is the date of the last run. If the last run did not include
a group, its column shows the count of an earlier run. Nothing was run on macOS or Windows. `make test-spawned` runs the
tests on Linux with a Python that lacks the functions that Python on Windows lacks.

"""

TAIL = """
From version 2.14 on, torch warns that `torch.jit` is deprecated. On Python 3.14 torch warns that `torch.jit` is not
supported. The processes that run your code hide these warnings. Instead, the command prints one note on stderr, and
`pdt_annotate.script` issues one `FutureWarning` in each process that calls it. Scripting works with these versions, as
the table shows.

`make test-matrix PAIRS="3.12:2.6.0"` tests one pair, in an environment that it creates below `.matrix/`. Three more
variables change a run:

- `USE="3.12:2.6.0=DIR"` uses an existing environment.
- `ONLY="captures flows"` runs only these groups of tests, which tests/matrix.toml lists.
- `CASES=DIR` tests your own cases.
"""


@dataclass(frozen=True)
class Pair:
    """A version of Python, such as "3.12", and a version of torch, such as "2.6.0"."""

    python: str
    torch: str

    @classmethod
    def read(cls, text: str) -> Pair:
        python, _, torch = text.partition(":")
        return cls(python, torch)

    def __str__(self) -> str:
        return f"{self.python}:{self.torch}"


@dataclass
class Result:
    """The results for a pair.

    Args:
        python: the full version of Python, if the pair was run.
        torch: the version of torch, with its build.
        date: the date of the run.
        why_not: the reason why the pair was not run; "" if it was run.
        counts: for each group of tests, the numbers of passed, failed and skipped tests.
        cases: the number of your own cases that passed, and the number of all; empty if none were run.
    """

    python: str
    torch: str
    date: str
    why_not: str = ""
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    cases: list[int] = field(default_factory=list)


def main() -> int:
    options = _read_options()
    declared = tomllib.loads(DECLARED.read_text())
    if not options.page:
        used = dict(each.split("=", 1) for each in options.use)
        for pair in map(Pair.read, options.pairs or declared["pairs"]):
            print(f"== {pair}", flush=True)
            result = run(pair, declared, used.get(str(pair), ""), options.cases, options.only)
            print(json.dumps(asdict(result)), flush=True)
            _keep(pair, result)
    if options.check:
        return made_page.check(PAGE, page())
    PAGE.write_text(page())
    return int(any(_fell_short(result) for pair, result in _known().items() if pair in options.pairs))


def run(pair: Pair, declared: Mapping[str, object], place: str, cases: Path | None, only: list[str]) -> Result:
    """Run the declared tests on one pair.

    Args:
        declared: the content of tests/matrix.toml.
        place: an existing environment; "" creates one.
        only: the groups of tests to run; empty for all. The earlier results of other groups are kept.
    """
    today = datetime.now(UTC).date().isoformat()
    python, why_not = (_interpreter_in(Path(place)), "") if place else _make(pair, _words(declared["packages"]))
    if why_not:
        return Result(pair.python, pair.torch, today, why_not)
    result = Result(*_versions(python), today)
    tests = declared["tests"]
    assert isinstance(tests, dict)
    before = _known().get(str(pair), result)
    result.counts, result.cases = dict(before.counts), before.cases
    for name in only or tests:
        result.counts[name] = _test(python, tests[name])
    if cases:
        result.cases = _judge(python, cases)
    return result


def page() -> str:
    """The whole page."""
    known = _known()
    groups = [
        name
        for name in tomllib.loads(DECLARED.read_text())["tests"]
        if any(name in each.counts for each in known.values())
    ]
    rows = [["Python", "torch", *groups, "cases", "run on"], ["---"] * (len(groups) + 4)]
    rows += [[each.python, each.torch, *_cells(each, groups), each.date] for each in known.values()]
    said = [f"- Python {each.python}, torch {each.torch}: {each.why_not}" for each in known.values() if each.why_not]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return HEAD + table + "\n" + ("\nNot run:\n\n" + "\n".join(said) + "\n" if said else "") + TAIL


def _cells(result: Result, groups: Iterable[str]) -> Iterator[str]:
    for group in groups:
        yield _told(result.counts.get(group, {}))
    yield f"{result.cases[0]} of {result.cases[1]} passed" if result.cases else "-"


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "-"


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=str.split, default=[], help="pairs to run; default: all in tests/matrix.toml")
    parser.add_argument("--use", type=str.split, default=[], metavar="PAIR=DIR", help="existing environments to use")
    parser.add_argument("--only", type=str.split, default=[], help="groups of tests to run; default: all")
    parser.add_argument("--cases", type=Path, help="a directory with judge.py and cases in *.json")
    parser.add_argument("--page", action="store_true", help="run nothing; write docs/matrix.md")
    parser.add_argument("--check", action="store_true", help="with --page: exit with 1 if the page is stale")
    return parser.parse_args()


def _make(pair: Pair, packages: list[str]) -> tuple[Path, str]:
    """The interpreter of an environment for a pair, and "" or the reason why there is none."""
    base = _find_python(pair.python)
    if not base:
        return Path(), f"there is no python{pair.python} here"
    place = PLACE / f"{pair.python}-{pair.torch}"
    python = _interpreter_in(place)
    # torch is installed first and alone, so that pip's configuration selects the build.
    wanted = [[f"torch=={pair.torch}"], [f"torch=={pair.torch}", "--editable", str(ROOT), *packages]]
    steps = [[base, "-m", "venv", str(place)], *([str(python), "-m", "pip", "install", "-q", *each] for each in wanted)]
    for step in steps:
        done = subprocess.run(step, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            shutil.rmtree(place, ignore_errors=True)
            return Path(), next(reversed(done.stderr.strip().splitlines()), f"{step[0]} failed")
    return python, ""


def _find_python(version: str) -> str:
    """An interpreter of this version. It is started once, because a shim on PATH may have no interpreter."""
    named = os.environ.get("PYTHONS", "").split()
    for name in (*named, f"python{version}"):
        path = shutil.which(name)
        if path and _said(path, "import sys; print('{}.{}'.format(*sys.version_info))") == version:
            return path
    return ""


def _interpreter_in(place: Path) -> Path:
    return place.absolute() / "bin" / "python"


def _versions(python: Path) -> tuple[str, str]:
    told = _said(str(python), "import platform, torch; print(platform.python_version(), torch.__version__)").split()
    return told[0], told[1]


def _said(python: str, program: str) -> str:
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() if not done.returncode else ""


def _test(python: Path, files: list[str]) -> dict[str, int]:
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *files]
    done = subprocess.run(command, cwd=ROOT, env=_environment(), stdout=subprocess.PIPE, text=True, check=False)
    *_, last = done.stdout.strip().splitlines() or [""]
    short = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    print("\n".join((*short, last)), flush=True)
    found = {word: int(number) for number, word in COUNT.findall(last)}
    return {word: found.get(word, 0) for word in ("passed", "failed", "skipped", "error")}


def _judge(python: Path, cases: Path) -> list[int]:
    command = [python, cases / "judge.py", *sorted(cases.glob("*.json"))]
    done = subprocess.run(list(map(str, command)), env=_environment(), stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    held = HOLD.search(done.stdout)
    return [int(held[1]), int(held[2])] if held else []


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def _fell_short(result: Result) -> bool:
    short = any(counts["failed"] + counts["error"] for counts in result.counts.values())
    return short or bool(result.cases and result.cases[0] < result.cases[1])


def _known() -> dict[str, Result]:
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {pair: Result(**result) for pair, result in sorted(found.items(), key=lambda item: _numbers(item[0]))}


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _keep(pair: Pair, result: Result) -> None:
    known = _known() | {str(pair): result}
    RESULTS.write_text(json.dumps({name: asdict(each) for name, each in known.items()}, indent=1) + "\n")


def _words(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(word) for word in value]


if __name__ == "__main__":
    sys.exit(main())
