"""A package of many modules with star imports in cycles, and one small model."""

from pathlib import Path

WIDTH = 20
"""The number of modules in one subpackage."""

DEEP = 12
"""The number of base classes of the model. Each is in a separate module."""

MODEL = """\
import torch
from torch import nn

from . import *
from .. import *


def scale(x, n):
    return x * n


class Net(Deep{last}):
    def __init__(self, flag=False):
        super().__init__()
        self.flag = flag
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        if self.flag:
            x = seldom(x, 2)
        return often(scale(self.linear(x), 2), 3)
"""

HELPERS = "from .. import *\ndef often(x, n):\n    return x + n\ndef seldom(x, n):\n    return often(x, n)\n"


def write_package(folder: Path, modules: int, model: str = MODEL) -> Path:
    """Write the package `pkg`. The model is `pkg.sub.net:Net`, and inherits from classes of other modules.

    Each subpackage imports all names of its modules, and the package imports those of all subpackages. Every second
    module imports all names of its subpackage, and every fourth imports those of the package, so there are cycles.
    Every third module has `__all__`.
    """
    package = folder / "pkg"
    folders = [f"s{index}" for index in range(-(-modules // WIDTH))]
    _write(package / "__init__.py", *(f"from .{name} import *" for name in [*folders, "sub"]))
    for index, name in enumerate(folders):
        inner = range(index * WIDTH, min(modules, (index + 1) * WIDTH))
        _write(package / name / "__init__.py", *(f"from .m{number} import *" for number in inner))
        for number in inner:
            _write(package / name / f"m{number}.py", *_module(number))
    last = min(modules, DEEP) - 1
    _write(package / "sub" / "__init__.py", "from .helpers import *", "from .net import *")
    _write(package / "sub" / "helpers.py", HELPERS)
    _write(package / "sub" / "net.py", model.replace("{last}", str(last)))
    return package


def _module(number: int) -> list[str]:
    lines = ["import torch", "from torch import nn"]
    lines += ["from .. import *"] * (number % 4 == 0) + ["from . import *"] * (number % 2 == 0)
    if number % 3 == 0:
        lines += [f"__all__ = ['Class{number}', 'function{number}'" + f", 'Deep{number}'" * (number < DEEP) + "]"]
    if 0 < number < DEEP:
        lines += [f"from .m{number - 1} import Deep{number - 1}"]
    if number < DEEP:
        base = f"Deep{number - 1}" if number else "nn.Module"
        lines += [f"class Deep{number}({base}):", f"    def step{number}(self, x, n):", "        return x * n"]
    both = f"    def both(self, other):\n        return function{number}(self.a, self.b) + other"
    lines += [f"class Class{number}:\n    def __init__(self, a, b=2):\n        self.a, self.b = a, b\n{both}"]
    return [*lines, f"def function{number}(a, b):\n    return _own{number}(a) + b\ndef _own{number}(a):\n    return a"]


def _write(file: Path, *lines: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([*lines, ""]))
