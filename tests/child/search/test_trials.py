"""What the trials of a target mend, keep and add, in real sessions with the real compiler."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
from repaired_module import begin, describe, observe, options_for

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_plan import add_returns, find_any_plan, trim
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.problems import WholeProblem, mend_alone
from pdt_annotate.search.prune import keep_in_scope, keep_read
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Returns, Scope
from pdt_annotate.source.project import Project
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
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

Make = Callable[..., Trials]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trials")


@pytest.fixture(scope="module")
def make(zygote: Zygote, project: Path) -> Make:
    """The trials of these targets of the model, observed once."""

    @cache
    def make_trials(*names: str) -> Trials:
        return observe(zygote, options_for(project, MODEL, names=names))

    return make_trials


def trim_found(trials: Trials) -> Step:
    """What the whole search ends with."""
    return trim(trials, find_any_plan(trials))


@pytest.fixture(scope="module")
def net(make: Make) -> tuple[Trials, Step]:
    """The trials of `Net`, and what their search ended with."""
    trials = make("Net")
    step = trim_found(trials)
    assert step.trial.ok, step.trial.failure
    return trials, step


INT = TypeExpr("int")


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


class TestKeepRead:
    """Of functions that were entered, compiled, read by their signature, or none of these."""

    SOURCE = """
    def compiled(x):
        return x

    def entered(x, mask=None):
        return x

    def ignored(x, n):
        return x

    def untouched(x=3):
        return x
    """

    @pytest.fixture
    def file(self, tmp_path: Path) -> str:
        (tmp_path / "lib.py").write_text(dedent(self.SOURCE))
        return str(tmp_path / "lib.py")

    @pytest.fixture
    def library(self, file: str) -> Project:
        return Project(os.path.dirname(file), {"lib": file})

    @pytest.fixture
    def owners(self, library: Project, file: str) -> dict[str, Owner]:
        return {function.owner.qualname: function.owner for function in library.survey(file).functions}

    @pytest.fixture
    def seen(self, owners: dict[str, Owner]) -> Observed:
        types = [("compiled", "x", INT), ("entered", "x", INT), ("entered", "mask", NONE)]
        slots = [(Slot(owners[name], SlotKind.PARAMETER, parameter), type_) for name, parameter, type_ in types]
        return Observed(tuple(Observation(slot, type_) for slot, type_ in slots), (), ("call",))

    @pytest.fixture
    def step(self, owners: dict[str, Owner]) -> Step:
        slots = [Slot(owner, SlotKind.PARAMETER, "x") for owner in owners.values()]
        notes = [Annotation(slot, TENSOR if slot.owner.qualname == "ignored" else INT) for slot in slots]
        notes.append(Annotation(Slot(owners["ignored"], SlotKind.PARAMETER, "n"), INT))
        return Step(Plan().with_(notes), Trial((), compiled=(owners["compiled"],), ignored=(owners["ignored"],)))

    def test_what_was_compiled_stays_and_of_a_signature_what_is_no_tensor(
        self, step: Step, library: Project, seen: Observed
    ) -> None:
        assert names_of(keep_read(step, Evidence(library, [seen]))) == {"compiled.x", "ignored.n"}

    def test_what_was_entered_may_be_added_but_no_guess(self, step: Step, library: Project, seen: Observed) -> None:
        evidence = Evidence(library, [seen])
        entered = names_of(keep_in_scope(step, evidence, Scope.OBSERVED))
        assert names_of(keep_in_scope(step, evidence, Scope.COMPILED)) == {"compiled.x", "ignored.n"}
        assert entered == {"compiled.x", "ignored.n", "entered.x"}

    def test_what_a_call_names_is_added(
        self, step: Step, library: Project, seen: Observed, owners: dict[str, Owner]
    ) -> None:
        evidence = Evidence(library, [replace(seen, asked_for=(owners["entered"], owners["compiled"]))])
        expected = {"compiled.x", "ignored.n", "entered.x"}
        assert names_of(keep_in_scope(step, evidence, Scope.COMPILED)) == expected

    def test_third_party_functions_are_not_added(self, step: Step, file: str, seen: Observed) -> None:
        foreign = Evidence(Project(os.path.dirname(file), {}, third_party={"lib": file}), [seen])
        assert names_of(keep_in_scope(step, foreign, Scope.OBSERVED)) == {"compiled.x", "ignored.n"}

    def test_attributes_stay_since_their_class_is_no_function(self, file: str, library: Project) -> None:
        plan = Plan().with_([Annotation(Slot(Owner(file, "Net", 1), SlotKind.ATTRIBUTE, "last"), INT)])
        assert keep_read(Step(plan, Trial(())), Evidence(library, [])) == plan

    def test_defaults_of_functions_that_nothing_reached_go(self, net: tuple[Trials, Step]) -> None:
        functions = {annotation.slot.owner.qualname for annotation in net[1].plan.in_order()}
        assert {"Net.forward", "Part.forward", "collect"} <= functions
        assert not {"untouched", "Net.never"} & functions


def names_of(plan: Plan) -> set[str]:
    return {f"{slot.owner.qualname}.{slot.name}" for slot in plan.annotations}


def returns_of(step: Step) -> list[Annotation]:
    return [annotation for annotation in step.plan.in_order() if annotation.slot.kind is SlotKind.RETURN]


class TestAddReturns:
    def test_returns_that_are_annotated_needed_or_skipped_stay(self, make: Make) -> None:
        trials = make("whole")
        step = trim_found(trials)
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
        assert returns_of(net[1]) == []
        every = trim_found(replace(make("Net"), returns=Returns.ALL))
        assert len(returns_of(every)) == 3
