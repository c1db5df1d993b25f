"""Observations → a profile."""

import ast
import textwrap
from pathlib import Path

import pytest
from profiled import MODEL, observe, owner_of, profile_of, write

from pdt_annotate.profiles.profile import ProfiledOwner, Source, load_class
from pdt_annotate.profiles.record import digest_of, statement_lines
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


def seen_at(slot: Slot, type_: str = "int", classes: tuple[ClassInfo, ...] = ()) -> Observed:
    return Observed((Observation(slot, TypeExpr(type_)),), classes, ())


@pytest.mark.parametrize(
    ("file", "name", "line", "local"),
    [
        ("/elsewhere/lib.py", "f", 1, 0),
        ("model.py", "scale", 3, 0),
        ("model.py", "made_at_run_time", 4, 0),
        ("gone.py", "scale", 4, 0),
        ("model.py", "scale", 4, 2),
    ],
    ids=["outside the root", "another line", "not in the file", "no such file", "no statement there"],
)
def test_what_cannot_be_found_again_is_left_out(file: str, name: str, line: int, local: int, tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    slot = Slot(Owner(str(tmp_path / file), name, line), SlotKind.LOCAL if local else SlotKind.PARAMETER, "x", local)
    assert profile_of(tmp_path, modules, seen_at(slot)).recordings[0].sightings == ()


def test_paths_are_from_the_root_and_libraries_are_left_out(tmp_path: Path) -> None:
    modules = write(tmp_path, {"pkg/model.py": MODEL}) | {"json": "/usr/lib/json/__init__.py"}
    profile = profile_of(tmp_path, modules, observe(modules["pkg.model"]))
    assert profile.recordings[0].sources == (Source("pkg/model.py", "pkg.model"),)
    assert {place.path for place in profile.places} == {"pkg/model.py"}
    assert str(tmp_path) not in repr(profile)
    runs = {profile_of(tmp_path, modules, Observed((), (), ()), run="").recordings[0].run for _ in range(2)}
    assert len(runs) == 2, "each has an id of its own"


def test_a_local_is_known_by_the_number_of_its_statement_and_an_attribute_by_its_class(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    forward = owner_of(modules["model"], "Net.forward")
    slot = Slot(forward, SlotKind.LOCAL, "acc", forward.line + 1)
    (sighting,) = profile_of(tmp_path, modules, seen_at(slot)).recordings[0].sightings
    assert (sighting.kind, sighting.name, sighting.statement) == ("local", "acc", 2)
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


@pytest.mark.parametrize(
    ("called", "main", "path", "name"),
    [
        ("__main__", "", "pkg/train.py", "pkg.train"),
        ("__mp_main__", "", "train.py", "train"),
        ("__mp_main__", "far.train", "train.py", "far.train"),
    ],
)
def test_the_main_program_is_known_by_its_file(called: str, main: str, path: str, name: str, tmp_path: Path) -> None:
    file = str(tmp_path / path)
    write(tmp_path, {"pkg/__init__.py": "", path: MODEL})
    info = ClassInfo(f"{called}.Box", called, "Box", ClassKind.PLAIN, file)
    seen = seen_at(Slot(owner_of(file, "scale"), SlotKind.PARAMETER, "x"), f"{called}.Box", (info,))
    (recording,) = profile_of(tmp_path, {"__main__": file, called: file}, seen, main=main).recordings
    assert recording.sources == (Source(path, name),)
    assert recording.sightings[0].type == f'{{"name":"{name}.Box"}}'
    assert load_class(recording.classes[0]) == ClassInfo(f"{name}.Box", name, "Box", ClassKind.PLAIN, path)


def test_main_modules_are_named_by_their_packages(tmp_path: Path) -> None:
    files = {"train.py": "train", "train-2.py": "train-2", "pkg/__main__.py": "pkg.__main__"}
    write(tmp_path, dict.fromkeys((*files, "pkg/__init__.py"), ""))
    for path, name in files.items():
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


def test_the_digest_is_the_same_on_every_python() -> None:
    """The values come from Python 3.11. A profile from there must match on every version."""
    assert digest_of(parse(PLAIN)) == "4842545efc67b0be8c747cf9ae701da4"
    body = "\n".join(
        (
            "    async def g(*a, **k): yield {**k, 1: 2j, 'é': b'x', 0xfff: ...}",
            *("    class C(B, metaclass=M): x = 'a' 'b'", "    try: from a import b as c"),
            *("    except* E as e: raise X from e", "    match x:"),
            *("        case {'a': [1, *r], **q} if y: del x[1:2, ::3]", "        case None | C(k=v): global n"),
            "    return lambda a, /, b=u'x': not (a < b <= 1) and (z := [i async for i in a if i])",
        )
    )
    assert digest_of(parse(f"def f():\n{body}\n")) == "500f57a9dd57145e70cb85d191839518"


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_what_keeps_the_digest_and_the_number_of_a_statement(source: str) -> None:
    """The numbers of `acc = []` and of the call in the loop identify their lines in every variant of the function."""
    assert digest_of(parse(source)) == digest_of(parse(PLAIN))
    before, after = PLAIN.splitlines(), textwrap.dedent(source).splitlines()
    numbers, lines = statement_lines(parse(PLAIN)), statement_lines(parse(source))
    assert len(numbers) == len(lines)
    for text in ("= []", "acc.append("):
        line = next(number for number, each in enumerate(before, start=1) if text in each)
        assert text in after[lines[numbers.index(line)] - 1]


@pytest.mark.parametrize("source", OTHER.values(), ids=OTHER)
def test_what_changes_the_digest(source: str) -> None:
    assert digest_of(parse(source)) != digest_of(parse(PLAIN))


def test_equal_constants_of_other_types_long_numbers_and_deep_nesting_have_digests() -> None:
    texts = ("1", "1.0", "True", "1j", "'1'", "b'1'", "None", "...", "'None'", "-1", f"0x{'f' * 6000}")
    deep = "+".join(["x"] * 2500)
    assert len({digest_of(parse(f"def f(): return {text}")) for text in (*texts, deep, f"{deep}+x")}) == len(texts) + 2
