"""Results that are kept: which are, for which options, and for how long they answer."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outcomes import AFTER, BEFORE, fail, make_outcome

from pdt_annotate.cache import entries, store
from pdt_annotate.settings.options import Color, Options, OutputFormat, Returns, ThirdParty, WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import Closure, SpecSource, Target

JUDGED = "the scripted model answers like eager on 1 call"
TARGET = Target("model.py:Net", "", "model.py", "Net")


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Two annotations for `model.py`, which is not written yet; long ago everything else was."""
    monkeypatch.chdir(tmp_path)
    files = [tmp_path / name for name in ("model.py", "inputs.py")]
    made = make_outcome(tmp_path)
    for file in files:
        file.touch()
    closure = Closure(frozenset(map(str, files)), frozenset({(str(tmp_path), "model"), (str(tmp_path), "extra")}))
    return replace(made, closure=closure)


@pytest.fixture
def clean(outcome: Outcome) -> Outcome:
    return replace(outcome, changes=(), annotations=())


def options(outcome: Outcome, **given: Any) -> Options:
    return Options((TARGET,), SpecSource(f"{outcome.root}/inputs.py"), outcome.root, **given)


def later() -> int:
    """A moment at which files that were written just now are old."""
    return time.time_ns() + 10 * entries.LEEWAY_NS


def keep(outcome: Outcome, **given: Any) -> None:
    entries.keep(options(outcome, **given), outcome, JUDGED, later())


def said(outcome: Outcome, **given: Any) -> str:
    entry = entries.find(options(outcome, **given))
    return entry.said if entry else ""


def is_empty(outcome: Outcome) -> bool:
    return not any(store.read(outcome.root).values())


@pytest.mark.parametrize("write_back", [WriteBack.DIFF, WriteBack.CHECK])
def test_what_is_missing_is_no_answer(write_back: WriteBack, outcome: Outcome) -> None:
    keep(outcome, write_back=write_back)
    entry = entries.find(options(outcome))
    assert entry is not None and not entry.said
    assert entry.closure.files == outcome.closure.files


def test_a_failure_is_no_answer(outcome: Outcome, clean: Outcome) -> None:
    keep(fail(outcome))
    keep(replace(clean, verified=False))
    assert not said(outcome)


def test_what_depended_on_nothing_known_is_not_kept(clean: Outcome) -> None:
    keep(replace(clean, closure=Closure()))
    assert is_empty(clean)


@pytest.mark.parametrize(
    "given",
    [
        {"save_profile": "p.sqlite"},
        {"overlay": "typed"},
        {"stubs": "typings"},
        {"json": "out.json"},
        {"html": "out.html"},
        {"output_format": OutputFormat.GITHUB},
        {"no_cache": True},
    ],
)
def test_who_asks_for_more_gets_a_run(given: dict[str, Any], clean: Outcome) -> None:
    keep(clean, **given)
    assert is_empty(clean)
    keep(clean)
    assert entries.find(options(clean, **given)) is None


def test_a_profile_alone_is_never_kept(clean: Outcome) -> None:
    alone = Options((), SpecSource(), clean.root, profiles=("p.sqlite",))
    entries.keep(alone, clean, JUDGED, later())
    assert entries.find(alone) is None and is_empty(clean)


def test_a_file_that_changed_meanwhile_is_not_what_was_judged(clean: Outcome) -> None:
    entries.keep(options(clean), clean, JUDGED, time.time_ns())
    assert not said(clean)


def test_a_clean_run_is_the_answer(clean: Outcome) -> None:
    keep(clean)
    entry = entries.find(options(clean))
    assert entry is not None
    assert entry.said == f"nothing to annotate; {JUDGED} (unchanged since)"
    assert entry.judges == tuple(verdict.judge for verdict in clean.verdicts)
    assert entry.closure == clean.closure, "an answer may be kept again"


def test_what_is_written_in_place_is_clean_from_then_on(outcome: Outcome) -> None:
    file = Path(outcome.changes[0].file)
    file.write_bytes(AFTER)
    entries.keep(options(outcome), outcome, JUDGED, later())
    assert said(outcome)
    file.write_bytes(BEFORE)
    assert not said(outcome)


def test_what_was_changed_right_after_writing_is_not_what_was_verified(outcome: Outcome) -> None:
    Path(outcome.changes[0].file).write_bytes(AFTER + b"# more\n")
    keep(outcome)
    assert not said(outcome)


SAME: list[dict[str, Any]] = [
    {"timeout": 3.0},
    {"budget": 3.0},
    {"verbosity": -1},
    {"color": Color.NEVER},
    {"explain": True},
    {"write_back": WriteBack.CHECK},
    {"write_back": WriteBack.DIFF},
    {"write_partial": True},
]
OTHER: list[dict[str, Any]] = [
    {"returns": Returns.ALL},
    {"third_party": ThirdParty.OVERLAY},
    {"profiles": ("p.sqlite",)},
    {"no_probe": True},
]


@pytest.mark.parametrize("given", [*SAME, *OTHER], ids=str)
def test_an_answer_is_for_the_options_that_make_a_difference(given: dict[str, Any], clean: Outcome) -> None:
    keep(clean)
    assert bool(said(clean, **given)) is (given in SAME)


def test_a_profile_beside_inputs_counts_by_its_content(clean: Outcome, tmp_path: Path) -> None:
    directory = tmp_path / "profiles"
    directory.mkdir()
    (directory / "one.sqlite").touch()
    given = {"profiles": ("profiles",)}
    keep(clean, **given)
    assert said(clean, **given)
    (directory / "two.sqlite").touch()
    assert not said(clean, **given)
    keep(clean, **given)
    (directory / "two.sqlite").write_bytes(b"more")
    assert not said(clean, **given)


def test_other_surroundings_know_the_files_alone(clean: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(clean)
    monkeypatch.setenv("PYTORCH_JIT", "0")
    entry = entries.find(options(clean))
    assert entry is not None and not entry.said and not entry.is_moved
    assert entry.closure.files == clean.closure.files
    keep(clean)
    monkeypatch.delenv("PYTORCH_JIT")
    assert said(clean), "neither takes the other's place"


def test_a_file_is_known_by_where_it_is(clean: Outcome, tmp_path: Path) -> None:
    keep(clean)
    entry = entries.find(options(clean))
    assert entry is not None
    assert not entry.reads_any([]) and not entry.reads_any(["other.py", "sub/model.py"])
    (tmp_path / "link.py").symlink_to("model.py")
    for name in ("model.py", "./model.py", str(tmp_path / "inputs.py"), "link.py"):
        assert entry.reads_any(["other.py", name])


def test_a_module_that_would_be_found_first_concerns_everybody(clean: Outcome, tmp_path: Path) -> None:
    keep(clean)
    (tmp_path / "extra.py").touch()
    entry = entries.find(options(clean))
    assert entry is not None and not entry.said
    assert entry.reads_any(["extra.py"])


@pytest.mark.parametrize("part", ['"read"', '"said"', '"judges"', '"state": {', '"files": {', '"names": ['])
def test_an_entry_that_lacks_something_is_no_answer(part: str, clean: Outcome) -> None:
    keep(clean)
    file = Path(store.file_of(clean.root))
    file.write_text(file.read_text().replace(part, f'"no{part[1:]}'))
    assert not said(clean)


def test_a_broken_file_is_no_answer(clean: Outcome) -> None:
    keep(clean)
    file = Path(store.file_of(clean.root))
    file.write_bytes(file.read_bytes()[:-1])
    assert entries.find(options(clean)) is None
    keep(clean)
    assert said(clean)


def test_where_the_cache_would_lie_in_the_project_there_is_none(
    clean: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{clean.root}/caches")
    keep(clean)
    assert not said(clean)
