"""Options: what is refused before anything runs, and the defaults that depend on the place."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest

from pdt_annotate.captures.table import GRAPHED, WAYS
from pdt_annotate.inputs.target import parse, spec_source, split_name
from pdt_annotate.settings.load import find_root
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

TARGETS = (parse("pkg.module:Net"),)


def options(root: Path, **given: Any) -> Options:
    return Options(TARGETS, SpecSource(args=("3",)), str(root), **given)


class TestRefused:
    def test_an_overlay_over_other_files(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").touch()
        with pytest.raises(UserError, match="no overlay"):
            options(tmp_path, overlay=str(tmp_path))

    @pytest.mark.parametrize(("inputs", "args"), [("", ()), ("spec.py", ("3",)), ("missing.py", ()), (".", ())])
    def test_example_inputs(
        self, inputs: str, args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("spec.py").touch()
        with pytest.raises(SpecError):
            spec_source(inputs, args)

    @pytest.mark.parametrize(
        ("given", "word"),
        [
            ({"timeout": 0}, "timeout"),
            ({"timeout": -1.5}, "-1.5"),
            ({"budget": 0}, "budget"),
            ({"json": "-", "write_back": WriteBack.DIFF}, "stdout"),
        ],
    )
    def test_options(self, given: dict[str, object], word: str, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=word):
            options(tmp_path, **given)

    @pytest.mark.parametrize("given", [{"save_profile": "p.sqlite"}, {"write_partial": True}, {"overlay": "kept"}])
    def test_what_has_to_run_something_with_a_profile_alone(
        self, given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert not options(tmp_path, profiles=("p.sqlite",), **given).runs_nothing
        (name,) = given
        with pytest.raises(UserError, match=f"not enough for --{name.replace('_', '-')}"):
            Options((), SpecSource(), str(tmp_path), profiles=("p.sqlite",), **given)

    def test_a_root_that_is_no_directory(self, tmp_path: Path) -> None:
        (tmp_path / "file.py").touch()
        for root in tmp_path / "missing", tmp_path / "file.py":
            with pytest.raises(UserError, match="not a directory"):
                options(root)


@pytest.mark.parametrize("write_back", [each for each in WriteBack if each is not WriteBack.DIFF])
def test_json_on_stdout_beside_what_prints_nothing_there(write_back: WriteBack, tmp_path: Path) -> None:
    assert options(tmp_path, json="-", write_back=write_back).json == "-"


class TestSpecSource:
    @pytest.mark.parametrize(
        ("text", "file", "name"),
        [
            ("inputs.py", "inputs.py", ""),
            ("inputs.py:small", "inputs.py", "small"),
            ("a:b/inputs.py", "a:b/inputs.py", ""),
            ("inputs.py:", "inputs.py:", ""),
            ("inputs.py:two words", "inputs.py:two words", ""),
            ("odd:name", "odd:name", ""),
        ],
    )
    def test_a_name_stands_behind_the_last_colon(
        self, text: str, file: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("odd:name").touch()
        assert split_name(text) == (file, name)

    def test_the_file_is_known_wherever_a_child_runs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("spec.py").touch()
        assert spec_source("spec.py:small", ()) == SpecSource(str(tmp_path / "spec.py"), "small")

    def test_arguments_need_no_file(self) -> None:
        assert spec_source("", ("f32[2]", "k=None")) == SpecSource(args=("f32[2]", "k=None"))


class TestRoot:
    @pytest.fixture(autouse=True)
    def folders(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Two projects, the one inside the other, and the working directory beside them."""
        for folder in ("outer/inner/pkg", "outer/src", "aside"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "outer" / ".git").mkdir()
        (tmp_path / "outer" / "inner" / "pyproject.toml").touch()
        monkeypatch.chdir(tmp_path / "aside")

    def root(self, *targets: str) -> Path:
        return Path(find_root([parse(target) for target in targets]))

    def test_the_packages_directory_of_a_file_elsewhere(self, tmp_path: Path) -> None:
        package = tmp_path / "elsewhere" / "pkg"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        assert self.root("../elsewhere/net.py:Net") == tmp_path / "elsewhere"
        assert self.root("../elsewhere/pkg/net.py:Net") == tmp_path / "elsewhere"
        assert self.root("net.py:Net") == tmp_path / "aside"

    @pytest.mark.parametrize(
        ("targets", "root"),
        [
            (["pkg.module:Net"], "aside"),
            (["../outer/inner/pkg/net.py:Net"], "outer/inner"),
            (["../outer/src/net.py:Net"], "outer"),
            (["pkg.module:Net", "../outer/src/a.py:A", "../outer/inner/b.py:B"], "outer"),
        ],
    )
    def test_the_nearest_project_above_the_first_file(self, targets: list[str], root: str, tmp_path: Path) -> None:
        assert self.root(*targets) == tmp_path / root

    def test_a_dotted_target_belongs_to_the_working_directorys_project(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path / "outer" / "src")
        assert self.root("pkg.module:Net") == tmp_path / "outer"

    @pytest.mark.parametrize("where", ["aside", "outer/src"])
    def test_a_link_does_not_make_another_project_of_this_one(
        self, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "pyproject.toml").touch()
        (tmp_path / where / "linked").symlink_to(tmp_path / "other")
        monkeypatch.chdir(tmp_path / where)
        assert self.root("linked/net.py:Net") == tmp_path / where.partition("/")[0]


class TestThirdParty:
    def test_is_left_unless_asked_for(self, tmp_path: Path) -> None:
        assert not options(tmp_path).types_third_party

    def test_is_typed_on_request_or_where_an_overlay_is_kept(self, tmp_path: Path) -> None:
        assert options(tmp_path, third_party=ThirdParty.OVERLAY).types_third_party
        assert options(tmp_path, overlay=str(tmp_path / "new")).types_third_party


@pytest.mark.parametrize(
    ("literal", "choices"),
    [
        (ScopeName, Scope),
        (ReturnsName, Returns),
        (SpellingName, Spelling),
        (ThirdPartyName, ThirdParty),
        (MendName, MendLevel),
    ],
)
def test_a_type_has_the_choices_of_its_setting(literal: Any, choices: type[Enum]) -> None:
    assert set(get_args(literal)) - {""} == {each.value for each in choices}


def test_the_ways_are_those_of_the_table() -> None:
    ways = {way.name for way in WAYS}
    assert set(get_args(WayName)) == ways
    graphs = {name for part in get_args(GraphName) for name in get_args(part)}
    assert graphs == set(GRAPHED)
