"""A fixture scripted in a process of its own, live or as its source stands; prints the code of every method as JSON.

    python script_fixture.py (live | plain)

in the fixture's folder. Live, the answers are compared with the eager model's too.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import golden
import torch

import pdt_annotate
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.load import load_module
from pdt_annotate.inputs.resolve import class_of, resolve
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.values import compare as compare_values

MANGLED = re.compile(r"___torch_mangle_\d+\.")


def main(way: str) -> None:
    warnings.simplefilter("ignore")
    spec_file = golden.spec_of(Path.cwd())
    parsed = parse(Path("target").read_text().strip())
    module = load_module(parsed)
    spec = specs.read(SpecSource(file=spec_file), class_of(parsed, module))
    torch.manual_seed(0)
    obj: Any = resolve(parsed, module, spec.build).make()
    if isinstance(obj, torch.nn.Module) and spec.settings.mode:
        obj.train(spec.settings.mode == "train")
    scripted = pdt_annotate.script(obj, spec_file, probe=False) if way == "live" else torch.jit.script(obj)
    if way == "live":
        compare(spec, obj, scripted)
    print(json.dumps(codes(scripted)))


def compare(spec: specs.Spec, obj: Any, scripted: Any) -> None:
    eager = copy.deepcopy(obj)
    for number, call in enumerate(spec.calls):

        def run(which: Any, call: Any = call, number: int = number) -> Any:
            torch.manual_seed(number)
            args, kwargs = clone((call.args, dict(call.kwargs)))
            function = which if call.method == "forward" else getattr(which, call.method)
            with torch.no_grad() if spec.settings.no_grad else contextlib.nullcontext():
                return function(*args, **kwargs)

        if call.callee is None and hasattr(scripted, call.method if isinstance(obj, torch.nn.Module) else "graph"):
            assert not compare_values(run(eager), run(scripted)), call.name


def codes(scripted: Any) -> dict[str, str]:
    """By path and method, the source that the compiler holds; the numbers of names that it made unique left out."""
    if isinstance(scripted, torch.jit.ScriptFunction):
        code: Any = scripted.code
        return {"": MANGLED.sub("", code)}
    return {
        f"{path}.{name}": MANGLED.sub("", module._c._get_method(name).code)
        for path, module in scripted.named_modules()
        for name in module._c._method_names()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
