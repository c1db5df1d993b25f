"""How `run` finds a program, what it tells it, and how the parts of its processes are joined."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pdt_annotate.profiles.profile import Profile, ProfiledOwner, Recording, Sighting
from pdt_annotate.profiles.recording.gathering import STARTUP, environment, find_program, join_processes
from pdt_annotate.profiles.recording.running import Order
from pdt_annotate.values.errors import UserError

ORDER = Order("/root", "/parts", "ab12", "train.py", "/packages")


def recording(run: str, type_: str, count: int) -> Recording:
    place = ProfiledOwner("train.py", "f", 1, "d")
    return Recording(run, "train.py", sightings=(Sighting(place, "parameter", "x", 0, type_, count, ("train.py",)),))


class TestFindProgram:
    def test_python_files_modules_and_code_run_in_this_python(self, tmp_path: Path) -> None:
        file = tmp_path / "train.py"
        file.write_text("")
        for words in ([str(file), "-x"], ["-m", "pkg"], ["-c", "pass"], ["-u", str(file)]):
            assert find_program(words, sys.executable) == [sys.executable, *words]

    def test_programs_of_this_environment_come_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("pytest", "other"):
            (tmp_path / name).write_text("#!/bin/sh\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_program(["pytest", "-q"], sys.executable) == [
            os.path.join(os.path.dirname(sys.executable), "pytest"),
            "-q",
        ]
        assert find_program(["other"], sys.executable) == [str(tmp_path / "other")]

    @pytest.mark.parametrize("words", [[], ["missing.py"], ["no-such-program"]])
    def test_what_is_not_there(self, words: list[str]) -> None:
        with pytest.raises(UserError):
            find_program(words, sys.executable)


class TestEnvironment:
    def test_the_path_that_was_there_stays(self) -> None:
        assert environment(ORDER, {})["PYTHONPATH"] == STARTUP
        assert environment(ORDER, {"PYTHONPATH": "a"})["PYTHONPATH"] == f"{STARTUP}{os.pathsep}a"

    def test_an_order_is_read_as_it_was_written(self) -> None:
        assert Order.read(environment(ORDER, {})) == ORDER


class TestJoinProcesses:
    def test_nothing_stays_nothing(self) -> None:
        assert join_processes(Profile(), ORDER) == Profile()

    def test_counts_of_processes_add_up(self) -> None:
        profile = Profile((recording("a", '{"name":"int"}', 2), recording("b", '{"name":"int"}', 3)))
        (joined,) = join_processes(profile, ORDER).recordings
        assert [sighting.count for sighting in joined.sightings] == [5]
        assert joined.label == "train.py"

    def test_a_profile_does_not_grow_with_the_processes(self) -> None:
        many = Profile(tuple(recording(str(n), '{"name":"int"}', 1) for n in range(100)))
        (joined,) = join_processes(many, ORDER).recordings
        assert len(joined.sightings) == 1
