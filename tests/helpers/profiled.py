"""Small projects with a profile of fake observations, without a run."""

import ast
import textwrap
from collections.abc import Mapping
from pathlib import Path

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile
from pdt_annotate.source.module import read_module
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

MODEL = """\
import torch


def scale(x, factor):
    return x * factor


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x, mask=None):
        acc = None
        for row in x:
            acc = row if acc is None else acc + row
        return scale(x, 2.0), acc
"""

Seen = Mapping[str, Mapping[str, tuple[str, ...]]]
"""The types by qualified name and slot, written as annotations."""

SEEN: Seen = {
    "scale": {"x": ("Tensor",), "factor": ("float",), "return": ("Tensor",)},
    "Net.forward": {"x": ("Tensor",), "mask": ("None", "Tensor"), "return": ("Tuple[Tensor, Tensor]",)},
}


def write(root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """Write files by their paths from the root, and return the files by dotted name."""
    modules = {}
    for path, source in sources.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source))
        modules[path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")] = str(file)
    return modules


def owner_of(file: str, qualname: str) -> Owner:
    """The function with this name in the current file."""
    return next(f.owner for f in read_module(file, Path(file).read_bytes()).functions if f.owner.qualname == qualname)


def type_of(text: str) -> TypeExpr:
    found = read_annotation(text)
    return found if found is not None else TypeExpr(ast.unparse(ast.parse(text)))


def observe(file: str, seen: Seen = SEEN, calls: int = 1, classes: tuple[ClassInfo, ...] = ()) -> Observed:
    """A profile as if the functions of a file had run `calls` times with these types of parameters and returns."""
    kinds = {"return": SlotKind.RETURN}
    return Observed(
        tuple(
            Observation(
                Slot(owner_of(file, qualname), kinds.get(name, SlotKind.PARAMETER), name),
                type_of(text),
                calls,
                tuple(f"call {number}" for number in range(1, calls + 1)),
            )
            for qualname, slots in seen.items()
            for name, texts in slots.items()
            for text in texts
        ),
        classes,
        (),
    )


def profile_of(root: Path, modules: Mapping[str, str], observed: Observed, **more: object) -> Profile:
    given = {"label": "model:Net", "run": "r1", **more}
    return profiles.record(observed, root=str(root), modules=modules, **given)  # type: ignore[arg-type]


def two_runs(root: Path) -> Profile:
    """A profile of two runs of one model, with a class in it."""
    modules = write(root, {"model.py": MODEL})
    box = ClassInfo("model.Box", "model", "Box", ClassKind.PLAIN, modules["model"])
    observed = observe(modules["model"], classes=(box,))
    return profiles.merge(profile_of(root, modules, observed, run=run) for run in ("r1", "r2"))
