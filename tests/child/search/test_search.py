"""The trials of a target: repairs, annotations that are kept or added, and parts that are kept if the target fails."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from repaired_module import begin, describe, observe, options_for

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.search.problems import (
    WholeProblem,
    add_returns,
    find_any_plan,
    keep_in_scope,
    keep_read,
    repair_alone,
    trim,
)
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.settings.options import Returns, Scope
from pdt_annotate.source.project import Project
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, Observation, Origin, Owner, Place, Slot, SlotKind
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

    class Whole(nn.Module):
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

    class Joining(nn.Module):
        def forward(self, x, more=None):
            return x if more is None else torch.cat(x, [1], len([more]))

    class Joins(nn.Module):
        def __init__(self):
            super().__init__()
            self.joining = Joining()
        def forward(self, x):
            return self.joining(x)

    class Fine(Whole):
        def forward(self, x):
            return x
        def __init__(self):
            nn.Module.__init__(self)
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


def line_of(project: Path, text: str) -> int:
    return [line.strip() for line in (project / "model.py").read_text().splitlines()].index(text) + 1


def trim_found(trials: Trials) -> Step:
    """The result of the whole search."""
    return trim(trials, find_any_plan(trials))


@pytest.fixture(scope="module")
def net(make: Make) -> tuple[Trials, Step]:
    """The trials of `Net`, and the result of their search."""
    trials = make("Net")
    step = trim_found(trials)
    assert step.trial.ok, step.trial.failure
    return trials, step


INT = TypeExpr("int")


class TestMendAlone:
    def test_what_needs_nothing_or_what_no_annotation_mends(self, make: Make, project: Path) -> None:
        trials = make("sound")
        assert repair_alone(trials, begin(trials)) == ()
        lost = Trial((Verdict("scripts", False, Failure("INTERNAL ASSERT FAILED")),))
        assert repair_alone(trials, Step(Plan(), lost)) == ()
        trials = make("hopeless")
        step = begin(trials)
        assert not step.trial.ok
        assert repair_alone(trials, step) == ()
        trials = make("Net")
        line = line_of(project, "def sound(x):")
        elsewhere = Failure("made up", "", Place(str(project / "model.py"), line))
        step = Step(begin(trials).plan, Trial((Verdict("scripts", False, elsewhere),)))
        assert repair_alone(trials, step) == ()

    def test_the_whole_is_not_tried_with_what_fails_alone(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        trials, tried = make("Joins"), list[Plan]()
        try_whole = trials.try_whole
        monkeypatch.setattr(trials, "try_whole", lambda plan: (tried.append(plan), try_whole(plan))[1])
        assert not find_any_plan(trials).trial.ok
        assert len(tried) == 1

    def test_a_failure_in_an_annotated_line_is_placed_on_disk(self, make: Make, project: Path) -> None:
        trials, file = make("Net"), str(project / "model.py")
        line = line_of(project, "def collect(x):")
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
        changes = repair_alone(trials, step)
        assert [describe(change) for change in changes] == ["collect.found: List[int]"]
        assert trials.try_whole(step.plan.with_(changes)).ok

    def test_a_part_is_mended_where_the_whole_cannot_be_or_of_a_later_target(self, make: Make) -> None:
        trials = make("Bad")
        changes = repair_alone(trials, begin(trials))
        after = trials.try_whole(begin(trials).plan.with_(changes))
        assert after.failure is not None and "try blocks" in after.failure.message
        trials = make("sound", "Net")
        changes = repair_alone(trials, begin(trials))
        assert [describe(change) for change in changes] == ["collect.found: List[int]"]


class TestPropose:
    def test_all_that_a_round_shows_comes_first_and_nothing_is_proposed_for_what_works(self, make: Make) -> None:
        trials = make("Two")
        step = begin(trials)
        first, second = itertools.islice(WholeProblem(trials).propose(step), 2)
        assert [describe(c) for c in first.changes] == ["collect.found: List[int]", "Other.forward.sizes: List[int]"]
        assert [describe(c) for c in second.changes] == ["collect.found: List[int]"]
        assert trials.try_whole(step.plan.with_(first.changes)).ok
        trials = make("sound")
        assert list(WholeProblem(trials).propose(begin(trials))) == []


LIBRARY = """
def compiled(x):
    return x

def entered(x, mask=None):
    return x

def ignored(x, n):
    return x

def untouched(x=3):
    return x
"""


class TestKeepRead:
    """Functions that ran, were compiled, whose signature was read, or none of these."""

    @pytest.fixture
    def library(self, tmp_path: Path) -> Project:
        (tmp_path / "lib.py").write_text(LIBRARY)
        return Project(str(tmp_path), {"lib": str(tmp_path / "lib.py")})

    def seen(self, library: Project, *asked_for: str) -> tuple[Step, Observed]:
        """The step of all functions, and the observations of two. A call names the functions in `asked_for`."""
        owners = {f.owner.qualname: f.owner for f in library.read(library.modules["lib"]).functions}
        types = [("compiled", "x", INT), ("entered", "x", INT), ("entered", "mask", NONE)]
        slots = [(Slot(owners[name], SlotKind.PARAMETER, parameter), type_) for name, parameter, type_ in types]
        observations = tuple(Observation(slot, type_) for slot, type_ in slots)
        notes = [
            Annotation(Slot(owner, SlotKind.PARAMETER, "x"), TENSOR if name == "ignored" else INT)
            for name, owner in owners.items()
        ]
        notes.append(Annotation(Slot(owners["ignored"], SlotKind.PARAMETER, "n"), INT))
        trial = Trial((), compiled=(owners["compiled"],), ignored=(owners["ignored"],))
        asked = tuple(owners[name] for name in asked_for)
        return Step(Plan().with_(notes), trial), Observed(observations, (), ("call",), asked_for=asked)

    @pytest.mark.parametrize(
        ("scope", "asked_for", "more"),
        [
            pytest.param(Scope.COMPILED, (), set(), id="compiled, and of a signature what is no tensor"),
            pytest.param(Scope.OBSERVED, (), {"entered.x"}, id="what was entered may be added, but no guess"),
            pytest.param(Scope.COMPILED, ("entered", "compiled"), {"entered.x"}, id="what a call names is added"),
        ],
    )
    def test_what_stays(self, library: Project, scope: Scope, asked_for: tuple[str, ...], more: set[str]) -> None:
        step, seen = self.seen(library, *asked_for)
        evidence = Evidence(library, [seen])
        assert names_of(keep_in_scope(step, evidence, scope)) == {"compiled.x", "ignored.n"} | more
        if not asked_for:
            assert names_of(keep_read(step, evidence)) == {"compiled.x", "ignored.n"}

    def test_third_party_functions_are_not_added_and_attributes_stay(self, library: Project) -> None:
        step, seen = self.seen(library)
        foreign = Evidence(Project(library.root, {}, third_party=library.modules), [seen])
        assert names_of(keep_in_scope(step, foreign, Scope.OBSERVED)) == {"compiled.x", "ignored.n"}
        plan = Plan().with_(
            [Annotation(Slot(Owner(library.modules["lib"], "Net", 1), SlotKind.ATTRIBUTE, "last"), INT)]
        )
        assert keep_read(Step(plan, Trial(())), Evidence(library, [])) == plan

    def test_defaults_of_functions_that_nothing_reached_go(self, net: tuple[Trials, Step]) -> None:
        functions = {annotation.slot.owner.qualname for annotation in net[1].plan.in_order()}
        assert {"Net.forward", "Part.forward", "collect"} <= functions
        assert not {"untouched", "Net.never"} & functions


def names_of(plan: Plan) -> set[str]:
    return {f"{slot.owner.qualname}.{slot.name}" for slot in plan.annotations}


class TestAddReturns:
    def test_returns_that_are_annotated_needed_or_skipped_stay(self, make: Make) -> None:
        trials = make("whole")
        step = trim_found(trials)
        assert step.trial.ok
        before = {describe(a) for a in step.plan.annotations.values() if a.slot.kind is SlotKind.RETURN}
        assert before == {"mixed.return: Union[int, Tensor]"}
        added = add_returns(trials, step).plan.changes_from(step.plan)
        assert {change.slot.owner.qualname for change in added} == {"whole", "sound"}

    def test_the_rest_are_as_the_compiler_has_them_on_request(self, net: tuple[Trials, Step], make: Make) -> None:
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
        every = trim_found(replace(trials, options=replace(trials.options, returns=Returns.ALL)))
        for step, number in ((net[1], 0), (every, 3)):
            assert sum(slot.kind is SlotKind.RETURN for slot in step.plan.annotations) == number


def test_a_step_without_unsound_parts_stays(make: Make) -> None:
    trials = make("Fine")
    step = begin(trials)
    assert repair_parts(trials, step)[0] is step


def test_each_part_gets_what_it_needs_and_the_hopeless_nothing(make: Make) -> None:
    trials = make("Whole")
    step = begin(trials)
    repaired, (blame,) = repair_parts(trials, step)
    assert not repaired.trial.ok
    (added,) = repaired.plan.changes_from(step.plan)
    assert describe(added) == "Keeps.last: Optional[Tensor]"
    assert [(part.path, fault.code) for part in blame.parts for fault in part.faults] == [
        ("", "PDT001"),
        ("hopeless", "PDT004"),
    ]


def test_what_annotations_mend_beside_other_faults_is_nobodys_fault(make: Make, project: Path) -> None:
    trials = make("Mixed")
    step = begin(trials)
    repaired, (blame,) = repair_parts(trials, step)
    line = line_of(project, "class Mixed(nn.Module):") + 8
    assert [(f.code, f.failure.place.line) for part in blame.parts for f in part.faults] == [("PDT004", line)]
    added = repaired.plan.changes_from(step.plan)
    assert {describe(each) for each in added} == {"Mixed.last: Optional[Tensor]", "Mixed.forward.sizes: List[int]"}


def test_a_guess_that_does_not_help_is_not_blamed(make: Make, project: Path) -> None:
    trials = make("Wavering")
    step = begin(trials)
    function = trials.evidence.project.function_at(
        str(project / "model.py"), line_of(project, "class Wavering(nn.Module):") + 1
    )
    assert function is not None
    guess = Annotation(function.owner.returned, TypeExpr("list", (TENSOR,)), Origin.REPAIR)
    plan = step.plan.with_([guess])
    repaired, (blame,) = repair_parts(trials, Step(plan, trials.try_whole(plan)))
    assert repaired.plan.get(guess.slot) != guess
    assert [fault.code for part in blame.parts for fault in part.faults] == ["PDT004", "PDT042"]
