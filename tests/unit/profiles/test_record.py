"""Observations → a profile."""

from __future__ import annotations

from pathlib import Path

import pytest
from profiled import MODEL, observe, owner_of, profile_of, write

from pdt_annotate.profiles.plain import load_class
from pdt_annotate.profiles.profile import ProfiledOwner, Source
from pdt_annotate.profiles.record import main_name
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


def seen_at(slot: Slot, type_: str = "int", classes: tuple[ClassInfo, ...] = ()) -> Observed:
    return Observed((Observation(slot, TypeExpr(type_)),), classes, ())


@pytest.mark.parametrize(
    "slot",
    [
        Slot(Owner("/elsewhere/lib.py", "f", 1), SlotKind.PARAMETER, "x"),
        Slot(Owner("MODEL", "scale", 3), SlotKind.PARAMETER, "x"),
        Slot(Owner("MODEL", "made_at_run_time", 4), SlotKind.PARAMETER, "x"),
        Slot(Owner("MISSING", "scale", 4), SlotKind.PARAMETER, "x"),
        Slot(Owner("MODEL", "scale", 4), SlotKind.LOCAL, "y", 2),
    ],
    ids=["outside the root", "another line", "not in the file", "no such file", "no statement there"],
)
def test_what_cannot_be_found_again_is_left_out(slot: Slot, tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    file = slot.owner.file.replace("MODEL", modules["model"]).replace("MISSING", str(tmp_path / "gone.py"))
    slot = Slot(Owner(file, slot.owner.qualname, slot.owner.line), slot.kind, slot.name, slot.line)
    assert profile_of(tmp_path, modules, seen_at(slot)).recordings[0].sightings == ()


def test_paths_are_from_the_root_and_libraries_are_left_out(tmp_path: Path) -> None:
    modules = write(tmp_path, {"pkg/model.py": MODEL}) | {"json": "/usr/lib/json/__init__.py"}
    profile = profile_of(tmp_path, modules, observe(modules["pkg.model"]))
    assert profile.recordings[0].sources == (Source("pkg/model.py", "pkg.model"),)
    assert {place.path for place in profile.places} == {"pkg/model.py"}
    assert str(tmp_path) not in repr(profile)


def test_each_run_has_an_id_of_its_own(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    observed = observe(modules["model"])
    runs = [profile_of(tmp_path, modules, observed, run="").recordings[0].run for _ in range(2)]
    assert len(set(runs)) == 2


def test_a_local_is_known_by_the_number_of_its_statement(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    forward = owner_of(modules["model"], "Net.forward")
    slot = Slot(forward, SlotKind.LOCAL, "acc", forward.line + 1)
    (sighting,) = profile_of(tmp_path, modules, seen_at(slot)).recordings[0].sightings
    assert (sighting.kind, sighting.name, sighting.statement) == ("local", "acc", 2)


def test_attributes_belong_to_a_class(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    slot = Slot(Owner(modules["model"], "Net", 0), SlotKind.ATTRIBUTE, "width")
    (sighting,) = profile_of(tmp_path, modules, seen_at(slot)).recordings[0].sightings
    assert sighting.place == ProfiledOwner("model.py", "Net")


def test_what_ran_in_forward_is_all_unless_it_is_told(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    file = modules["model"]

    def in_forward(**told: object) -> list[str]:
        recording = profile_of(tmp_path, modules, observe(file), **told).recordings[0]
        return [place.qualname for place in recording.in_forward]

    assert in_forward() == ["Net.forward", "scale"]
    assert in_forward(in_forward=[owner_of(file, "scale"), owner_of(file, "Net.__init__")]) == ["scale"]
    assert in_forward(in_forward=[]) == []


def test_the_main_program_gets_the_name_that_others_import_it_by(tmp_path: Path) -> None:
    modules = {"__main__": write(tmp_path, {"pkg/__init__.py": "", "pkg/train.py": MODEL})["pkg.train"]}
    info = ClassInfo("__main__.Box", "__main__", "Box", ClassKind.PLAIN, modules["__main__"])
    slot = Slot(owner_of(modules["__main__"], "scale"), SlotKind.PARAMETER, "x")
    (recording,) = profile_of(tmp_path, modules, seen_at(slot, "__main__.Box", (info,))).recordings
    assert recording.sources == (Source("pkg/train.py", "pkg.train"),)
    assert recording.sightings[0].type == '{"name":"pkg.train.Box"}'
    assert load_class(recording.classes[0]) == ClassInfo(
        "pkg.train.Box", "pkg.train", "Box", ClassKind.PLAIN, "pkg/train.py"
    )


@pytest.mark.parametrize(("main", "name"), [("", "train"), ("far.train", "far.train")])
def test_a_spawned_child_calls_the_main_program_by_the_same_name(main: str, name: str, tmp_path: Path) -> None:
    file = write(tmp_path, {"train.py": MODEL})["train"]
    info = ClassInfo("__mp_main__.Box", "__mp_main__", "Box", ClassKind.PLAIN, file)
    seen = seen_at(Slot(owner_of(file, "scale"), SlotKind.PARAMETER, "x"), "__mp_main__.Box", (info,))
    (recording,) = profile_of(tmp_path, {"__main__": file, "__mp_main__": file}, seen, main=main).recordings
    assert recording.sources == (Source("train.py", name),)
    assert recording.sightings[0].type == f'{{"name":"{name}.Box"}}'
    assert load_class(recording.classes[0]).module == name


def test_main_modules_are_named_by_their_packages(tmp_path: Path) -> None:
    modules = write(tmp_path, {"train.py": "", "pkg/__init__.py": "", "pkg/__main__.py": ""})
    assert main_name("") == ""
    assert main_name(modules["train"]) == "train"
    assert main_name(modules["pkg.__main__"]) == "pkg.__main__"
