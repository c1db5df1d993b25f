"""Mends that are made together, that change mended code, and that are removed again."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pdt_annotate.mends.kit.blocks import indent
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.mended import Mended
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.slots import Owner, Place

SOURCE = "import math\n\n\ndef f(x):\n    return first(x) + second(x)\n\n\ndef g(x):\n    return first(x)\n"


def project_of(folder: Path, source: str) -> Project:
    (folder / "model.py").write_text(source)
    return Project(str(folder), {"model": str(folder / "model.py")})


def calls(project: Project, name: str, new: str, *imports: str) -> Iterator[Mend]:
    """Mends that replace calls of the name by calls of another function."""
    file = project.modules["model"]
    for function in project.read(file).functions:
        site = FunctionContext(function, project)
        for node in ast.walk(function.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                edits = [site.replace(node.func, new)]
                needed = {file: imports} if imports else {}
                yield replace(site.mend(node, f"`{new}`", edits), rewrite=new, imports=needed)


def text(mended: Mended) -> str:
    return mended.project.source(mended.disk.modules["model"]).decode()


class TestMended:
    @pytest.fixture
    def disk(self, tmp_path: Path) -> Project:
        return project_of(tmp_path, SOURCE)

    def test_nothing_made_changes_nothing(self, disk: Project) -> None:
        assert Mended(disk).add([], disk).sources == {}

    def test_mends_apart_are_made_at_once_and_one_is_left_out(self, disk: Project) -> None:
        mended = Mended(disk).add([*calls(disk, "first", "one"), *calls(disk, "second", "two")], disk)
        assert text(mended) == SOURCE.replace("first", "one").replace("second", "two")
        assert [mend.rewrite for mend in mended.mends] == ["one", "one", "two"]
        fewer = mended.without([mend for mend in mended.mends if mend.rewrite == "one"])
        assert text(fewer) == SOURCE.replace("second", "two")

    def test_of_two_that_overlap_the_first_is_made(self, disk: Project) -> None:
        mended = Mended(disk).add([*calls(disk, "first", "one"), *calls(disk, "first", "other")], disk)
        assert text(mended) == SOURCE.replace("first", "one")

    def test_no_lines_come_in_front_of_a_line_that_is_indented(self, disk: Project) -> None:
        function = disk.read(disk.modules["model"]).functions[0]
        site, first = FunctionContext(function, disk), function.node.body[0]
        mends = [
            site.mend(first, "indent", [site.insert_before(first, "if True:"), *indent(site, first)]),
            site.mend(first, "check", [site.insert_before(first, "assert f")]),
        ]
        mended = Mended(disk).add(mends, disk)
        assert [mend.summary for mend in mended.mends] == ["indent"]

    def test_of_two_new_lines_that_set_one_name_the_first_is_made(self, disk: Project) -> None:
        function = disk.read(disk.modules["model"]).functions[0]
        site, first = FunctionContext(function, disk), function.node.body[0]
        lines = ('names = ["a"]', 'names = ["b"]', "other = 1")
        mends = [site.mend(first, line, [site.insert_before(first, line)]) for line in lines]
        mended = Mended(disk).add(mends, disk)
        assert [mend.summary for mend in mended.mends] == ['names = ["a"]', "other = 1"]

    def test_a_copy_of_a_call_is_left_out_with_the_function_that_is_called(self, disk: Project) -> None:
        site = FunctionContext(disk.read(disk.modules["model"]).functions[0], disk)
        new = site.insert_behind(site.node, "\n\ndef third(x):\n    return x\n")
        once = Mended(disk).add([site.mend(site.node, "define", [new])], disk)
        other = FunctionContext(once.project.read(disk.modules["model"]).functions[-1], once.project)
        copy = other.insert_behind(other.node, "\n\ndef h(x):\n    return third(x)\n")
        twice = once.add([other.mend(other.node, "copy", [copy])], once.project)
        assert text(twice).count("third") == 2
        assert text(twice.without(once.mends)) == SOURCE

    def test_upon_each_other(self, disk: Project) -> None:
        once = Mended(disk).add(calls(disk, "first", "one"), disk)
        twice = once.add(calls(once.project, "one", "uno"), once.project)
        assert text(twice) == SOURCE.replace("first", "uno")
        assert text(twice.without(once.mends)) == SOURCE

    def test_an_import_that_is_there_is_no_other(self, disk: Project) -> None:
        mended = Mended(disk).add(calls(disk, "first", "math.sqrt", "math.sqrt"), disk)
        assert text(mended) == SOURCE.replace("first", "math.sqrt")

    def test_imports_come_and_go_with_what_needs_them(self, disk: Project) -> None:
        mended = Mended(disk).add(calls(disk, "first", "torch.relu", "torch.relu"), disk)
        assert text(mended).startswith("import math\n\nimport torch\n\n\ndef f")
        assert text(mended.without(mended.mends[:1])).count("import torch") == 1
        assert text(mended.without(mended.mends)) == SOURCE
        # A later mend that uses the import of an earlier mend needs this import, too.
        later = mended.add(calls(mended.project, "second", "torch.abs"), mended.project)
        assert text(later.without(mended.mends)).count("import torch") == 1
        # The same holds if it is not certain that the file defines the name.
        file = disk.modules["model"]
        unsure = disk.over(
            {file: b"try:\n    import torch\nexcept ImportError:\n    pass\nx = torch\n" + SOURCE.encode()}
        )
        mended_unsure = Mended(unsure).add(calls(unsure, "first", "torch.relu", "torch.relu"), unsure)
        assert mended_unsure.project.source(file).count(b"import torch") == 2
        assert mended_unsure.without(mended_unsure.mends).project.source(file) == unsure.source(file)
        # Edits of mended code are converted to edits of the file on disk, and so are places.
        assert disk.read(file).text.edit(mended.compose(file, ())).decode() == text(mended)
        last = mended.add(calls(mended.project, "second", "two"), mended.project).mends[-1]
        assert (last.place.line, last.place.column, last.owner.line) == (5, 23, 4)


OWNED = "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return f(x)\n"


def mend_of(project: Project, name: str, *edits: Edit) -> Mend:
    """A mend of `f` or `g` with these edits."""
    file, line = project.modules["model"], {"f": 1, "g": 5}[name]
    return Mend("a", MendKind.EXACT, Owner(file, name, line), Place(file, line, 1), "does", {file: edits})


def owners(mended: Mended, *more: Edit) -> dict[str, str]:
    """The owner of each edit, by the text that the edit inserts or removes."""
    edits = mended.compose(mended.disk.modules["model"], more)
    return {each.text or OWNED[each.offset : each.end]: each.owner.qualname if each.owner else "" for each in edits}


def replacing(old: str, new: str, source: str = OWNED) -> Edit:
    return Edit(source.rindex(old), new, removed=len(old))


class TestOwners:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Project:
        """Two functions, one of which calls the other."""
        return project_of(tmp_path, OWNED)

    def test_edits_belong_to_the_function_that_is_mended(self, project: Project) -> None:
        mends = [mend_of(project, "f", replacing("1", "2")), mend_of(project, "g", replacing("f(x)", "x"))]
        assert owners(Mended(project).add(mends, project)) == {"1": "f", "2": "f", "f(x)": "g", "x": "g"}

    def test_what_two_functions_need_belongs_to_none_alone(self, project: Project) -> None:
        shared, own = replacing("1", "2"), replacing("f(x)", "x")
        mends = [mend_of(project, "f", shared), mend_of(project, "g", shared, own)]
        assert owners(Mended(project).add(mends, project)) == {"1": "", "2": "", "f(x)": "g", "x": "g"}

    def test_what_a_mend_of_another_function_builds_on_belongs_to_none_alone(self, project: Project) -> None:
        once = Mended(project).add([mend_of(project, "f", replacing("1", "22"))], project)
        second = mend_of(project, "g", replacing("22", "3", OWNED.replace("1", "22")))
        assert owners(once.add([second], once.project)) == {"1": "", "3": "g"}
        assert owners(once.add([second], once.project).without([second])) == {"1": "f", "22": "f"}

    def test_annotations_keep_their_owner(self, project: Project) -> None:
        mended = Mended(project).add([mend_of(project, "f", replacing("1", "2"))], project)
        annotation = Edit(OWNED.index("x)"), "x: int", Owner(project.modules["model"], "g", 5), removed=1)
        assert owners(mended, annotation) == {"x": "g", "x: int": "g", "1": "f", "2": "f"}

    def test_what_two_rules_make_no_python_of_is_made_one_by_one(self, project: Project) -> None:
        mends = [mend_of(project, "f", replacing("x + 1", "(x")), mend_of(project, "g", replacing("f(x)", "f(0)"))]
        assert [mend.owner.qualname for mend in Mended(project).add(mends, project).mends] == ["g"]
