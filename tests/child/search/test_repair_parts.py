"""Parts that are repaired by themselves where the whole fails, by the real compiler."""

from __future__ import annotations

from pathlib import Path

from repaired_module import begin, describe, observe, options_for

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.repair.situation import return_slot
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.search.trials import Trials
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.types import TENSOR, TypeExpr

MODEL = """
    from torch import nn


    class Keeps(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x):
            self.last = x
            return x


    class Hopeless(nn.Module):
        def forward(self, x):
            return x if {1} else x


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.hopeless = Keeps(), Keeps(), Hopeless()

        def forward(self, x, *rest):
            return self.hopeless(self.b(self.a(x)))


    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x):
            sizes = []
            sizes.append(x.size(0))
            self.last = x
            return x if {1} else x


    class Wavering(nn.Module):
        def forward(self, x):
            if x.size(0) > 5:
                return {1}, x
            elif x.size(0) > 4:
                return x
            return x, x


    class Fine(Net):
        def forward(self, x):
            return x

        def __init__(self):
            nn.Module.__init__(self)
"""


def begun(zygote: Zygote, folder: Path, name: str) -> tuple[Trials, Step]:
    trials = observe(zygote, options_for(folder, MODEL, "(torch.ones(2),)", [name]))
    return trials, begin(trials)


def test_a_step_without_unsound_parts_stays(zygote: Zygote, tmp_path: Path) -> None:
    trials, step = begun(zygote, tmp_path, "Fine")
    assert repair_parts(trials, step)[0] is step


def test_each_part_gets_what_it_needs_and_the_hopeless_nothing(zygote: Zygote, tmp_path: Path) -> None:
    trials, step = begun(zygote, tmp_path, "Net")
    repaired, (blame,) = repair_parts(trials, step)
    assert not repaired.trial.ok
    (added,) = repaired.plan.changes_from(step.plan)
    assert describe(added) == "Keeps.last: Optional[Tensor]"
    assert [(part.path, fault.code) for part in blame.parts for fault in part.faults] == [
        ("", "PDT001"),
        ("hopeless", "PDT004"),
    ]


def test_what_annotations_mend_beside_other_faults_is_nobodys_fault(zygote: Zygote, tmp_path: Path) -> None:
    trials, step = begun(zygote, tmp_path, "Mixed")
    repaired, (blame,) = repair_parts(trials, step)
    assert [(fault.code, fault.failure.place.line) for part in blame.parts for fault in part.faults] == [("PDT004", 37)]
    added = repaired.plan.changes_from(step.plan)
    assert {describe(each) for each in added} == {"Mixed.last: Optional[Tensor]", "Mixed.forward.sizes: List[int]"}


def test_a_guess_that_does_not_help_is_not_blamed(zygote: Zygote, tmp_path: Path) -> None:
    trials, step = begun(zygote, tmp_path, "Wavering")
    function = trials.evidence.project.function_at(str(tmp_path / "model.py"), 42)
    assert function is not None
    guess = Annotation(return_slot(function), TypeExpr("list", (TENSOR,)), Origin.REPAIR)
    plan = step.plan.with_([guess])
    repaired, (blame,) = repair_parts(trials, Step(plan, trials.try_whole(plan)))
    assert repaired.plan.get(guess.slot) != guess
    assert [fault.code for part in blame.parts for fault in part.faults] == ["PDT004", "PDT042"]
