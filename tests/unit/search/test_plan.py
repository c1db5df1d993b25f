"""Plans: immutable values, and the two ways to write them; and how the search for mends uses rules."""

import functools
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from rewrite_case import owners
from star_package import write_package

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import review_cut_off
from pdt_annotate.mends.kit.context import NOTHING_WITNESSED, FunctionContext, MendRule
from pdt_annotate.mends.mended import Mended
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_mends import MendCandidate, MendSearch
from pdt_annotate.search.plan import Plan, follow_owners, render, render_candidate
from pdt_annotate.source import imports
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.imports import read_names
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.slots import Annotation, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict
from pdt_annotate.verify.text_judges import judge_stability

INT = TypeExpr("int")
OPTIONAL = TypeExpr("Optional", (TENSOR,))

SOURCES = {
    "net": """\
import functools

from torch import nn


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.last = None

    @logged
    def scale(self, x, p):
        return x * p

    def forward(self, x, mask=None):
        out = []
        for part in x:
            out.append(0)
        return out


def late(n):  # kept
    return n
""",
    "done": "def f(x: int):\n    return x\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, source in SOURCES.items():
        (tmp_path / f"{name}.py").write_text(source)
    return Project(str(tmp_path), {name: str(tmp_path / f"{name}.py") for name in SOURCES})


def owner(project: Project, qualname: str, module: str = "net") -> Owner:
    file = project.modules[module]
    (found,) = (each for each in owners(project.source(file), file) if each.qualname == qualname)
    return found


def parameter(project: Project, qualname: str, name: str, type_: TypeExpr = INT, module: str = "net") -> Annotation:
    return Annotation(Slot(owner(project, qualname, module), SlotKind.PARAMETER, name), type_)


@pytest.fixture
def plan(project: Project) -> Plan:
    """One annotation of each kind, in random order."""
    forward = owner(project, "Net.forward")
    return Plan().with_(
        [
            parameter(project, "late", "n"),
            Annotation(
                Slot(
                    forward, SlotKind.LOCAL, "out", SOURCES["net"][: SOURCES["net"].index("out = []")].count("\n") + 1
                ),
                TypeExpr("list", (INT,)),
            ),
            Annotation(Slot(owner(project, "Net"), SlotKind.ATTRIBUTE, "last"), OPTIONAL),
            Annotation(Slot(owner(project, "late"), SlotKind.RETURN, "return"), INT),
            parameter(project, "Net.forward", "mask", OPTIONAL),
            parameter(project, "Net.scale", "p"),
        ]
    )


class TestPlan:
    def test_changes_leave_the_plan_itself_and_are_what_is_new_or_other(self, project: Project, plan: Plan) -> None:
        before = dict(plan.annotations)
        new = parameter(project, "Net.forward", "x", TENSOR)
        assert plan.with_([new]).get(new.slot) == new
        assert plan.with_([]) == plan.without([]) == plan.only(lambda slot: True) == plan
        assert plan.without(before).annotations == {}
        assert plan.annotations == before
        other = parameter(project, "late", "n", TENSOR)
        new = parameter(project, "Net.forward", "x", TENSOR)
        assert plan.changes_from(plan) == ()
        assert set(plan.with_([other, new]).changes_from(plan)) == {other, new}
        assert plan.without([other.slot]).changes_from(plan) == ()

    def test_annotations_are_in_source_order_and_by_file(self, plan: Plan, project: Project) -> None:
        assert Plan().in_order() == []
        names = {kind: [a.slot.name for a in plan.in_order() if a.slot.kind is kind] for kind in SlotKind}
        assert names[SlotKind.PARAMETER] == ["p", "mask", "n"]
        assert (names[SlotKind.LOCAL], names[SlotKind.RETURN]) == (["out"], ["return"])
        files = plan.with_([parameter(project, "f", "x", module="done")]).by_file()
        assert {file: len(found) for file, found in files.items()} == {
            project.modules["net"]: 6,
            project.modules["done"]: 1,
        }
        assert Plan().by_file() == {}


class TestCandidate:
    def test_an_empty_plan_is_an_empty_candidate(self, project: Project) -> None:
        candidate = render_candidate(Plan(), Evidence(project, ()))
        assert (candidate.sources, candidate.imports, candidate.attributes, candidate.signatures) == ({}, {}, {}, ())

    def test_no_line_moves(self, project: Project, plan: Plan) -> None:
        file = project.modules["net"]
        before = project.source(file).decode().splitlines()
        after = render_candidate(plan, Evidence(project, ())).sources[file].decode().splitlines()
        changed = {old.strip(): new.strip() for old, new in zip(before, after, strict=True) if old != new}
        assert changed == {
            "def scale(self, x, p):": "def scale(self, x, p: int):",
            "def forward(self, x, mask=None):": "def forward(self, x, mask: Optional[Tensor] = None):",
            "out = []": "out: List[int] = []",
            "def late(n):  # kept": "def late(n: int) -> int:  # kept",
        }

    def test_imports_attributes_and_signatures_are_apart_from_the_source(self, project: Project, plan: Plan) -> None:
        candidate = render_candidate(plan, Evidence(project, ()))
        scope: dict[str, object] = {}
        for statement in candidate.imports[project.modules["net"]]:
            exec(statement, scope)
        assert {"List", "Optional", "Tensor"} <= set(scope)
        (key, (attribute,)), *others = candidate.attributes.items()
        assert key == (project.modules["net"], "Net")
        assert (attribute.slot.name, others) == ("last", [])
        assert sorted(each.slot.name for each in candidate.signatures) == ["mask", "n", "p", "return"]

    def test_what_is_annotated_already_stays(self, project: Project) -> None:
        again = Plan().with_([parameter(project, "f", "x", TENSOR, module="done")])
        assert render_candidate(again, Evidence(project, ())).sources == {
            project.modules["done"]: SOURCES["done"].encode()
        }


class TestRender:
    def test_what_is_annotated_already_is_no_change(self, project: Project) -> None:
        rendered = render(Plan().with_([parameter(project, "f", "x", TENSOR, module="done")]), Evidence(project, ()))
        assert (rendered.changes, rendered.written, rendered.refused, rendered.again) == ((), (), (), ())

    def test_everything_is_written_and_a_second_time_nothing(self, project: Project, plan: Plan) -> None:
        before = {file: Path(file).read_bytes() for file in project.modules.values()}
        rendered = render(plan, Evidence(project, ()))
        (change,) = rendered.changes
        assert change.before == project.source(change.file)
        assert set(rendered.written) == set(plan.annotations.values())
        compile(change.after, change.file, "exec")
        for text in (b"    last: Optional[Tensor]\n", b"from typing import List, Optional\n", b"-> int:  # kept"):
            assert text in change.after
        assert judge_stability(rendered.again).ok
        assert [change.before for change in rendered.again] == [change.after for change in rendered.changes]
        assert {file: Path(file).read_bytes() for file in before} == before

    def test_it_is_written_in_the_style_of_the_project(self, project: Project, plan: Plan) -> None:
        Path(project.root, "pyproject.toml").write_text('[tool.black]\nline-length = 40\ntarget-version = ["py310"]\n')
        rendered = render(plan, Evidence(project, ()))
        (change,) = rendered.changes
        assert (
            b"    def forward(\n        self,\n        x,\n        mask: Tensor | None = None,\n    ):" in change.after
        )
        assert b"    last: Tensor | None\n" in change.after
        assert judge_stability(rendered.again).ok
        candidate = render_candidate(plan, Evidence(project, ())).sources[change.file]
        assert len(candidate.splitlines()) == len(change.before.splitlines())
        assert b"out: list[int] = []" in candidate


class TestFollowOwners:
    def test_moved_owners_take_their_locals_along(self, project: Project, plan: Plan) -> None:
        (change,) = render(plan, Evidence(project, ())).changes
        moved = list(follow_owners(plan.annotations.values(), Moves(change.before, change.edits)))
        lines = change.after.decode().splitlines()
        heads: Mapping[str, str] = {
            "Net": "class Net(",
            "Net.scale": "@logged",
            "Net.forward": "def forward(",
            "late": "def late(",
        }
        assert [a.slot.name for a in moved] == [a.slot.name for a in plan.annotations.values()]
        for annotation in moved:
            slot = annotation.slot
            assert lines[slot.owner.line - 1].strip().startswith(heads[slot.owner.qualname])
            assert slot.kind is not SlotKind.LOCAL or lines[slot.line - 1].strip().startswith("out: ")

    def test_without_edits_nothing_moves(self, project: Project, plan: Plan) -> None:
        moves = Moves(project.source(project.modules["net"]), ())
        assert list(follow_owners(plan.annotations.values(), moves)) == list(plan.annotations.values())


def find_one(site: FunctionContext) -> Iterator[Mend]:
    yield site.mend(site.node, "one", [], frozen=True)


def stumble(site: FunctionContext) -> Iterator[Mend]:
    raise AttributeError("no such node")


@pytest.fixture
def site(tmp_path: Path) -> FunctionContext:
    (tmp_path / "model.py").write_text("def f(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(tmp_path / "model.py")})
    return FunctionContext(project.read(project.modules["model"]).functions[0], project)


def refuse(mended: Mended) -> MendCandidate:
    raise UserError("does not build")


def search(*kinds: MendKind) -> MendSearch:
    return MendSearch(refuse, kinds, UNBOUNDED)


def test_what_is_allowed_is_found_unless_a_rule_fails(site: FunctionContext, caplog: pytest.LogCaptureFixture) -> None:
    rule, failure = MendRule("one", MendKind.FROZEN, lambda failure: True, find_one), Failure("why")
    assert [mend.because for mend in search(*MendKind)._find(rule, site, failure)] == ["why"]
    assert search(MendKind.EXACT)._find(rule, site, failure) == []
    rule = MendRule("odd", MendKind.EXACT, lambda failure: True, stumble)
    with caplog.at_level(logging.INFO, "pdt_annotate"):
        assert search(*MendKind)._find(rule, site, None) == []
    assert "the rule odd stumbled" in caplog.text
    assert search(*MendKind)._look(Mended(site.project)) is None


@pytest.mark.parametrize("line", ["return g(x)", "chosen = g", "return h(x, by=g)"])
@pytest.mark.parametrize(
    ("kind", "message", "names"),
    [
        ("TypeError", "why", ["g"]),
        ("RuntimeError", "why", []),
        ("RuntimeError", "@autocast() decorator is not supported in script mode", ["g"]),
    ],
)
def test_python_may_refuse_a_function_that_the_line_names(
    tmp_path: Path, line: str, kind: str, message: str, names: list[str]
) -> None:
    (file := tmp_path / "model.py").write_text(f"def g(x): return 1 + x\ndef f(x): {line}\n")
    project = Project(str(tmp_path), {"model": str(file)})
    failing, failure = project.read(str(file)).functions[1], Failure(message, kind, Place(str(file), 2))
    rule = MendRule("one", MendKind.EXACT, bool, lambda site: find_one(site) if site.node.name == "g" else iter(()))
    answers = MendSearch(refuse, [*MendKind], UNBOUNDED, (rule,))._answers
    assert [site.node.name for _, site in answers(FunctionContext(failing, project, failure=failure))] == names


@dataclass(frozen=True)
class Failing(MendCandidate):
    """A version that fails in one function, without a session."""

    failures = (Failure("why"),)
    in_reach = iter(())
    sites: ClassVar[Any] = ()

    @property
    def project(self) -> Project:
        return self.mended.disk


def candidate(mended: Mended, kind: type[MendCandidate], *compiled: Function) -> MendCandidate:
    """A version that verifies, unless `kind` is a subclass of `Failing`."""
    failed = issubclass(kind, Failing)
    verdict = Verdict("scripts", not failed, Failure("why") if failed else None)
    trial = Trial((verdict,), compiled=tuple(function.owner for function in compiled))
    return kind(mended, cast(Any, None), Step(Plan(), trial))


def test_a_rule_that_sweeps_sleeps_once_it_breaks_a_version(tmp_path: Path) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(file)})
    functions = project.read(str(file)).functions

    def writing(word: str, where: str) -> Callable[[FunctionContext], Iterator[Mend]]:
        def find(site: FunctionContext) -> Iterator[Mend]:
            if site.node.name == where and word not in site.text.body.decode():
                yield site.mend(site.node, word, [site.insert_before(site.node.body[0], f"{word} = 1")])

        return find

    def look(mended: Mended) -> MendCandidate:
        if b"worse" in mended.sources[str(file)]:
            raise UserError("does not build")
        return candidate(mended, Failing)

    class Reaching(Failing):
        in_reach = property(lambda self: iter(functions))
        shown = NOTHING_WITNESSED

    better, worse = (MendRule(w, MendKind.EXACT, bool, writing(w, f)) for w, f in (("better", "f"), ("worse", "g")))
    search = MendSearch(look, [*MendKind], UNBOUNDED, (better, worse))
    search._awake["worse"] = Failure("why")
    new = search._try(
        candidate(Mended(project), Reaching), [(better, FunctionContext(functions[0], project, failure=Failure("why")))]
    )
    assert new is not None and [mend.rewrite for mend in new.mended.mends] == ["better"]
    assert [*search._awake] == ["better"]


def test_a_rule_answers_a_failure_without_a_place_in_several_functions_at_once(tmp_path: Path) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")
    project, failure = Project(str(tmp_path), {"model": str(file)}), Failure("why")

    def writing(word: str) -> Callable[[FunctionContext], Iterator[Mend]]:
        return lambda site: iter([site.mend(site.node, word, [site.insert_before(site.node.body[0], f"{word} = 1")])])

    def look(mended: Mended) -> MendCandidate:
        text = mended.sources[str(file)]
        if b"worse" in text:
            raise UserError("does not build")
        return candidate(mended, MendCandidate if text.count(b"better") == 2 else Placeless)

    class Placeless(Failing):
        sites = tuple(FunctionContext(each, project, failure=failure) for each in project.read(str(file)).functions)
        shown = NOTHING_WITNESSED

    rules = [MendRule(word, MendKind.EXACT, bool, writing(word), sweeps=False) for word in ("worse", "better")]
    search = MendSearch(look, [*MendKind], UNBOUNDED, rules)
    found = next(search._better(candidate(Mended(project), Placeless)))
    assert [mend.rewrite for mend in found.mended.mends] == ["better", "better"]
    assert search.looks == 2


@pytest.mark.parametrize("helps", [True, False])
@pytest.mark.parametrize("message", ["why", "another"])
def test_a_version_is_looked_at_longer_once_if_it_is_no_better_or_no_mend_helps(
    tmp_path: Path, message: str, helps: bool
) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n")
    project, longer = Project(str(tmp_path), {"model": str(file)}), list[MendCandidate]()

    class First(Failing):
        sites = (FunctionContext(project.read(str(file)).functions[0], project, failure=Failure("why")),)
        shown = NOTHING_WITNESSED

    def look_longer(version: MendCandidate) -> MendCandidate:
        longer.append(version)
        return candidate(version.mended, MendCandidate) if helps else version

    def find(site: FunctionContext) -> Iterator[Mend]:
        yield site.mend(site.node, "m", [site.insert_before(site.node.body[0], "y = 1")])

    rule = MendRule("one", MendKind.EXACT, bool, find, sweeps=False)
    look = functools.partial(candidate, kind=type("Mended", (Failing,), {"failures": (Failure(message),)}))
    search = MendSearch(look, [*MendKind], UNBOUNDED, (rule,), look_longer)
    assert search.run(candidate(Mended(project), First)).step.trial.ok is helps
    assert len(longer) == 1


@pytest.mark.parametrize(("call", "names"), [("", ["f", "g"]), ("call 1", ["f"])])
def test_only_compiled_functions_are_mended_for_other_results(tmp_path: Path, call: str, names: list[str]) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(file)})
    functions = project.read(str(file)).functions

    class Differing(Failing):
        failures = (Failure("the result differs", call=call),)
        in_reach = property(lambda self: iter(functions))
        sites, shown = MendCandidate.sites, NOTHING_WITNESSED

    version = candidate(Mended(project), Differing, functions[0])
    assert [site.node.name for site in version.sites] == names


def test_what_is_left_out_of_functions_that_are_not_read_is_put_back(tmp_path: Path) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(file)})
    sites = [FunctionContext(function, project) for function in project.read(str(file)).functions]
    rule = MendRule("one", MendKind.SCRIPTED, bool, lambda site: iter(()))

    def look(mended: Mended) -> MendCandidate:
        return candidate(mended, MendCandidate, sites[0].function)

    added = [
        site.mend(site.node, "m", [site.insert_before(site.node.body[0], "y = 1")], left_out="y") for site in sites
    ]
    version = look(Mended(project).add([replace(mend, rewrite="one") for mend in added], project))
    settled = MendSearch(look, [*MendKind], UNBOUNDED, (rule,))._settle(version)
    assert [mend.owner.qualname for mend in settled.mended.mends] == ["f"]


@pytest.mark.parametrize(("left_out", "kept"), [("", ["sweep"]), ("y", [])])
def test_a_sweep_is_put_back_if_only_a_branch_needed_it_that_is_left_out(
    tmp_path: Path, left_out: str, kept: list[str]
) -> None:
    (file := tmp_path / "model.py").write_text("def f(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(file)})
    [site] = [FunctionContext(function, project) for function in project.read(str(file)).functions]
    names = ("sweep", "cut")
    rules = [MendRule(name, MendKind.SCRIPTED, bool, lambda site: iter(()), name == "sweep") for name in names]

    def look(mended: Mended) -> MendCandidate:
        return candidate(mended, MendCandidate, site.function)

    one, two = (site.mend(site.node, "m", [site.insert_before(site.node.body[0], text)]) for text in ("y = 1", "y = 2"))
    mends = [replace(one, rewrite="sweep"), replace(two, rewrite="cut", left_out=left_out)]
    version = look(Mended(project).add(mends[:1], project).add(mends[1:], project))
    settled = MendSearch(look, [*MendKind], UNBOUNDED, rules)._settle(version)
    assert [mend.rewrite for mend in settled.mended.mends] == kept


class TestBudget:
    """A search for mends in a package, in which only some of the files can be read in time."""

    @pytest.fixture
    def project(self, tmp_path: Path) -> Project:
        package = write_package(tmp_path, 60)
        return Project(str(tmp_path), {module_name_of(str(file)): str(file) for file in package.rglob("*.py")})

    @pytest.mark.parametrize("seconds", [0, 1, 30])
    def test_reading_ends_in_time(self, seconds: int, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        ticks, read = count(), list[str]()
        monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
        monkeypatch.setattr(imports, "read_names", lambda page: read.append(page.file) or read_names(page))

        def find_name(site: FunctionContext) -> Iterator[Mend]:
            assert site.project.names.find(site.file, "nothing") is None
            yield from ()

        rule = MendRule("names", MendKind.EXACT, lambda failure: True, find_name, sweeps=True)
        (function, *_) = project.read(project.modules["pkg.sub.net"]).functions
        site, version = FunctionContext(function, project, failure=Failure("why")), candidate(Mended(project), Failing)
        monkeypatch.setattr(Failing, "sites", (site,))
        ended = MendSearch(refuse, [*MendKind], Budget(seconds, began=0), (rule,)).run(version)
        assert len(read) <= seconds
        (said,) = [each.message for each in review_cut_off(ended.step.cut_off, seconds, project)]
        assert said.startswith(f"the search ended after {seconds} s, before ")
        assert "change of code" in said and ("reading pkg" in said) == (seconds > 1)

    def test_it_goes_to_the_end_in_time(self, project: Project) -> None:
        version = candidate(Mended(project), Failing)
        assert MendSearch(refuse, [*MendKind], Budget(1e9)).run(version) is version
