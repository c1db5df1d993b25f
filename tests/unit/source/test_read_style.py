"""The style of a file, from the configuration of formatters and linters."""

import os
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.source.read_style import read_style
from pdt_annotate.values.style import Style


def style(folder: Path, files: dict[str, str], of: str = "pkg/sub/mod.py") -> Style:
    for name, text in {of: "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    return read_style(str(folder / of))


NOTHING = {
    "no files": {},
    "no tools": {"pyproject.toml": "[tool.other]\nline-length = 3\n"},
    "no TOML": {"pyproject.toml": "[tool.black\nline-length = 3\n", "setup.cfg": "max-line-length = 3\n"},
    "no text": {"tox.ini": "[flake8]\n\0", ".editorconfig": "max_line_length\n[*.py\n"},
    "other types": {"pyproject.toml": "tool = 3\nproject = [1]\n"},
    "no length": {".flake8": "[flake8]\nmax-line-length = x\n", ".editorconfig": "[*]\nmax_line_length = off\n"},
    "another kind of file": {".editorconfig": "[*.md]\nmax_line_length = 3\n[Makefile]\nmax_line_length = 4\n"},
    "a file in another folder": {"other/pyproject.toml": "[tool.black]\nline-length = 3\n"},
    "a linter without a length": {"setup.cfg": "[flake8]\nignore = E501\n"},
}


@pytest.mark.parametrize("files", NOTHING.values(), ids=NOTHING)
def test_nothing_is_said(files: dict[str, str], tmp_path: Path) -> None:
    found = style(tmp_path, files)
    assert (found.line_length, found.python, found.upgrades) == (None, None, False)


LENGTHS = {
    "ruff": ({"pyproject.toml": "[tool.ruff]\nline-length = 101\n"}, 101),
    "ruff's own file": ({"ruff.toml": "line-length = 101\n"}, 101),
    "the nearest": ({"ruff.toml": "line-length = 101\n", "pkg/.ruff.toml": "line-length = 102\n"}, 102),
    "ruff's default": ({"pyproject.toml": "[tool.ruff.lint]\nselect = []\n"}, 88),
    "black": ({"pyproject.toml": "[tool.black]\nline_length = 101\n"}, 101),
    "black's default": ({"pyproject.toml": "[tool.black]\n"}, 88),
    "two formatters": ({"pyproject.toml": "[tool.black]\nline-length = 101\n[tool.ruff]\nline-length = 120\n"}, 101),
    "a formatter that says nothing": ({"pyproject.toml": "[tool.black]\nline-length = 101\n[tool.ruff]\n"}, 101),
    "a formatter and a linter": ({"pyproject.toml": "[tool.black]\n", ".flake8": "[flake8]\nmax-line-length=79\n"}, 88),
    "flake8": ({"tox.ini": "[tox]\nx = %(y)s\n[flake8]\nmax_line_length = 101\n"}, 101),
    "pycodestyle": ({"setup.cfg": "[pycodestyle]\nmax-line-length = 101\n"}, 101),
    ".editorconfig": (
        {".editorconfig": "root = true\n[*]\nmax_line_length = 3\n[*.{js,py}]\nmax_line_length = 101\n"},
        101,
    ),
}


@pytest.mark.parametrize(("files", "length"), LENGTHS.values(), ids=LENGTHS)
def test_line_length(files: dict[str, str], length: int, tmp_path: Path) -> None:
    assert style(tmp_path, files).line_length == length


PYTHONS = {
    "required": ('[project]\nrequires-python = ">=3.9, !=3.9.7, <4"\n', (3, 9)),
    "required roughly": ('[project]\nrequires-python = "~=3.10"\n', (3, 10)),
    "required by poetry": ('[tool.poetry.dependencies]\npython = "^3.8"\n', (3, 8)),
    "ruff before that": ('[project]\nrequires-python = ">=3.9"\n[tool.ruff]\ntarget-version = "py312"\n', (3, 12)),
    "black behind that": ('[project]\nrequires-python = ">=3.9"\n[tool.black]\ntarget-version = ["py38"]\n', (3, 9)),
    "black": ('[tool.black]\ntarget-version = ["py310", "py39"]\n', (3, 9)),
    "upgrades alone": ('[tool.ruff.lint]\nextend-select = ["UP"]\n', (3, 10)),
    "setup.cfg": ("[options]\npython_requires = >=3.9\n", (3, 9)),
    "no version": ('[project]\nrequires-python = "<4"\n', None),
}


@pytest.mark.parametrize(("text", "python"), PYTHONS.values(), ids=PYTHONS)
def test_python(text: str, python: tuple[int, int] | None, tmp_path: Path) -> None:
    assert style(tmp_path, {"setup.cfg" if "[options]" in text else "pyproject.toml": text}).python == python


@pytest.mark.parametrize(
    ("upgrades", "rules"),
    [
        *((True, each) for each in ("lint.select = ['E', 'UP']", "lint.select = ['ALL']", "select = ['UP']")),
        (True, "lint.extend-select = ['UP006']"),
        *((False, each) for each in ("lint.select = ['ALL']\nlint.ignore = ['UP']", "lint.select = ['E']")),
    ],
)
def test_upgrades(upgrades: bool, rules: str, tmp_path: Path) -> None:
    assert style(tmp_path, {"ruff.toml": rules}).upgrades is upgrades


def test_sorting_by_isort_comes_first(tmp_path: Path) -> None:
    files = {
        ".isort.cfg": "[settings]\nprofile=google\nknown_third_party = a,\n    b\norder_by_type = True\n",
        "ruff.toml": "[lint.isort]\nlines-between-types = 2\n",
    }
    found = style(tmp_path, files).sorting
    assert (found.force_single_line, found.order_by_type, found.lines_between_types) == (True, True, 0)
    assert found.known_third_party == {"a", "b"}
    assert "typing" in found.single_line_exclusions


def test_sorting_by_ruff(tmp_path: Path) -> None:
    text = "[lint.isort]\nforce-sort-within-sections = true\nlines-between-types = 1\nknown-first-party = ['own']\n"
    found = style(tmp_path, {"ruff.toml": text}).sorting
    assert (found.force_sort_within_sections, found.lines_between_types, found.line_length) == (True, 1, None)
    assert "own" in found.known_first_party


@pytest.mark.parametrize(
    ("files", "own"),
    [
        ({"ruff.toml": "", "src/inner/mod.py": ""}, {"pkg", "src", "inner"}),
        ({"ruff.toml": "src = ['lib']", "lib/inner.py": ""}, {"inner"}),
        ({"setup.cfg": "[isort]\nsrc_paths = lib\n", "lib/inner.py": ""}, {"inner"}),
        ({".editorconfig": "[*]\nindent_size = 3\n"}, {"pkg"}),
        ({}, {"mod"}),
        ({"pkg/sub/__init__.py": ""}, {"sub"}),
    ],
)
def test_what_a_project_can_import_of_itself_is_its_own(files: dict[str, str], own: set[str], tmp_path: Path) -> None:
    assert style(tmp_path, files).sorting.known_first_party >= own


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_that_lead_back_to_themselves_are_no_packages(tmp_path: Path) -> None:
    os.symlink("round", tmp_path / "round")
    found = style(tmp_path, {"pyproject.toml": "[tool.ruff.lint]\nselect = ['I']\n", "own.py": ""}).sorting
    assert "own" in found.known_first_party and "round" not in found.known_first_party


def test_the_isort_of_the_project_says_how_long_an_import_may_be(tmp_path: Path) -> None:
    for setting, length in {"": 79, "profile = black\n": 88, "line_length = 101\n": 101}.items():
        assert style(tmp_path, {".isort.cfg": f"[settings]\n{setting}"}).sorting.line_length == length
