"""Attack the tool, class by class, and print the number of attacks of each class and of attacks that the tool survived.

    python tests/torture [CLASS ...] [--seed N] [--factor F]

The exit code is 1 if an attack succeeded, or if a class made fewer attacks than its minimum. Random choices depend on
the seed, which is printed, so that a run can be repeated.
"""

import argparse
import importlib
import sys
from pathlib import Path
from typing import cast

from tally import Attack, Means, judge

HERE = Path(__file__).resolve().parent
SEED = 16


def main() -> int:
    named = sorted(file.stem for file in (HERE / "classes").glob("*.py"))
    parser = argparse.ArgumentParser(prog="tests/torture", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--factor", type=float, default=1.0, help="how many times the attacks of ten minutes")
    parser.add_argument("classes", nargs="*", metavar="CLASS", help=f"only these, of {', '.join(named)}")
    given = parser.parse_args()
    if unknown := set(given.classes) - set(named):
        parser.error(f"no such class: {', '.join(sorted(unknown))}")
    print(f"seed {given.seed}, factor {given.factor:g}", flush=True)
    held = True
    for name in given.classes or named:
        attack = cast(Attack, importlib.import_module(f"classes.{name}"))
        held = judge(name, attack, Means(given.seed, given.factor)) and held
    print("all held" if held else "something fell")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
