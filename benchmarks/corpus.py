"""Compare the cost of a whole run with the minimum, on models of real packages without their annotations.

    python benchmarks/corpus.py CORPUS [--path FOLDER] [--cases GLOB] [--repeat N] [--one-core]

CORPUS contains: venv/ with the dependencies of the packages and of this tool; pristine/PACKAGE, the package as
published; stripped/all-stripped/PACKAGE, the package without annotations; and work/pristine/PACKAGE.CASE/drive.py, in
which `build()` makes the model and `inputs()` returns a list of argument tuples. The minimum is the cost of a new
process that imports the published model, scripts it, and runs it in eager mode and scripted. FOLDER comes last on the
import path of the drivers. Cases that script without annotations are included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cost

ROOT = Path(__file__).resolve().parent.parent
FLOOR = """
import copy, importlib.util, sys, warnings
warnings.simplefilter("ignore")
import torch
spec = importlib.util.spec_from_file_location("drive", sys.argv[1])
drive = sys.modules["drive"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(drive)
model, calls = drive.build(), drive.inputs()
with torch.no_grad():
    eager = [model(*copy.deepcopy(call)) for call in calls]
    scripted = torch.jit.script(model)
    answers = [scripted(*copy.deepcopy(call)) for call in calls]
"""
"""The results are not compared: a scripted model may return other results, and comparing takes no time."""


@dataclass(frozen=True)
class Case:
    """One model of a package of the corpus."""

    corpus: Path
    name: str
    extra: tuple[str, ...]
    one_core: bool

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    def run(self, scratch: Path) -> cost.Cost:
        """The cost of the tool on the stripped package. Its diff is discarded.

        Raises:
            subprocess.CalledProcessError: the tool found no annotations that verify.
        """
        root = self._copy(self.corpus / "stripped" / "all-stripped", scratch)
        driver = shutil.copy(self.corpus / "work" / "pristine" / self.name / "drive.py", scratch)
        asked = ("--root", str(root), "--no-cache", "--diff", "--quiet")
        return self._measure(["-m", "pdt_annotate", f"{driver}:build", "-i", f"{driver}:inputs", *asked], scratch, root)

    def floor(self, scratch: Path) -> cost.Cost:
        """The cost of importing the published package, scripting it, and running it in eager mode and scripted."""
        driver = self.corpus / "work" / "pristine" / self.name / "drive.py"
        return self._measure(["-c", FLOOR, str(driver)], scratch, self._copy(self.corpus / "pristine", scratch))

    def _copy(self, tree: Path, scratch: Path) -> Path:
        """A copy of the package without bytecode, which would make one of the two measured commands cheaper."""
        ignored = shutil.ignore_patterns("__pycache__")
        return Path(shutil.copytree(tree / self.package, scratch / tree.name, ignore=ignored))

    def _measure(self, command: list[str], folder: Path, own: Path) -> cost.Cost:
        others = (str(path) for path in sorted((self.corpus / "pristine").iterdir()) if path.name != self.package)
        path = os.pathsep.join((str(own), *others, *self.extra, str(ROOT)))
        own_ways = {"PYTHONDONTWRITEBYTECODE": "", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        environment = os.environ | own_ways | {"PYTHONPATH": path}
        python = str(self.corpus / "venv" / "bin" / "python")
        return cost.measure([python, *command], folder, environment, one_core=self.one_core)


def measure(case: Case, repeat: int) -> Iterator[tuple[cost.Cost, cost.Cost]]:
    """The costs of the run and of the minimum in each round, after a warm-up round."""
    for number in range(repeat + 1):
        with tempfile.TemporaryDirectory() as scratch:
            floor, run = case.floor(Path(scratch)), case.run(Path(scratch))
        if number:
            yield run, floor


def report(cases: Iterable[Case], repeat: int) -> None:
    """Print a line for each case, then the median and the 90th percentile of the ratios."""
    ratios: list[tuple[float, float]] = []
    print("a whole run compared with the minimum, on packages of the corpus: CPU seconds, then wall time")
    for case in cases:
        try:
            measured = list(measure(case, repeat))
        except subprocess.CalledProcessError as error:
            print(f"  {case.name}: exit {error.returncode}", flush=True)
            continue
        cpu = statistics.median(run.cpu / floor.cpu for run, floor in measured)
        wall = statistics.median(run.wall / floor.wall for run, floor in measured)
        run, floor = measured[0]
        ratios.append((cpu, wall))
        print(f"  {case.name}: {cpu:.2f} ({run.cpu:.1f} s over {floor.cpu:.1f} s), {wall:.2f}", flush=True)
    for name, each in zip(("CPU", "wall"), zip(*ratios, strict=True), strict=False):
        median, slow = statistics.median(each), sorted(each)[len(each) * 9 // 10]
        print(f"  {name}, {len(each)} models: median {median:.2f}, p90 {slow:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--path", action="append", default=[], metavar="FOLDER", help="import path for the drivers")
    parser.add_argument("--cases", default="*", metavar="GLOB", help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds after the warm-up (%(default)s)")
    parser.add_argument("--one-core", action="store_true", help="run all processes on one core")
    options = parser.parse_args()
    corpus, extra = options.corpus.resolve(), tuple(map(os.path.abspath, options.path))
    found = sorted((corpus / "work" / "pristine").glob(options.cases))
    names = [folder.name for folder in found if (folder / "drive.py").exists()]
    report((Case(corpus, name, extra, options.one_core) for name in names), options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
