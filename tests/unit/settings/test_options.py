"""Options: values that are refused before a run, defaults that depend on the working directory, and the versions."""

import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import torch

from pdt_annotate.captures.table import GRAPHED, WAYS
from pdt_annotate.inputs.target import parse, spec_source, split_name
from pdt_annotate.settings.make_options import find_root, versions
from pdt_annotate.settings.options import (
    GraphName,
    MendName,
    Options,
    Returns,
    ReturnsName,
    Scope,
    ScopeName,
    SpellingName,
    ThirdParty,
    ThirdPartyName,
    WayName,
    WriteBack,
)
from pdt_annotate.values.errors import SpecError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.style import Spelling
from pdt_annotate.values.version import __version__

TARGETS = (parse("pkg.module:Net"),)


def options(root: Path, **given: Any) -> Options:
    return Options(TARGETS, SpecSource(args=("3",)), str(root), **given)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"timeout": 0}, "timeout"),
        ({"budget": 0}, "budget"),
        ({"json": "-", "write_back": WriteBack.DIFF}, "stdout"),
        ({"overlay": "."}, "do not belong to an overlay"),
        ({"root": "missing"}, "not a directory"),
        ({"root": "notes.txt"}, "not a directory"),
    ],
)
def test_what_is_refused(given: dict[str, Any], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").touch()
    with pytest.raises(UserError, match=word):
        options(tmp_path / given.pop("root", ""), **given)
    for write_back in set(WriteBack) - {WriteBack.DIFF}:
        assert options(tmp_path, json="-", write_back=write_back).json == "-", "nothing else is printed there"


@pytest.mark.parametrize("given", [{"save_profile": "p.sqlite"}, {"write_partial": True}, {"overlay": "kept"}])
def test_a_profile_alone_is_not_enough_to_run(
    given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not options(tmp_path, profiles=("p.sqlite",), **given).runs_nothing
    (name,) = given
    with pytest.raises(UserError, match=f"not enough for --{name.replace('_', '-')}"):
        Options((), SpecSource(), str(tmp_path), profiles=("p.sqlite",), **given)
    assert options(tmp_path, **given).types_third_party is (name == "overlay")
    assert options(tmp_path, third_party=ThirdParty.OVERLAY).types_third_party


@pytest.mark.parametrize(
    ("text", "file", "name"),
    [
        ("inputs.py", "inputs.py", ""),
        ("a:b/inputs.py", "a:b/inputs.py", ""),
        ("inputs.py:", "inputs.py:", ""),
        ("inputs.py:two words", "inputs.py:two words", ""),
        ("odd:name", "odd:name", ""),
    ],
)
def test_a_name_after_a_colon(text: str, file: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd:name").touch()
    assert split_name(text) == (file, name)


def test_example_inputs_are_a_file_anywhere_or_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.py").touch()
    assert spec_source("spec.py:small", ()) == SpecSource(str(tmp_path / "spec.py"), "small")
    assert spec_source("", ("f32[2]", "k=None")) == SpecSource(args=("f32[2]", "k=None"))
    for inputs, args in ("", ()), ("spec.py", ("3",)), ("missing.py", ()), (".", ()):
        with pytest.raises(SpecError):
            spec_source(inputs, args)


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two projects, one inside the other, and the working directory next to them."""
    for folder in ("outer/inner/pkg", "outer/src", "outer/.git", "aside", "elsewhere/pkg", "other"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("outer/inner/pyproject.toml", "elsewhere/pkg/__init__.py", "other/pyproject.toml"):
        (tmp_path / file).touch()
    for folder in ("aside", "outer/src"):
        (tmp_path / folder / "linked").symlink_to(tmp_path / "other")
    return tmp_path


@pytest.mark.parametrize(
    ("where", "targets", "root"),
    [
        ("aside", ["../elsewhere/net.py:Net"], "elsewhere"),
        ("aside", ["../elsewhere/pkg/net.py:Net"], "elsewhere"),
        ("aside", ["net.py:Net"], "aside"),
        ("aside", ["pkg.module:Net"], "aside"),
        ("aside", ["../outer/inner/pkg/net.py:Net"], "outer/inner"),
        ("aside", ["../outer/src/net.py:Net"], "outer"),
        ("aside", ["pkg.module:Net", "../outer/src/a.py:A", "../outer/inner/b.py:B"], "outer"),
        ("outer/src", ["pkg.module:Net"], "outer"),
        ("aside", ["linked/net.py:Net"], "aside"),
        ("outer/src", ["linked/net.py:Net"], "outer"),
    ],
)
def test_the_root_is_the_nearest_project_above_the_first_file(
    where: str, targets: list[str], root: str, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(projects / where)
    assert Path(find_root([parse(target) for target in targets])) == projects / root


def test_a_type_has_the_choices_of_its_setting() -> None:
    kinds = {ScopeName: Scope, ReturnsName: Returns, SpellingName: Spelling, ThirdPartyName: ThirdParty}
    for literal, choices in {**kinds, MendName: MendLevel}.items():
        assert set(get_args(literal)) - {""} == {each.value for each in choices}
    assert set(get_args(WayName)) == {way.name for way in WAYS}
    assert {name for part in get_args(GraphName) for name in get_args(part)} == set(GRAPHED)


def test_versions_are_those_of_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = versions()
    assert list(known) == ["pdt-annotate", "torch", "libcst", "MonkeyType", "Python"]
    assert all(known.values())
    assert known["pdt-annotate"] == __version__
    assert torch.__version__.startswith(known["torch"])  # the metadata of a wheel may lack the build
    assert known["Python"] == sys.version.split()[0]
    monkeypatch.setattr("pdt_annotate.settings.make_options.PACKAGES", ("no-such-package",))
    assert versions()["no-such-package"] == ""
