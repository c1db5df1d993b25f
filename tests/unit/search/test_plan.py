"""Plans: values that change by copy, and two ways to write them into sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from rewrite_case import owners

from pdt_annotate.search.plan import Plan, follow_owners, render, render_candidate
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.verify.texts import judge_stability

INT = TypeExpr("int")
OPTIONAL = TypeExpr("Optional", (TENSOR,))

SOURCES = {
    "net.py": """
        '''A module.'''

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
    "done.py": "def f(x: int):\n    return x\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    modules = {}
    for name, source in SOURCES.items():
        (tmp_path / name).write_text(dedent(source).lstrip("\n"))
        modules[name.removesuffix(".py")] = str(tmp_path / name)
    return Project(str(tmp_path), modules)


def owner(project: Project, qualname: str, module: str = "net") -> Owner:
    file = project.modules[module]
    (found,) = (each for each in owners(project.source(file), file) if each.qualname == qualname)
    return found


def line_of(project: Project, text: str) -> int:
    lines = project.source(project.modules["net"]).decode().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def parameter(project: Project, qualname: str, name: str, type_: TypeExpr = INT, module: str = "net") -> Annotation:
    return Annotation(Slot(owner(project, qualname, module), SlotKind.PARAMETER, name), type_)


@pytest.fixture
def plan(project: Project) -> Plan:
    """One annotation of every kind, out of order."""
    forward = owner(project, "Net.forward")
    return Plan().with_(
        [
            parameter(project, "late", "n"),
            Annotation(Slot(forward, SlotKind.LOCAL, "out", line_of(project, "out = []")), TypeExpr("list", (INT,))),
            Annotation(Slot(owner(project, "Net"), SlotKind.ATTRIBUTE, "last"), OPTIONAL),
            Annotation(Slot(owner(project, "late"), SlotKind.RETURN, "return"), INT),
            parameter(project, "Net.forward", "mask", OPTIONAL),
            parameter(project, "Net.scale", "p"),
        ]
    )


class TestPlan:
    def test_changes_leave_the_plan_itself(self, project: Project, plan: Plan) -> None:
        before = dict(plan.annotations)
        new = parameter(project, "Net.forward", "x", TENSOR)
        assert plan.with_([new]).get(new.slot) == new
        assert plan.with_([]) == plan.without([]) == plan.only(lambda slot: True) == plan
        assert plan.without(before).annotations == {}
        assert plan.annotations == before

    def test_what_is_new_or_other_is_a_change(self, project: Project, plan: Plan) -> None:
        other = parameter(project, "late", "n", TENSOR)
        new = parameter(project, "Net.forward", "x", TENSOR)
        assert plan.changes_from(plan) == ()
        assert set(plan.with_([other, new]).changes_from(plan)) == {other, new}
        assert plan.without([other.slot]).changes_from(plan) == ()

    def test_annotations_are_in_source_order(self, plan: Plan) -> None:
        assert Plan().in_order() == []
        names = {kind: [a.slot.name for a in plan.in_order() if a.slot.kind is kind] for kind in SlotKind}
        assert names[SlotKind.PARAMETER] == ["p", "mask", "n"]
        assert (names[SlotKind.LOCAL], names[SlotKind.RETURN]) == (["out"], ["return"])

    def test_files(self, project: Project, plan: Plan) -> None:
        both = plan.with_([parameter(project, "f", "x", module="done")])
        files = both.by_file()
        assert {file: len(found) for file, found in files.items()} == {
            project.modules["net"]: 6,
            project.modules["done"]: 1,
        }
        assert Plan().by_file() == {}


class TestCandidate:
    def test_an_empty_plan_is_an_empty_candidate(self, project: Project) -> None:
        candidate = render_candidate(Plan(), project, {})
        assert (candidate.sources, candidate.imports, candidate.attributes, candidate.signatures) == ({}, {}, {}, ())

    def test_no_line_moves(self, project: Project, plan: Plan) -> None:
        file = project.modules["net"]
        before = project.source(file).decode().splitlines()
        after = render_candidate(plan, project, {}).sources[file].decode().splitlines()
        changed = {old.strip(): new.strip() for old, new in zip(before, after, strict=True) if old != new}
        assert changed == {
            "def scale(self, x, p):": "def scale(self, x, p: int):",
            "def forward(self, x, mask=None):": "def forward(self, x, mask: Optional[Tensor] = None):",
            "out = []": "out: List[int] = []",
            "def late(n):  # kept": "def late(n: int) -> int:  # kept",
        }

    def test_imports_stand_beside_the_source(self, project: Project, plan: Plan) -> None:
        candidate = render_candidate(plan, project, {})
        scope: dict[str, object] = {}
        for statement in candidate.imports[project.modules["net"]]:
            exec(statement, scope)
        assert {"List", "Optional", "Tensor"} <= set(scope)

    def test_attributes_go_to_the_live_class(self, project: Project, plan: Plan) -> None:
        (key, (attribute,)), *others = render_candidate(plan, project, {}).attributes.items()
        assert key == (project.modules["net"], "Net")
        assert (attribute.slot.name, others) == ("last", [])

    def test_signatures_are_those_of_functions(self, project: Project, plan: Plan) -> None:
        slots = [annotation.slot for annotation in render_candidate(plan, project, {}).signatures]
        assert sorted(slot.name for slot in slots) == ["mask", "n", "p", "return"]

    def test_what_is_annotated_already_stays(self, project: Project) -> None:
        again = Plan().with_([parameter(project, "f", "x", TENSOR, module="done")])
        candidate = render_candidate(again, project, {})
        assert candidate.sources == {project.modules["done"]: SOURCES["done.py"].encode()}


class TestRender:
    def test_what_is_annotated_already_is_no_change(self, project: Project) -> None:
        rendered = render(Plan().with_([parameter(project, "f", "x", TENSOR, module="done")]), project, {})
        assert (rendered.changes, rendered.written, rendered.refused, rendered.again) == ((), (), (), ())

    def test_nothing_on_disk_changes(self, project: Project, plan: Plan) -> None:
        before = {file: Path(file).read_bytes() for file in project.modules.values()}
        render(plan, project, {})
        assert {file: Path(file).read_bytes() for file in before} == before

    def test_everything_is_written(self, project: Project, plan: Plan) -> None:
        rendered = render(plan, project, {})
        (change,) = rendered.changes
        assert change.before == project.source(change.file)
        assert set(rendered.written) == set(plan.annotations.values())
        scope = compile(change.after, change.file, "exec")
        assert scope.co_filename == change.file
        for text in (b"    last: Optional[Tensor]\n", b"from typing import List, Optional\n", b"-> int:  # kept"):
            assert text in change.after

    def test_a_second_time_changes_nothing(self, project: Project, plan: Plan) -> None:
        rendered = render(plan, project, {})
        assert judge_stability(rendered.again).ok
        assert [change.before for change in rendered.again] == [change.after for change in rendered.changes]

    def test_it_is_written_in_the_style_of_the_project(self, project: Project, plan: Plan) -> None:
        Path(project.root, "pyproject.toml").write_text('[tool.black]\nline-length = 40\ntarget-version = ["py310"]\n')
        rendered = render(plan, project, {})
        (change,) = rendered.changes
        assert (
            b"    def forward(\n        self,\n        x,\n        mask: Tensor | None = None,\n    ):" in change.after
        )
        assert b"    last: Tensor | None\n" in change.after
        assert judge_stability(rendered.again).ok
        candidate = render_candidate(plan, project, {}).sources[change.file]
        assert len(candidate.splitlines()) == len(change.before.splitlines())
        assert b"out: list[int] = []" in candidate


class TestFollowOwners:
    def test_moved_owners_take_their_locals_along(self, project: Project, plan: Plan) -> None:
        (change,) = render(plan, project, {}).changes
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
