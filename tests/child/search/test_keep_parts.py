"""What is kept of annotations whose whole fails, by the real compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows import annotate as flow
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.keep_parts import keep_parts
from pdt_annotate.search.plan import Plan
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Part

SPEC = "import torch\n\nexample_inputs = [(torch.ones(2, 3), 2), (torch.ones(4, 3), 3)]\n"

MODEL = """
    import torch
    from torch import nn


    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None


    class Sound(Base):
        def forward(self, x, n):
            self.last = x
            return x * n


    class Wrong(nn.Module):
        def forward(self, x, n):
            return x + 1 if isinstance(True, int) else x * n


    class Idle(nn.Module):
        def forward(self, x, n):
            return x * n


    def halve(n):
        return n // 2


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.sound, self.wrong, self.idle = Sound(), Wrong(), Idle()

        def forward(self, x, n, **rest):
            return self.wrong(self.sound(x, n), halve(n))
"""

Run = Callable[..., Outcome]


@pytest.fixture
def run(zygote: Zygote, tmp_path: Path) -> Run:
    def annotate(*targets: str, write_partial: bool = True) -> Outcome:
        (tmp_path / "model.py").write_text(dedent(MODEL).strip() + "\n")
        (tmp_path / "spec.py").write_text(SPEC)
        parsed = tuple(parse(f"{tmp_path}/model.py:{name}") for name in targets)
        options = Options(parsed, spec_source(str(tmp_path / "spec.py"), ()), str(tmp_path))
        return flow.annotate(replace(options, write_partial=write_partial), zygote)

    return annotate


def test_only_what_answers_alike_is_kept(run: Run) -> None:
    outcome = run("Net")
    assert not outcome.verified
    assert [part.path for part in outcome.kept] == ["sound", "halve"]
    (change,) = outcome.changes
    text = change.after.decode()
    assert "\n    last: Optional[torch.Tensor]\n" in text  # mended by itself: the whole fails before it is reached
    assert "def forward(self, x: torch.Tensor, n: int):\n        self.last = x\n" in text
    assert "def halve(n: int):" in text
    assert text.count("def forward(self, x, n):") == 2  # Wrong, and Idle that no example calls
    assert "def forward(self, x, n, **rest):" in text
    assert {part.path: part.is_sound for part in outcome.blame[0].parts} == {
        "": False,
        "sound": True,
        "wrong": False,
        "idle": True,
    }


def test_a_target_that_works_is_kept_beside_one_that_fails(run: Run) -> None:
    outcome = run("Sound", "Net")
    assert [(part.path, part.name) for part in outcome.kept] == [("", "Sound"), ("sound", "Sound"), ("halve", "halve")]


def test_unasked_nothing_is_kept(run: Run) -> None:
    outcome = run("Net", write_partial=False)
    assert (outcome.kept, outcome.changes) == ((), ())
    assert outcome.blame


def test_parts_keep_the_slots_of_what_they_compile() -> None:
    f, g = Owner("m.py", "A.f", 3), Owner("m.py", "g", 9)
    slots = [
        Slot(f, SlotKind.PARAMETER, "x"),
        Slot(f, SlotKind.LOCAL, "acc", 4),
        Slot(g, SlotKind.PARAMETER, "x"),
        Slot(Owner("m.py", "A", 1), SlotKind.ATTRIBUTE, "a"),
        Slot(Owner("m.py", "B", 20), SlotKind.ATTRIBUTE, "b"),
    ]
    plan = Plan().with_(Annotation(slot, TypeExpr("int")) for slot in slots)
    kept = keep_parts(plan, [Part("a", "A", compiled=(f,), classes=(("m.py", "A"),))])
    assert set(kept.annotations) == {slots[0], slots[1], slots[3]}
    assert keep_parts(plan, []).annotations == {}
