"""How `run` finds a program, passes settings to it, and joins the parts of its processes."""

import os
import sys
from pathlib import Path

import pytest

from pdt_annotate.profiles.profile import Profile, ProfiledOwner, Recording, Sighting, sum_up
from pdt_annotate.profiles.recording.gathering import STARTUP, environment, find_program
from pdt_annotate.profiles.recording.running import Order
from pdt_annotate.values.errors import UserError

ORDER = Order("/root", "/parts", "ab12", "train.py")


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


def test_the_environment_has_the_order_and_counts_of_processes_add_up() -> None:
    assert environment(ORDER, {})["PYTHONPATH"] == STARTUP
    assert environment(ORDER, {"PYTHONPATH": "a"})["PYTHONPATH"] == f"{STARTUP}{os.pathsep}a"
    assert Order.read(environment(ORDER, {})) == ORDER
    many = Profile(tuple(recording(str(n), '{"name":"int"}', n) for n in range(100)))
    joined = sum_up(many, "all", "train.py")
    assert [sighting.count for sighting in joined.sightings] == [sum(range(100))]
    assert joined.label == "train.py"
