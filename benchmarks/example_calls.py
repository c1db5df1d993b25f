"""Build a target and make its example calls; with `--script`, have torch type and script it by them, and compare.

    python example_calls.py TARGET SPEC [--script]      # in the folder of the model

What other tools watch, and what torch's own profile-directed typing does. Exits 1 where the model does not script or
answers otherwise.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import torch
from baselines import answer, compare, copy
from torch.utils import _pytree as pytree

from pdt_annotate import Call
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.load import load_module
from pdt_annotate.inputs.resolve import class_of, resolve
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.runs import SpecSource


def build(target: str, spec: str) -> tuple[Any, list[Call]]:
    """What a target makes, and its calls, those that are to raise left out."""
    named = parse(target)
    sys.path.insert(0, "")
    module = load_module(named, str(Path.cwd()))
    read = specs.read(SpecSource(spec), class_of(named, module))
    specs.seed_generators(read.settings.seed)
    return resolve(named, module, read.build).make(), [call for call in read.calls if not call.raises]


def script(model: Any, calls: list[Call]) -> None:
    """torch takes positional arguments only, so defaults stand in where a call leaves a parameter out."""
    seen = [_positional(model, call) for call in calls if not call.held_back]
    given = {model: seen} if isinstance(model, torch.nn.Module) else seen
    compare(model, torch.jit.script(model, example_inputs=given), calls)


def _positional(model: Any, call: Call) -> tuple[Any, ...]:
    bound = inspect.signature(getattr(model, "forward", model)).bind(*call.args, **call.kwargs)
    bound.apply_defaults()
    return tuple(pytree.tree_map(copy, list(bound.arguments.values())))


def main() -> int:
    target, spec, *flags = sys.argv[1:]
    model, calls = build(target, spec)
    if "--script" not in flags:
        for call in calls:
            if not call.held_back:
                answer(model, call)
        return 0
    try:
        script(model, calls)
    except (Exception, AssertionError) as error:
        print(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
