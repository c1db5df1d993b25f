"""From where machine output names files, and lines of them as a command leaves them.

make_outcome's change puts two lines on top.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import fail, make_outcome

from pdt_annotate.emit.machine.invocation import Invocation, Moved, choose_base
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.verdicts import Part


def test_a_root_elsewhere_stands_for_itself(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path / "a"), str(tmp_path / "b")) == str(tmp_path / "a")
    assert choose_base(str(tmp_path / "project"), str(tmp_path / "pro")) == str(tmp_path / "project")


def test_run_below_the_root_files_are_named_from_the_root(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path), str(tmp_path / "src")) == str(tmp_path)


def test_run_above_the_root_files_are_named_from_there(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path / "project"), str(tmp_path)) == str(tmp_path)
    assert choose_base(str(tmp_path), str(tmp_path)) == str(tmp_path)


def test_symbolic_links_are_seen_through(tmp_path: Path) -> None:
    (tmp_path / "real" / "project").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert choose_base(str(tmp_path / "link" / "project"), str(tmp_path / "real")) == str(tmp_path / "real")


def moved_by(outcome: Outcome, write_back: WriteBack) -> tuple[Moved, str]:
    return Moved(outcome, Invocation(outcome.root, write_back)), outcome.changes[0].file


def kept(outcome: Outcome) -> Outcome:
    return replace(fail(outcome), kept=(Part("a", "Act"),))


@pytest.mark.parametrize("write_back", [WriteBack.CHECK, WriteBack.DIFF, WriteBack.STUBS])
def test_without_writing_lines_are_those_on_disk(write_back: WriteBack, tmp_path: Path) -> None:
    moved, file = moved_by(make_outcome(tmp_path), write_back)
    assert moved.found(Place(file, 5)) == moved.judged(Place(file, 5)) == Place(file, 5)


def test_other_files_do_not_move(tmp_path: Path) -> None:
    moved, _ = moved_by(make_outcome(tmp_path), WriteBack.IN_PLACE)
    assert moved.found(Place("other.py", 5, 3)) == Place("other.py", 5, 3)
    assert moved.found(NO_PLACE) == NO_PLACE


def test_what_is_written_in_place_moves_lines(tmp_path: Path) -> None:
    moved, file = moved_by(make_outcome(tmp_path), WriteBack.IN_PLACE)
    assert moved.found(Place(file, 5)) == Place(file, 7)
    assert moved.found(Place(file, 5, 26)) == Place(file, 7, 34)


def test_nothing_is_written_where_all_failed_and_judges_saw_the_changed_file(tmp_path: Path) -> None:
    moved, file = moved_by(fail(make_outcome(tmp_path)), WriteBack.IN_PLACE)
    assert moved.found(Place(file, 5, 26)) == moved.judged(Place(file, 7, 34)) == Place(file, 5, 26)


def test_where_a_part_is_kept_judges_saw_the_file_on_disk(tmp_path: Path) -> None:
    moved, file = moved_by(kept(make_outcome(tmp_path)), WriteBack.IN_PLACE)
    assert moved.found(Place(file, 5, 26)) == moved.judged(Place(file, 5, 26)) == Place(file, 7, 34)


def test_sound_is_what_held_or_was_kept(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    assert (
        outcome.is_sound
        and kept(outcome).is_sound
        and replace(outcome, verified=False, verdicts=outcome.verdicts[:1]).is_sound
    )
    assert not fail(outcome).is_sound and not replace(outcome, verified=False).is_sound
