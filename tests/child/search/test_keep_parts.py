"""What is kept of annotations whose whole fails, by the real compiler."""

from __future__ import annotations

from pathlib import Path

from repaired_module import observe, options_for

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_plan import find_any_plan
from pdt_annotate.search.keep_parts import Keeper, Working, keep_parts
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.values.outcome import Rendered
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Blame, Part

CALLS = "(torch.ones(2, 3), 2), (torch.ones(4, 3), 3)"
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


def keep(zygote: Zygote, folder: Path, *targets: str) -> tuple[Rendered, Working, tuple[Blame, ...]]:
    """What is kept, the parts that it is for, and the blame of all."""
    options = options_for(folder, MODEL, CALLS, targets)
    trials = observe(zygote, options)
    step, blame = repair_parts(trials, find_any_plan(trials))
    assert not step.trial.ok
    return (*Keeper(trials, zygote, options).keep(step.plan, blame), blame)


def test_only_what_answers_alike_is_kept(zygote: Zygote, tmp_path: Path) -> None:
    rendered, working, (blame,) = keep(zygote, tmp_path, "Net")
    assert [part.path for _, part in working] == ["sound", "halve"]
    (change,) = rendered.changes
    text = change.after.decode()
    assert "\n    last: Optional[torch.Tensor]\n" in text  # mended by itself: the whole fails before it is reached
    assert "def forward(self, x: torch.Tensor, n: int):\n        self.last = x\n" in text
    assert "def halve(n: int):" in text
    assert text.count("def forward(self, x, n):") == 2  # Wrong, and Idle that no example calls
    assert "def forward(self, x, n, **rest):" in text
    sound = {part.path: part.is_sound for part in blame.parts}
    assert sound == {"": False, "sound": True, "wrong": False, "idle": True}


def test_a_target_that_works_is_kept_beside_one_that_fails(zygote: Zygote, tmp_path: Path) -> None:
    _, working, _ = keep(zygote, tmp_path, "Sound", "Net")
    assert [(part.path, part.name) for _, part in working] == [("", "Sound"), ("sound", "Sound"), ("halve", "halve")]


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
