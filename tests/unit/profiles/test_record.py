"""Observations → a profile."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest
from profiled import MODEL, observe, owner_of, profile_of, write

from pdt_annotate.profiles.plain import load_class
from pdt_annotate.profiles.profile import ProfiledOwner, Source
from pdt_annotate.profiles.record import digest_of, statement_lines
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
    write(tmp_path, {"train.py": "", "train-2.py": "", "pkg/__init__.py": "", "pkg/__main__.py": ""})
    for path, name in {"train.py": "train", "train-2.py": "train-2", "pkg/__main__.py": "pkg.__main__"}.items():
        (recording,) = profile_of(tmp_path, {"__main__": str(tmp_path / path)}, Observed((), (), ())).recordings
        assert recording.sources == (Source(path, name),)


PLAIN = """
def f(x, mask=None, *, scale=1.5):
    acc = []
    for i in range(3):
        acc.append(x * i if mask is None else -x)
    return f"{scale:>{3}} done", acc
"""

SAME = {
    "annotated": """
        def f(x: Tensor, mask: Optional[Tensor] = None, *, scale: float = 1.5) -> Tuple[str, List[Tensor]]:
            acc: List[Tensor] = []
            for i in range(3):
                acc.append(x * i if mask is None else -x)
            return f"{scale:>{3}} done", acc
        """,
    "formatted, commented and documented": '''
        def f(
            x,
            mask=None,  # may be left out
            *,
            scale=1.5,
        ):
            """What it does."""

            acc = []
            for i in range(3):
                # one more
                acc.append((x * i) if mask is None else -x)
            return f'{scale:>{3}} ' 'done', acc
        ''',
    "declared first": """
        def f(x, mask=None, *, scale=1.5):
            acc: List[Tensor]
            acc = []
            for i in range(3):
                pass
                acc.append(x * i if mask is None else -x)
            return f"{scale:>{3}} done", acc
        """,
}

OTHER = {
    "a parameter": PLAIN.replace("scale=1.5", "scale=1.5, bias=None"),
    "a default": PLAIN.replace("1.5", "2.5"),
    "the type of a default": PLAIN.replace("range(3)", "range(3.0)"),
    "an operator": PLAIN.replace("x * i", "x + i"),
    "a name": PLAIN.replace("acc", "out"),
    "a constant": PLAIN.replace("done", "Done"),
    "a decorator": f"@torch.jit.ignore{PLAIN}",
    "where a statement stands": PLAIN.replace("    return f", "        return f"),
    "what a string is": PLAIN.replace("mask is None", "mask is 'None'"),
}


def parse(source: str) -> ast.FunctionDef:
    node = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_what_keeps_the_digest(source: str) -> None:
    assert digest_of(parse(source)) == digest_of(parse(PLAIN))


@pytest.mark.parametrize("source", OTHER.values(), ids=OTHER)
def test_what_changes_the_digest(source: str) -> None:
    assert digest_of(parse(source)) != digest_of(parse(PLAIN))


def test_the_digest_is_the_same_on_every_python() -> None:
    """The values are those of Python 3.11; a profile made there must match everywhere."""
    assert digest_of(parse(PLAIN)) == "4842545efc67b0be8c747cf9ae701da4"
    body = "\n".join(
        (
            "    async def g(*a, **k): yield {**k, 1: 2j, 'é': b'x', 0xfff: ...}",
            "    class C(B, metaclass=M): x = 'a' 'b'",
            "    try: from a import b as c",
            "    except* E as e: raise X from e",
            "    match x:",
            "        case {'a': [1, *r], **q} if y: del x[1:2, ::3]",
            "        case None | C(k=v): global n",
            "    return lambda a, /, b=u'x': not (a < b <= 1) and (z := [i async for i in a if i])",
        )
    )
    assert digest_of(parse(f"def f():\n{body}\n")) == "500f57a9dd57145e70cb85d191839518"


def test_constants_that_are_equal_are_told_apart() -> None:
    texts = ("1", "1.0", "True", "1j", "'1'", "b'1'", "None", "...", "'None'", "-1")
    assert len({digest_of(parse(f"def f(): return {text}")) for text in texts}) == len(texts)


def test_deep_nesting_and_long_numbers_are_no_problem() -> None:
    deep = "+".join(["x"] * 2500)
    assert digest_of(parse(f"def f(x): return {deep}")) != digest_of(parse(f"def f(x): return {deep}+x"))
    assert digest_of(parse(f"def f(): return 0x{'f' * 6000}"))


@pytest.mark.parametrize("name", ["annotated", "formatted, commented and documented", "declared first"])
def test_a_statement_keeps_its_number(name: str) -> None:
    """The number of `acc = []` and of the call in the loop lead to their lines in any form of the function."""
    before, after = PLAIN.splitlines(), textwrap.dedent(SAME[name]).splitlines()
    numbers, lines = statement_lines(parse(PLAIN)), statement_lines(parse(SAME[name]))
    assert len(numbers) == len(lines)
    for text in ("= []", "acc.append("):
        line = next(number for number, each in enumerate(before, start=1) if text in each)
        assert text in after[lines[numbers.index(line)] - 1]
