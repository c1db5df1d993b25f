"""The files under the root, read from a real tree."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.source.project import Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import ClassKind, Owner

FILES = {
    "pkg/__init__.py": "from . import shapes\nfrom .sub import deep\n",
    "pkg/shapes.py": "class Box:\n    def area(self): return 1\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/deep.py": """
        import os
        import pkg.shapes as s
        from .. import shapes
        from ..shapes import Box
        from . import missing
        from torch import nn

        if True:
            from pkg.other import x

        class Net:
            from pkg.late import y

        def f():
            import pkg.never
    """,
    "pkg/other.py": "",
    "pkg/late.py": "",
    "pkg/never.py": "",
    "pkg/broken.py": "def f(:\n",
    "spec.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    modules = {}
    for name, source in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source))
        modules[name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")] = str(path)
    return Project(str(tmp_path), modules, frozenset({str(tmp_path / "spec.py")}))


class TestThirdParty:
    @pytest.fixture
    def apart(self, tmp_path: Path) -> Project:
        """`own` under the root imports `lib`, whose files import each other and, from another package, `far`."""
        sources = {
            "own.py": "import lib.a\n",
            "lib/a.py": "import lib.b, far\n",
            "lib/b.py": "is_scripting = 1\n",
            "far.py": "",
        }
        for name, source in sources.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(source)
        third_party = {"lib.a": "lib/a.py", "lib.b": "lib/b.py", "far": "far.py", "own": "other.py"}
        files = {name: str(tmp_path / file) for name, file in third_party.items()}
        return Project(str(tmp_path), {"own": str(tmp_path / "own.py")}, third_party=files)

    def test_without_any_all_is_own(self, project: Project, tmp_path: Path) -> None:
        file = str(tmp_path / "pkg/shapes.py")
        assert project.is_own(file) and project.package_of(file) == ""

    def test_has_a_style_of_its_own(self, apart: Project, tmp_path: Path) -> None:
        (tmp_path / "ruff.toml").write_text("line-length = 101\n")
        lengths = [apart.style(str(tmp_path / name)).line_length for name in ("own.py", "lib/a.py")]
        assert lengths == [101, None]

    def test_words_are_looked_for_in_own_files(self, apart: Project) -> None:
        assert not apart.mentions("is_scripting") and apart.mentions("lib")

    def test_may_be_annotated_and_is_not_own(self, apart: Project, tmp_path: Path) -> None:
        files = [str(tmp_path / name) for name in ("own.py", "lib/a.py", "far.py", "other.py")]
        assert [apart.has(file) for file in files] == [True, True, True, False]
        assert [apart.is_own(file) for file in files] == [True, False, False, False]
        assert [apart.package_of(file) for file in files[:3]] == ["", "lib", "far"]
        assert apart.modules["own"] == files[0]

    def test_imports_stay_in_the_package(self, apart: Project) -> None:
        assert [apart.imports_of(name) for name in ("own", "lib.a")] == [frozenset(), {"lib.b"}]


def test_files_that_were_not_imported_or_are_excluded_may_not_be_annotated(project: Project, tmp_path: Path) -> None:
    assert project.has(str(tmp_path / "pkg/shapes.py"))
    assert not project.has(str(tmp_path / "spec.py"))
    assert not project.has(str(tmp_path / "pkg/absent.py"))
    assert not project.has(str(tmp_path / "pkg\0/shapes.py"))
    assert project.function(Owner(str(tmp_path / "pkg/absent.py"), "f", 1)) is None
    assert project.class_named(str(tmp_path / "pkg/absent.py"), "Box") is None


def test_a_file_is_read_once(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "pkg/shapes.py"
    before = project.source(str(file))
    file.write_text("changed = True\n")
    assert project.source(str(file)) == before


def test_what_cannot_be_read_is_the_users(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        project.survey(str(tmp_path / "pkg/broken.py"))
    assert (raised.value.file, raised.value.line) == (str(tmp_path / "pkg/broken.py"), 1)
    (tmp_path / "pkg/other.py").unlink()
    with pytest.raises(UserError, match="cannot read"):
        project.source(str(tmp_path / "pkg/other.py"))


def test_definitions(project: Project, tmp_path: Path) -> None:
    file = str(tmp_path / "pkg/shapes.py")
    function, box = project.function(Owner(file, "Box.area", 2)), project.class_named(file, "Box")
    assert function is not None and box is not None
    assert project.function_at(file, 2) == function
    assert project.module_name(file) == "pkg.shapes"
    assert project.module_name("elsewhere.py") == ""


def test_imports_that_run_on_import(project: Project) -> None:
    assert project.imports_of("pkg.sub.deep") == {"pkg", "pkg.shapes", "pkg.sub", "pkg.other", "pkg.late"}
    assert project.imports_of("pkg") == {"pkg", "pkg.shapes", "pkg.sub", "pkg.sub.deep"}
    assert project.imports_of("pkg.shapes") == project.imports_of("torch") == frozenset()


@pytest.mark.parametrize("name", ["Box", "pkg.Box", "pkg.shapes.Sphere", "torch.Tensor", "pkg.shapes.Box.area"])
def test_what_is_no_class_of_the_project(project: Project, name: str) -> None:
    assert project.describe_class(name) is None


def test_a_class_by_its_dotted_name(project: Project, tmp_path: Path) -> None:
    info = project.describe_class("pkg.shapes.Box")
    assert info is not None
    assert (info.module, info.qualname, info.kind) == ("pkg.shapes", "Box", ClassKind.PLAIN)
    assert (info.file, info.line) == (str(tmp_path / "pkg/shapes.py"), 1)


def test_files_that_may_call_a_function_by_whatever_name(tmp_path: Path) -> None:
    texts = {
        "own": "def f(x): pass\n",
        "plain": "from own import f\nf(1)\n",
        "renamed": "from own import f as \\\n    g, f as h\n",
        "again": "from renamed import g as k\n",
        "last": "from again import k\nk(1)\n",
        "other": "x = 1\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    project = Project(str(tmp_path), {name: str(tmp_path / f"{name}.py") for name in texts})
    assert {Path(file).stem for file in project.calling("f")} == texts.keys() - {"other"}
    assert project.module_of("own.f.x") == "own" and project.module_of("own") == project.module_of("torch.nn") == ""
