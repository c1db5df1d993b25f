"""Measure how the CPU time of a run grows with the files of a project, the modules of a model, and the example calls.

Each row compares the run with the minimum: a new process that imports the annotated model, scripts it, and runs it in
eager mode and scripted. The ratio should not grow with the number of files. With the number of modules or calls, the
time should grow at most linearly.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import cost

ROOT = Path(__file__).resolve().parent.parent
SIZES = (10, 100, 1000)
FILES = (*SIZES, 4000)

MODEL = """\
import torch
from torch import nn
{imports}

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x{tensor}, times{int}=2):
        return self.layer(x) * times


class Net({base}):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range({modules})])

    def forward(self, x{tensor}, times{int}):
        for block in self.blocks:
            x = block(x, times)
        return x
"""
SPEC = """\
import torch

example_inputs = [(torch.rand(number % 7 + 1, 4), number % 5) for number in range({calls})]
"""
FLOOR = """
import torch
import model, spec
net = model.Net()
scripted = torch.jit.script(net)
with torch.no_grad():
    answers = [(net(*call), scripted(*call)) for call in spec.example_inputs]
"""
BASE = """\
from torch import nn
{imports}

class Base{number}({base}):
    def scale{number}(self, x):
        return x * {number}


def helper_{number}(x, y=None):
    return x if y is None else x + y
"""


def write(folder: Path, *, files: int = 0, modules: int = 1, calls: int = 2, annotated: bool) -> None:
    """Write a model and its spec. With `files`, the model inherits from a class of a package with star imports."""
    folder.mkdir()
    if files:
        package = folder / "package"
        package.mkdir()
        for number in range(files):
            above = f"Base{number - files // 8}" if number >= files // 8 else "nn.Module"
            imports = "" if above == "nn.Module" else f"from package.m{number - files // 8} import *"
            (package / f"m{number}.py").write_text(BASE.format(number=number, base=above, imports=imports))
        (package / "__init__.py").write_text("".join(f"from package.m{number} import *\n" for number in range(files)))
    types = {"tensor": ": torch.Tensor", "int": ": int"} if annotated else {"tensor": "", "int": ""}
    imports, base = ("from package import *\n", f"Base{files - 1}") if files else ("", "nn.Module")
    (folder / "model.py").write_text(MODEL.format(imports=imports, base=base, modules=modules, **types))
    (folder / "spec.py").write_text(SPEC.format(calls=calls))


def row(python: str, **size: int) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        plain, annotated = Path(scratch, "plain"), Path(scratch, "annotated")
        write(plain, annotated=False, **size)
        write(annotated, annotated=True, **size)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join((".", str(ROOT))), "PYTHONDONTWRITEBYTECODE": ""}
        tool = ["-m", "pdt_annotate", "model:Net", "-i", "spec.py", "--root", ".", "--no-cache", "--quiet", "--diff"]
        for _ in range(2):  # the first run of each compiles the sources
            floor = cost.measure([python, "-c", FLOOR], annotated, environment)
            run = cost.measure([python, *tool], plain, environment)
    return f"{run.cpu:.1f} s over {floor.cpu:.1f} s = {run.cpu / floor.cpu:.2f} ({run.wall:.1f} s of wall time)"


def report(python: str) -> None:
    print("CPU seconds of a whole run compared with the minimum, as sizes grow")
    for name, title in (("files", "files in the project"), ("modules", "modules in the model"), ("calls", "calls")):
        for size in FILES if name == "files" else SIZES:
            print(f"  {size:>5} {title}: {row(python, **{name: size})}", flush=True)
