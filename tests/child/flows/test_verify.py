"""What annotations may change in Python, by the real run: nothing."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.api import annotate
from pdt_annotate.values.judges import EAGER
from pdt_annotate.values.outcome import Outcome

COUNTED = """
    import torch

    class Base(torch.nn.Module):
        def __init_subclass__(cls):
            cls.typed = {typed}

    class Net(Base):
        def __init__(self):
            super().__init__()
            self.start = float(type(self).typed)

        def forward(self, x, n):
            return x * n + self.start
"""

UNLIKE = """
    import os
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.empty(3))
            with torch.no_grad():
                self.weight.fill_(int.from_bytes(os.urandom(4), "little") / 2**32)
            {more}

        def forward(self, x, n):
            return x * self.weight * n {plus}
"""

POINTS = """
    from typing import NamedTuple
    import importlib
    import torch
    {before}

    class Point(NamedTuple):
        x: torch.Tensor
        n: int

    {after}
"""

USES = """
    from . import points

    def use(p):
        return p.x * p.n

    def f(x, n):
        return use(points.Point(x, n))
"""


def run(folder: Path, files: dict[str, str], target: str) -> Outcome:
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(source))
    return annotate(f"{folder / target}", args=["f32[3]", "2"], root=folder, probe=False)


def told(outcome: Outcome) -> list[str]:
    return [verdict.failure.message for verdict in outcome.verdicts if verdict.judge == EAGER and verdict.failure]


@pytest.mark.parametrize(
    "source",
    [
        COUNTED.format(typed="len(vars(cls))"),
        UNLIKE.format(more="", plus=""),
        UNLIKE.format(more="self.seed = os.urandom(4)[0]", plus="+ self.seed"),
    ],
    ids=["does not read them", "built otherwise each time", "with other attributes each time"],
)
def test_a_program_that_does_the_same(source: str, tmp_path: Path) -> None:
    outcome = run(tmp_path, {"model.py": source}, "model.py:Net")
    assert outcome.verified and outcome.changes
    assert told(outcome) == []


def test_a_class_that_counts_its_annotations(tmp_path: Path) -> None:
    source = COUNTED.format(typed="len(cls.forward.__annotations__)")
    outcome = run(tmp_path, {"model.py": source}, "model.py:Net")
    assert not outcome.is_sound
    assert "in Python, the answer differs" in told(outcome)[0]


class TestModulesInACircle:
    def files(self, before: str = "", after: str = "") -> dict[str, str]:
        points = POINTS.format(before=before, after=after)
        return {"pkg/__init__.py": "", "pkg/points.py": points, "pkg/uses.py": USES}

    def test_none_that_the_imports_show(self, tmp_path: Path) -> None:
        outcome = run(tmp_path, self.files(after="from . import uses"), "pkg/uses.py:f")
        assert outcome.verified and told(outcome) == []

    def test_one_that_the_imports_show(self, tmp_path: Path) -> None:
        outcome = run(tmp_path, self.files(before="from . import uses"), "pkg/uses.py:f")
        assert outcome.verified and b'p: "points.Point"' in outcome.changes[0].after

    def test_one_that_no_import_shows(self, tmp_path: Path) -> None:
        before = 'uses = importlib.import_module("pkg.uses")'
        outcome = run(tmp_path, self.files(before=before), "pkg/uses.py:f")
        assert not outcome.verified
        assert "importing pkg.points first fails with the annotations" in told(outcome)[0]
