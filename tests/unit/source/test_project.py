"""The files below the root, read from a real tree."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from drafted import write

from pdt_annotate.choose.evidence import Evidence
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


def make_project(folder: Path, files: Mapping[str, str]) -> Project:
    write(folder, files)
    names = {file: file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for file in files}
    modules = {name: str(folder / file) for file, name in names.items()}
    return Project(str(folder), modules, frozenset({str(folder / "spec.py")}))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, FILES)


@pytest.fixture
def apart(tmp_path: Path) -> Project:
    """`own` below the root imports `lib`, whose files import each other, and `far` from another package."""
    files = {"own.py": "import lib.a\n", "lib/a.py": "import lib.b, far\n", "lib/b.py": "is_scripting = 1\n"}
    write(tmp_path, files | {"far.py": ""})
    third_party = {"lib.a": "lib/a.py", "lib.b": "lib/b.py", "far": "far.py", "own": "other.py"}
    found = {name: str(tmp_path / file) for name, file in third_party.items()}
    return Project(str(tmp_path), {"own": str(tmp_path / "own.py")}, third_party=found)


def test_third_party_files_have_a_style_of_their_own_and_are_not_searched(apart: Project, tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 101\n")
    assert [apart.style(str(tmp_path / name)).line_length for name in ("own.py", "lib/a.py")] == [101, None]
    assert not apart.mentions("is_scripting") and apart.mentions("lib")
    assert [apart.imports_of(name) for name in ("own", "lib.a")] == [frozenset(), {"lib.b"}]


def test_may_be_annotated_and_is_not_own(apart: Project, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("own.py", "lib/a.py", "far.py", "other.py")]
    assert [apart.has(file) for file in files] == [True, True, True, False]
    assert [apart.is_own(file) for file in files] == [True, False, False, False]
    assert [apart.package_of(file) for file in files[:3]] == ["", "lib", "far"]
    assert apart.modules["own"] == files[0]


def test_files_that_were_not_imported_or_are_excluded_may_not_be_annotated(project: Project, tmp_path: Path) -> None:
    shapes, absent = str(tmp_path / "pkg/shapes.py"), str(tmp_path / "pkg/absent.py")
    assert project.has(shapes) and project.is_own(shapes) and project.package_of(shapes) == ""
    assert not any(map(project.has, (str(tmp_path / "spec.py"), absent, str(tmp_path / "pkg\0/shapes.py"))))
    assert project.function(Owner(absent, "f", 1)) is None
    assert project.class_named(absent, "Box") is None


def test_a_file_is_read_once_and_what_cannot_be_read_is_the_users(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "pkg/shapes.py"
    before = project.source(str(file))
    file.write_text("changed = True\n")
    assert project.source(str(file)) == before
    with pytest.raises(UserError) as raised:
        project.read(str(tmp_path / "pkg/broken.py"))
    assert (raised.value.file, raised.value.line) == (str(tmp_path / "pkg/broken.py"), 1)
    (tmp_path / "pkg/other.py").unlink()
    with pytest.raises(UserError, match="cannot read"):
        project.source(str(tmp_path / "pkg/other.py"))


def test_definitions_and_a_class_by_its_dotted_name(project: Project, tmp_path: Path) -> None:
    file = str(tmp_path / "pkg/shapes.py")
    function, box = project.function(Owner(file, "Box.area", 2)), project.class_named(file, "Box")
    assert function is not None and box is not None
    assert project.function_at(file, 2) == function
    assert project.module_name(file) == "pkg.shapes"
    assert project.module_name("elsewhere.py") == ""
    evidence = Evidence(project, ())
    for name in ("Box", "pkg.Box", "pkg.shapes.Sphere", "torch.Tensor", "pkg.shapes.Box.area"):
        evidence.learn_classes(f"__torch__.{name}")
    assert evidence.classes == {}
    evidence.learn_classes("__torch__.pkg.shapes.Box")
    info = evidence.classes["pkg.shapes.Box"]
    assert (info.module, info.qualname, info.kind) == ("pkg.shapes", "Box", ClassKind.PLAIN)
    assert (info.file, info.line) == (file, 1)


def test_imports_that_run_on_import(project: Project) -> None:
    assert project.imports_of("pkg.sub.deep") == {"pkg", "pkg.shapes", "pkg.sub", "pkg.other", "pkg.late"}
    assert project.imports_of("pkg") == {"pkg", "pkg.shapes", "pkg.sub", "pkg.sub.deep"}
    assert project.imports_of("pkg.shapes") == project.imports_of("torch") == frozenset()


def test_files_that_may_call_a_function_by_whatever_name(tmp_path: Path) -> None:
    texts = {
        **{"own.py": "def f(x): pass\n", "plain.py": "from own import f\nf(1)\n"},
        **{"renamed.py": "from own import f as \\\n    g, f as h\n", "again.py": "from renamed import g as k\n"},
        **{"last.py": "from again import k\nk(1)\n", "other.py": "x = 1\n"},
    }
    project = make_project(tmp_path, texts)
    assert {Path(file).name for file in project.calling("f")} == texts.keys() - {"other.py"}
    assert project.module_of("own.f.x") == "own" and project.module_of("own") == project.module_of("torch.nn") == ""


def test_files_are_found_by_the_names_in_their_changed_text(project: Project) -> None:
    shapes, deep, late = (project.modules[f"pkg.{name}"] for name in ("shapes", "sub.deep", "late"))
    assert set(project.with_name("Box")) == {shapes, deep}
    changed = project.over({deep: b"", late: b"Box = 1\n"})
    assert set(changed.with_name("Box")) == {shapes, late}
    assert set(changed.over({late: b""}).with_name("Box")) == {shapes}
    assert set(project.with_name("Box")) == {shapes, deep}
