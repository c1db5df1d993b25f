"""What the trials of a target mend, keep and add, in real sessions with the real compiler."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_plan import add_returns, find_plan
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.problems import WholeProblem, mend_alone
from pdt_annotate.search.prune import keep_reached
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options, Returns
from pdt_annotate.source.project import Project
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

MODEL = """
    import torch
    from torch import Tensor, nn


    def collect(x):
        found = []
        for i in range(x.size(0)):
            found.append(i)
        return x[found]


    def hopeless(x):
        try:
            return x
        except ValueError:
            return x


    def sound(x):
        return x


    def annotated(x) -> Tensor:
        return x


    def skipped(x):  # pdt: skip
        return x


    def mixed(x, flag: bool):
        if flag:
            return x
        return 1


    def untouched(x, n=3):
        return x * n


    class Part(nn.Module):
        def forward(self, x):
            return collect(x)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()
            self.last = None

        def forward(self, x):
            return self.part(x)

        def never(self, x, n=2):
            return x * n


    class Other(nn.Module):
        def forward(self, x):
            sizes = []
            sizes.append(x.size(0))
            return x.view(sizes)


    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.part, self.others = Part(), nn.ModuleList([Other(), Other()])

        def forward(self, x):
            x = self.part(x[:, 0])
            for other in self.others:
                x = other(x)
            return x


    class Bad(Net):
        def forward(self, x):
            return hopeless(self.part(x))


    def whole(x):
        return skipped(annotated(sound(x))), mixed(x, True)
"""

NOTHING = Step(Plan(), Trial((Verdict("scripts", True),)))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trials")
    (folder / "model.py").write_text(dedent(MODEL).lstrip())
    (folder / "spec.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2, 2),)]\n")
    return folder


Make = Callable[..., Trials]


@pytest.fixture(scope="module")
def make(zygote: Zygote, project: Path) -> Make:
    """The trials of these targets of the model, observed."""

    def make_trials(*names: str, returns: Returns = Returns.NEEDED) -> Trials:
        options = Options(
            targets=tuple(parse(f"{project / 'model.py'}:{name}") for name in names),
            spec=spec_source(str(project / "spec.py"), ()),
            root=str(project),
        )
        found, runs = observe_targets(options, zygote, lambda text: None)
        return Trials(runs, Evidence(found, (run.observed for run in runs)), returns)

    return make_trials


def begin(trials: Trials) -> Step:
    """The plan from observation alone, with its trial."""
    plan = Plan().with_(trials.evidence.choose(owner.file for owner in trials.evidence.reached))
    return Step(plan, trials.try_whole(plan))


@pytest.fixture(scope="module")
def net(make: Make) -> tuple[Trials, Step]:
    """The trials of `Net`, and what their search ended with."""
    trials = make("Net")
    step = find_plan(trials)
    assert step.trial.ok, step.trial.failure
    return trials, step


def describe(annotation: Annotation) -> str:
    return f"{annotation.slot.owner.qualname}.{annotation.slot.name}: {annotation.type}"


class TestMendAlone:
    def test_nothing_to_mend(self, make: Make) -> None:
        trials = make("sound")
        assert mend_alone(trials, begin(trials)) == ()

    def test_a_failure_that_points_nowhere(self, make: Make) -> None:
        lost = Trial((Verdict("scripts", False, Failure("INTERNAL ASSERT FAILED")),))
        assert mend_alone(make("sound"), Step(Plan(), lost)) == ()

    def test_a_part_that_no_annotation_mends(self, make: Make) -> None:
        trials = make("hopeless")
        step = begin(trials)
        assert not step.trial.ok
        assert mend_alone(trials, step) == ()

    def test_a_part_that_compiles_by_itself_needs_nothing(self, make: Make, project: Path) -> None:
        trials = make("Net")
        line = (project / "model.py").read_text().splitlines().index("def sound(x):") + 1
        elsewhere = Failure("made up", "", Place(str(project / "model.py"), line))
        step = Step(begin(trials).plan, Trial((Verdict("scripts", False, elsewhere),)))
        assert mend_alone(trials, step) == ()

    def test_a_failure_in_an_annotated_line_is_placed_on_disk(self, make: Make, project: Path) -> None:
        trials, file = make("Net"), str(project / "model.py")
        line = (project / "model.py").read_text().splitlines().index("def collect(x):") + 1
        plan = begin(trials).plan
        places = [Place(file, line, 5), Place(file, line, 15), Place(file, line), Place("other.py", 3, 4)]
        failure = Failure("made up", "", places[0], tuple(places[1:]))
        (found,) = trials.on_disk(plan, Trial((Verdict("scripts", False, failure),))).verdicts
        assert b"def collect(x: Tensor):" in trials.render(plan).sources[file]
        assert found.failure == replace(failure, chain=(Place(file, line, 14), *places[2:]))

    def test_the_changes_that_mend_the_part_and_no_others(self, make: Make) -> None:
        trials = make("Net")
        step = begin(trials)
        assert "found" not in {slot.name for slot in step.plan.annotations}
        changes = mend_alone(trials, step)
        assert [describe(change) for change in changes] == ["collect.found: List[int]"]
        assert trials.try_whole(step.plan.with_(changes)).ok

    def test_a_part_is_mended_where_the_whole_cannot_be(self, make: Make) -> None:
        trials = make("Bad")
        changes = mend_alone(trials, begin(trials))
        after = trials.try_whole(begin(trials).plan.with_(changes))
        assert after.failure is not None and "try blocks" in after.failure.message

    def test_the_part_of_a_later_target(self, make: Make) -> None:
        trials = make("sound", "Net")
        changes = mend_alone(trials, begin(trials))
        assert [describe(change) for change in changes] == ["collect.found: List[int]"]


class TestPropose:
    def test_all_that_a_round_shows_comes_first(self, make: Make) -> None:
        trials = make("Two")
        step = begin(trials)
        first, second = itertools.islice(WholeProblem(trials).propose(step), 2)
        assert [describe(c) for c in first.changes] == ["collect.found: List[int]", "Other.forward.sizes: List[int]"]
        assert [describe(c) for c in second.changes] == ["collect.found: List[int]"]
        assert trials.try_whole(step.plan.with_(first.changes)).ok

    def test_nothing_is_proposed_for_what_works(self, make: Make) -> None:
        trials = make("sound")
        assert list(WholeProblem(trials).propose(begin(trials))) == []


class TestKeepReached:
    def test_what_was_entered_or_compiled_stays(self, net: tuple[Trials, Step]) -> None:
        trials, step = net
        kept = {slot.owner.qualname for slot in keep_reached(step, trials.evidence).annotations}
        assert {"Net.forward", "Part.forward", "collect"} <= kept

    def test_defaults_of_functions_that_nothing_reached_go(self, make: Make) -> None:
        trials = make("Net")
        step = begin(trials)
        assert {"untouched", "Net.never"} <= {slot.owner.qualname for slot in step.plan.annotations}
        kept = {slot.owner.qualname for slot in keep_reached(step, trials.evidence).annotations}
        assert not {"untouched", "Net.never"} & kept

    def test_a_function_that_was_only_compiled_stays(self, make: Make) -> None:
        trials = make("Net")
        step = begin(trials)
        (owner,) = {slot.owner for slot in step.plan.annotations if slot.owner.qualname == "untouched"}
        compiled = Step(step.plan, Trial((), compiled=(owner,)))
        ignored = Step(step.plan, Trial((), ignored=(owner,)))
        for tried in compiled, ignored:
            assert owner in {slot.owner for slot in keep_reached(tried, trials.evidence).annotations}

    def test_of_third_party_functions_those_that_were_compiled_stay(self, tmp_path: Path) -> None:
        (tmp_path / "lib.py").write_text("def entered(x):\n    return x\n\n\ndef compiled(x):\n    return x\n")
        file = str(tmp_path / "lib.py")
        owners = [Owner(file, "entered", 1), Owner(file, "compiled", 5)]
        slots = [Slot(owner, SlotKind.PARAMETER, "x") for owner in owners]
        seen = Observed(tuple(Observation(slot, TypeExpr("int")) for slot in slots), (), ("call",))
        plan = Plan().with_(Annotation(slot, TypeExpr("int")) for slot in slots)
        step = Step(plan, Trial((), compiled=(owners[1],)))
        for third_party, kept in (({"lib": file}, slots[1:]), ({}, slots)):
            own = {} if third_party else {"lib": file}
            project = Project(str(tmp_path), own, third_party=third_party)
            assert list(keep_reached(step, Evidence(project, [seen])).annotations) == kept

    def test_attributes_stay_since_their_class_is_no_function(self, make: Make, project: Path) -> None:
        trials = make("Net")
        (cls,) = [
            c for c in trials.evidence.project.survey(str(project / "model.py")).classes if c.owner.qualname == "Net"
        ]
        slot = Slot(cls.owner, SlotKind.ATTRIBUTE, "last")
        plan = Plan().with_([Annotation(slot, TypeExpr("int"))])
        assert keep_reached(Step(plan, NOTHING.trial), trials.evidence) == plan


class TestAddReturns:
    def test_returns_that_are_annotated_needed_or_skipped_stay(self, make: Make) -> None:
        trials = make("whole")
        step = find_plan(trials)
        assert step.trial.ok
        before = {describe(a) for a in step.plan.annotations.values() if a.slot.kind is SlotKind.RETURN}
        assert before == {"mixed.return: Union[int, Tensor]"}
        added = add_returns(trials, step).plan.changes_from(step.plan)
        assert {change.slot.owner.qualname for change in added} == {"whole", "sound"}

    def test_the_rest_are_as_the_compiler_has_them(self, net: tuple[Trials, Step]) -> None:
        trials, step = net
        more = add_returns(trials, step)
        added = more.plan.changes_from(step.plan)
        assert more.trial.ok
        assert sorted(map(describe, added)) == [
            "Net.forward.return: Tensor",
            "Part.forward.return: Tensor",
            "collect.return: Tensor",
        ]
        assert {change.origin for change in added} == {Origin.SOURCE}

    def test_only_on_request(self, net: tuple[Trials, Step], make: Make) -> None:
        assert net[1].plan.slots_of(SlotKind.RETURN) == []
        every = find_plan(make("Net", returns=Returns.ALL))
        assert len(every.plan.slots_of(SlotKind.RETURN)) == 3
