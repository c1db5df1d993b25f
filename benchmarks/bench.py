"""Measure the time of a run as medians of ratios to other ways of scripting, and count the linter errors in the result.

    python benchmarks/bench.py [--repeat N] [FIXTURE ...]

Each round runs every tool once, one after the other, so that other load on the machine affects all of them. Only
fixtures with a Python spec can be measured, because the other tools read no YAML.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cost
import growth
import in_memory
import lint
import small_calls

ROOT = Path(__file__).resolve().parent.parent
BASELINES = Path(__file__).resolve().parent / "baselines.py"
FIXTURES = ("transformer_lm", "detection_head", "streaming_conv")
PYTHON = sys.executable

Timed = Callable[[], float]


@dataclass(frozen=True)
class Ratio:
    """The ratio of the times of two ways, `over` / `under`, and the target for it, if there is one."""

    over: str
    under: str
    aim: str = ""

    def line(self, rounds: Sequence[Mapping[str, float]]) -> str:
        ratios = sorted(seconds[self.over] / seconds[self.under] for seconds in rounds)
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        return f"  {self.over} / {self.under}: {statistics.median(ratios):.2f}  ({spread}){self.aim}"


WHOLE_RUNS = (
    Ratio("pdt-annotate", "floor", "  aim: 2 or less"),
    Ratio("pdt-annotate", "MonkeyType run + apply + script"),
    Ratio("pdt-annotate", "torch.jit.script(example_inputs=)"),
)
SMALL = (Ratio("script()", "torch.jit.script"),)
LARGE = (Ratio("script()", "torch.jit.script", "  aim: 3 or less"),)
OBSERVING = (Ratio("observed", "eager"), Ratio("MonkeyType", "eager"))


@dataclass(frozen=True)
class Subject:
    """A fixture in two copies: the original, and a copy that the tool annotated instead of a person."""

    target: str
    plain: Path
    annotated: Path
    scratch: Path

    @classmethod
    def of(cls, name: str, scratch: Path) -> Subject:
        folders = [_copy(ROOT / "fixtures" / name, scratch / kind / name) for kind in ("plain", "annotated")]
        subject = cls((folders[0] / "target").read_text().strip(), *folders, scratch)
        subject.annotate(subject.annotated).check_returncode()
        return subject

    def annotate(self, folder: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
        return _python(self._command("--quiet", *options), folder)

    def _command(self, *options: str) -> list[str]:
        return ["-m", "pdt_annotate", self.target, "-i", "spec.py", "--root", ".", "--no-cache", *options]

    def pdt_annotate(self) -> None:
        self.annotate(self.plain, "--diff").check_returncode()

    def floor(self) -> None:
        self.baseline("script", self.annotated).check_returncode()

    def example_inputs(self) -> bool:
        return self.baseline("example-inputs", self.plain).returncode == 0

    def monkeytype(self) -> bool:
        """Observe, annotate each file, and script; return whether the result scripts and returns the same results."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as parent:
            folder = _copy(self.plain, Path(parent, "model"))
            _python(["-m", "monkeytype", "run", str(BASELINES), "run", self.target], folder).check_returncode()
            for file in sorted(folder.glob("*.py")):
                if file.name != "spec.py":
                    _python(["-m", "monkeytype", "apply", file.stem], folder)
            return self.baseline("script", folder).returncode == 0

    def report_cost(self) -> None:
        """Print the CPU seconds of a run, divided by the minimum, and the stages of the run on one core."""
        stages = self.scratch / "stages.json"
        tool = [PYTHON, *self._command("--diff", "--quiet", "--timings", "--json", str(stages))]
        floor = [PYTHON, str(BASELINES), "script", self.target]
        for title, one_core in (("CPU seconds", False), ("CPU seconds on one core", True)):
            least = cost.measure(floor, self.annotated, _environment(), one_core=one_core)
            run = cost.measure(tool, self.plain, _environment(), one_core=one_core)
            print(f"  {title}: {run.cpu:.1f} over {least.cpu:.1f} = {run.cpu / least.cpu:.2f}  aim: 1.6 or less")
        for stage in json.loads(stages.read_text())["timings"]["stages"]:
            print(f"    {stage['name']}: {stage['seconds']:.2f} s", flush=True)

    def baseline(self, way: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
        return _python([str(BASELINES), way, self.target], folder)

    def ways(self) -> dict[str, Callable[[], object]]:
        return {
            "pdt-annotate": self.pdt_annotate,
            "floor": self.floor,
            "MonkeyType run + apply + script": self.monkeytype,
            "torch.jit.script(example_inputs=)": self.example_inputs,
        }


def _copy(source: Path, target: Path) -> Path:
    unwanted = shutil.ignore_patterns("__pycache__", "expected.*", "*.sqlite3")
    return Path(shutil.copytree(source, target, ignore=unwanted))


def _python(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PYTHON, *command], cwd=folder, env=_environment(), capture_output=True, check=False)


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((".", str(ROOT)))}


def stopwatch(way: Callable[[], object]) -> float:
    """The wall time of a call, in seconds."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def rounds(ways: Mapping[str, Callable[[], object]], repeat: int) -> Iterator[Mapping[str, float]]:
    """Run every way once in each round, and start each round with another way. The warm-up round is not counted."""
    names = list(ways)
    for number in range(repeat + 1):
        first = number % len(names)
        seconds = {name: stopwatch(ways[name]) for name in names[first:] + names[:first]}
        if number:
            yield seconds


def report(title: str, ratios: Sequence[Ratio], ways: Mapping[str, Callable[[], object]], repeat: int) -> None:
    """Measure and print one block."""
    measured = list(rounds(ways, repeat))
    medians = ", ".join(f"{name} {statistics.median(each[name] for each in measured):.2f} s" for name in ways)
    print(f"{title}\n  {medians}")
    for ratio in ratios:
        print(ratio.line(measured), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", nargs="*", default=FIXTURES, metavar="FIXTURE", help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds after the warm-up (%(default)s)")
    options = parser.parse_args()
    lint.report()
    for title, ways in small_calls.MODELS.items():
        report(f"observing {title}", OBSERVING, ways(), options.repeat)
    with tempfile.TemporaryDirectory() as scratch:
        small, large = in_memory.small(Path(scratch)), in_memory.large(Path(scratch))
        report("scripting a function of three lines in memory, aim 0.15 s or less", SMALL, small, options.repeat)
        report("scripting a model of many classes in memory", LARGE, large, options.repeat)
        for name in options.fixtures:
            subject = Subject.of(name, Path(scratch, name))
            report(f"a whole run on {name}", WHOLE_RUNS, subject.ways(), options.repeat)
            subject.report_cost()
            others = {"MonkeyType's annotations": subject.monkeytype, "example_inputs=": subject.example_inputs}
            print("  " + ", ".join(f"{way}: {'verified' if work() else 'fails'}" for way, work in others.items()))
    growth.report(PYTHON)
    return 0


if __name__ == "__main__":
    sys.exit(main())
