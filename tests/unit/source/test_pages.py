"""Which files a draft is made from, and in which order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from drafted import write

from pdt_annotate.source.pages import Sources, import_folder, is_test


def pages(folder: Path, *words: str) -> list[str]:
    return [os.path.relpath(page.file, folder) for page in Sources(str(folder)).pages_with(words)]


FOLDERS = (".hidden/a.py", "build/a.py", "node_modules/a.py", "__pycache__/a.py", "env/a.py")
PASSED_OVER = {"data.txt": "Net", "broken.py": "Net(", "other.py": "Other", **dict.fromkeys(FOLDERS, "Net")}


@pytest.mark.parametrize(("file", "text"), PASSED_OVER.items())
def test_not_looked_into(file: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, {file: text})
    if file.startswith("env"):
        (tmp_path / "env/pyvenv.cfg").touch()
    assert pages(tmp_path, "Net") == []


def test_tests_come_first_and_documentation_last(tmp_path: Path) -> None:
    fenced = "```python\nNet()\n```\n"
    files = {"README.md": fenced, "net.py": "Net", "examples/run.py": "Net", "tests/unit/test_a.py": "Net"}
    write(tmp_path, files | {"net_test.py": "Net", "tests/conftest.py": "Net"})
    tests = ["net_test.py", "tests/conftest.py", "tests/unit/test_a.py"]
    assert pages(tmp_path, "Net") == [*tests, "examples/run.py", "net.py", "README.md"]


def test_the_lines_of_markdown_are_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"README.md": "# Net\n\n```python\nnet = Net()\n```\n\n```python\n>>> Net()\n```\n"})
    (page,) = Sources(str(tmp_path)).pages_with(["Net"])
    assert page.tree.body[0].lineno == 4
    assert not page.is_module


@pytest.mark.parametrize(
    ("file", "expected"),
    [("net.py", False), ("latest.py", False), ("tests/util.py", True), ("test_net.py", True), ("a/conftest.py", True)],
)
def test_is_test(file: str, expected: bool) -> None:
    assert is_test(file) is expected


def test_file_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"src/pkg/__init__.py": "", "src/pkg/net.py": "", "beside/near.py": ""})
    monkeypatch.chdir(tmp_path)
    sources = Sources(str(tmp_path))
    assert sources.file_of("pkg") == str(tmp_path / "src/pkg/__init__.py")
    assert sources.file_of("pkg.net") == str(tmp_path / "src/pkg/net.py")
    assert sources.file_of("near") == ""
    assert sources.file_of("near", str(tmp_path / "beside")) == str(tmp_path / "beside/near.py")


def test_the_folder_from_which_a_file_is_imported(tmp_path: Path) -> None:
    package = tmp_path / "src" / "pkg"
    package.mkdir(parents=True)
    for name in ("__init__.py", "net.py", "../flat.py"):
        (package / name).write_text("")
    files = (package / "net.py", package / "__init__.py", tmp_path / "src" / "flat.py")
    assert {import_folder(str(file)) for file in files} == {tmp_path / "src"}
