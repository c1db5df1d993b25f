"""A whole run over its floor, on models of real packages whose authors' annotations were taken away.

    python benchmarks/corpus.py CORPUS [--path FOLDER] [--cases GLOB] [--repeat N]

CORPUS holds venv/ with what the packages and this tool depend on, pristine/PACKAGE as shipped and
stripped/all-stripped/PACKAGE without annotations; in work/pristine/PACKAGE.CASE/drive.py `build()` makes the model and
`inputs()` a list of argument tuples. The floor is a fresh process that imports the model as shipped, scripts it and
runs it both ways. FOLDER, where drivers find more to import, comes last on the path. Cases that script without
annotations count as well.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
"""Answers are made and not compared: models may answer otherwise when they are scripted, and it takes no time."""


@dataclass(frozen=True)
class Case:
    """One model of a package of the corpus."""

    corpus: Path
    name: str
    extra: tuple[str, ...]

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    def run(self, scratch: Path) -> float:
        """Seconds that the tool takes on the stripped package; its diff is thrown away.

        Raises:
            subprocess.CalledProcessError: it found no annotations that verify.
        """
        root = scratch / "src"
        stripped = self.corpus / "stripped" / "all-stripped" / self.package
        shutil.copytree(stripped, root, ignore=shutil.ignore_patterns("__pycache__"))
        driver = shutil.copy(self.corpus / "work" / "pristine" / self.name / "drive.py", scratch)
        asked = ("--root", str(root), "--no-cache", "--diff", "--quiet")
        return self._time(["-m", "pdt_annotate", f"{driver}:build", "-i", f"{driver}:inputs", *asked], scratch, root)

    def floor(self, scratch: Path) -> float:
        """Seconds that the package as shipped takes to be imported, scripted and run both ways."""
        driver = self.corpus / "work" / "pristine" / self.name / "drive.py"
        return self._time(["-c", FLOOR, str(driver)], scratch, self.corpus / "pristine" / self.package)

    def _time(self, command: list[str], folder: Path, own: Path) -> float:
        others = (str(path) for path in sorted((self.corpus / "pristine").iterdir()) if path.name != self.package)
        path = os.pathsep.join((str(own), *others, *self.extra, str(ROOT)))
        own_ways = {"PYTHONDONTWRITEBYTECODE": "", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        environment = os.environ | own_ways | {"PYTHONPATH": path}
        start = time.perf_counter()
        python = self.corpus / "venv" / "bin" / "python"
        subprocess.run([python, *command], cwd=folder, env=environment, capture_output=True, check=True)
        return time.perf_counter() - start


def measure(case: Case, repeat: int) -> Iterator[tuple[float, float]]:
    """The run and its floor, side by side, after one round that warms up."""
    for number in range(repeat + 1):
        with tempfile.TemporaryDirectory() as scratch:
            floor, run = case.floor(Path(scratch)), case.run(Path(scratch))
        if number:
            yield run, floor


def report(corpus: Path, extra: tuple[str, ...], cases: str, repeat: int) -> None:
    """A line for each case, and the median of the ratios."""
    ratios: list[float] = []
    print("a whole run over its floor, on packages of the corpus")
    for folder in sorted((corpus / "work" / "pristine").glob(cases)):
        if not (folder / "drive.py").exists():
            continue
        try:
            measured = list(measure(Case(corpus, folder.name, extra), repeat))
        except subprocess.CalledProcessError as error:
            print(f"  {folder.name}: exit {error.returncode}", flush=True)
            continue
        ratio = statistics.median(run / floor for run, floor in measured)
        run, floor = (statistics.median(seconds) for seconds in zip(*measured, strict=True))
        ratios.append(ratio)
        print(f"  {folder.name}: {ratio:.2f}  ({run:.1f} s over {floor:.1f} s)", flush=True)
    if ratios:
        print(f"  median of {len(ratios)}: {statistics.median(ratios):.2f}  aim: 2 or less")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--path", action="append", default=[], metavar="FOLDER", help="what drivers import besides")
    parser.add_argument("--cases", default="*", metavar="GLOB", help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds that count (%(default)s)")
    options = parser.parse_args()
    report(options.corpus.resolve(), tuple(map(os.path.abspath, options.path)), options.cases, options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
