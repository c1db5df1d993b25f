"""Where the files of a profile are under another root."""

from __future__ import annotations

from pathlib import Path

import pytest
from profiled import write

from pdt_annotate.profiles.present import Present, locate
from pdt_annotate.profiles.profile import Profile, Recording, Source
from pdt_annotate.values.slots import ClassInfo, ClassKind

SOURCE = Source("src/pkg/mod.py", "pkg.mod")


def find(root: Path, source: Source, *paths: str) -> str:
    """The found file, from the root, where only these files are there."""
    write(root, dict.fromkeys(paths, ""))
    found = locate(source, str(root), {})
    return Path(found).relative_to(root).as_posix() if found else ""


@pytest.mark.parametrize(
    ("source", "paths", "expected"),
    [
        (SOURCE, ["src/pkg/mod.py", "pkg/mod.py"], "src/pkg/mod.py"),
        (SOURCE, ["pkg/mod.py"], "pkg/mod.py"),
        (Source("pkg/mod.py", "pkg.mod"), ["lib/pkg/mod.py"], "lib/pkg/mod.py"),
        (Source("a/b/pkg/__init__.py", "pkg"), ["pkg/__init__.py"], "pkg/__init__.py"),
        (Source("model.py", "model"), ["deep/model.py"], "deep/model.py"),
        (SOURCE, ["mod.py"], ""),
        (SOURCE, ["pkg/mod/__init__.py"], "pkg/mod/__init__.py"),
        (Source("model.py", "model"), ["one/model.py", "two/model.py"], ""),
        (SOURCE, [], ""),
    ],
)
def test_a_file_is_found_by_its_path_or_its_module(
    source: Source, paths: list[str], expected: str, tmp_path: Path
) -> None:
    assert find(tmp_path, source, *paths) == expected


@pytest.mark.parametrize("path", ["../outside.py", "pkg/../../outside.py", "ABSOLUTE"])
def test_nothing_outside_the_root_is_found(path: str, tmp_path: Path) -> None:
    write(tmp_path, {"outside.py": "", "root/pkg/inside.py": ""})
    source = Source(path.replace("ABSOLUTE", str(tmp_path / "outside.py")), "outside")
    assert locate(source, str(tmp_path / "root"), {"outside": str(tmp_path / "outside.py")}) == ""


def test_a_module_that_is_imported_is_known_by_its_name(tmp_path: Path) -> None:
    modules = write(tmp_path, {"elsewhere/deeper/mod.py": ""})
    assert locate(SOURCE, str(tmp_path), {"pkg.mod": modules["elsewhere.deeper.mod"]}) == next(iter(modules.values()))


def test_a_file_keeps_the_spelling_of_the_run(tmp_path: Path) -> None:
    write(tmp_path, {"real/pkg/mod.py": ""})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    spelled = str(tmp_path / "link" / "pkg" / "mod.py")
    assert locate(Source("pkg/mod.py", "pkg.mod"), str(tmp_path / "real"), {"x": spelled}) == spelled


def may_import(root: Path, module: str, file: str | None = None, known_as: str = "pkg.mod") -> bool:
    """Whether an annotation may import the class X of a module, where a file of the project imports `lib.part`."""
    write(root, {"src/pkg/mod.py": "import lib.part\nimport xml.dom\nfrom . import near\n\n\nclass X:\n    pass\n"})
    profile = Profile((Recording("r1", sources=(Source("src/pkg/mod.py", known_as),)),))
    info = ClassInfo(f"{module}.X", module, "X", ClassKind.PLAIN, file)
    now = Present(profile, str(root), None).class_now(info)
    return now is not None and now.importable


@pytest.mark.parametrize("module", ["lib", "lib.other", "xml.dom", "xml", "builtins"])
def test_an_annotation_may_import_what_the_project_imports(module: str, tmp_path: Path) -> None:
    assert may_import(tmp_path, module)


@pytest.mark.parametrize("module", ["antigravity", "xml.etree", "idlelib.idle", "library", "near", "", "pkg"])
def test_an_annotation_imports_nothing_else(module: str, tmp_path: Path) -> None:
    assert not may_import(tmp_path, module)


@pytest.mark.parametrize(
    ("module", "expected"), [("pkg.mod", True), ("mod", True), ("antigravity", False), ("a.mod", False)]
)
def test_a_class_of_a_file_is_imported_from_that_file(module: str, expected: bool, tmp_path: Path) -> None:
    """Whatever the profile calls the file."""
    assert may_import(tmp_path, module, "src/pkg/mod.py", known_as=module) == expected
