"""Build a target and make its example calls, while another tool observes them; or let torch type and script it.

    python example_calls.py TARGET SPEC                    # in the folder of the model
    python example_calls.py TARGET SPEC --collect FILE     # PyAnnotate collects the types of the calls in FILE
    python example_calls.py TARGET SPEC --example-inputs   # torch's own profile-directed typing, in memory

With --example-inputs, the exit code is 1 if the model does not script or its results differ.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from baselines import answer, judged, script_with_example_inputs

from pdt_annotate import Call
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.resolve import class_of, resolve
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.runs import SpecSource


def build(target: str, spec: str) -> tuple[Any, list[Call]]:
    """The object of a target, and its example calls, except calls that must raise."""
    named = parse(target)
    sys.path.insert(0, "")
    module = load_module(named, str(Path.cwd()))
    read = specs.read(SpecSource(spec), class_of(named, module))
    specs.seed_generators(read.settings.seed)
    made = resolve(named, module, read.build).make()
    if read.settings.mode:
        made.train(read.settings.mode == "train")
    return made, [call for call in read.calls if not call.raises]


def run(model: Any, calls: list[Call]) -> None:
    """Make all calls except held-back calls."""
    for call in calls:
        if not call.held_back:
            answer(model, call)


def collect(model: Any, calls: list[Call], file: str) -> None:
    """Make the calls while PyAnnotate observes them."""
    watch = importlib.import_module("pyannotate_runtime.collect_types")
    watch.init_types_collection()
    with watch.collect():
        run(model, calls)
    watch.dump_stats(file)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target")
    parser.add_argument("spec")
    parser.add_argument("--collect", metavar="FILE")
    parser.add_argument("--example-inputs", action="store_true")
    given = parser.parse_args()
    model, calls = build(given.target, given.spec)
    if given.example_inputs:
        return judged(script_with_example_inputs, model, calls)
    if given.collect:
        collect(model, calls, given.collect)
    else:
        run(model, calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
