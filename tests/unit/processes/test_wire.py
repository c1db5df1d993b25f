"""Messages between the tool and its children: every declared type is unchanged; and processes that are not stopped."""

import dataclasses
import enum
import io
import pickle
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

from pdt_annotate.processes import process_tree, tasks
from pdt_annotate.processes.wire import ERRORS, GARBLED, Reply, Task, converter, encode
from pdt_annotate.values.errors import SpecError, UserCodeError, UserError, VerificationError
from pdt_annotate.values.slots import Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (tuple[Slot, ...], (Slot(Owner("m.py", "f", 1), SlotKind.PARAMETER, "x", 2),) * 2),
        (TypeExpr, TypeExpr("List", (TypeExpr("int"), TypeExpr("str", (), ("object",))))),
        (dict[Owner, str], {Owner("m.py", "f", 1): "ä\ud800\x1b"}),
        (frozenset[tuple[str, str]], frozenset((("a", "b"),))),
        (list[tuple[str, bool]], [("a", True)]),
        (bytes, b"\x00\xff" * 100),
        (bytes, b""),
        (float | None, None),
        (float, float("inf")),
        (tuple[str | int, ...], ("a", 1, 2**80)),
    ],
)
def test_what_was_said_is_read(type_: Any, value: object) -> None:
    assert Reply.read(Reply(value).encoded(), type_).unwrap() == value


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (int, "a"),
        (int, None),
        (Owner, 3),
        (Owner, Place("m.py", 1)),
        (tuple[Owner, ...], (Owner("m.py", "f", 1), 3)),
        (SlotKind, "__class__"),
        (SlotKind, Colour.RED),
        (Slot, Owner("m.py", "f", 1)),
        (dict[str, int], (1, 2)),
        (dict[str, int], {"a": "b"}),
        (bytes, "x"),
        (bytes, 0),
        (str, b"x"),
    ],
)
def test_another_type_is_refused(type_: Any, value: object) -> None:
    error = Reply.read(Reply(value).encoded(), type_).error
    assert isinstance(error, UserCodeError) and error.message == GARBLED


@pytest.mark.parametrize("name", tasks.declared)
def test_what_every_task_gives_can_be_read(name: str) -> None:
    """The types are checked recursively, so that a field that is not data fails here and not for a user."""
    met: set[Any] = set()

    def look(type_: Any) -> None:
        if type_ in met or type_ in (..., type(None)):
            return
        met.add(type_)
        assert type_ is not Any and type_ is not object
        converter().get_structure_hook(type_)
        inner = list(typing.get_args(type_))
        if dataclasses.is_dataclass(type_):
            assert not hasattr(type_, "__post_init__") and all(each.init for each in dataclasses.fields(type_))
            inner += typing.get_type_hints(type_).values()
        for each in inner:
            look(each)

    look(typing.get_type_hints(tasks.declared[name])["return"])


@pytest.mark.parametrize("kind", ERRORS.values())
def test_our_errors_pass_whole_but_of_a_verification_the_words(kind: type[UserError]) -> None:
    sent = kind("no", place=Place("m.py", 3), hint="do")
    error = Reply.read(Reply(error=sent).encoded()).error
    assert type(error) is kind and vars(error) == vars(sent)
    error = Reply.read(Reply(error=VerificationError("no", object())).encoded()).error
    assert isinstance(error, VerificationError) and (error.message, error.outcome) == ("no", None)


@pytest.mark.parametrize("message", [b"", b"x", b"[]", b"3", pickle.dumps(SpecError("no")), b"[" * 99999, b"[[1]]"])
def test_what_is_no_answer_blames_the_users_code(message: bytes) -> None:
    error = Reply.read(message).error
    assert isinstance(error, UserCodeError) and error.message == GARBLED


def test_what_is_nested_too_deeply_is_reported_and_bytes_travel_as_they_are() -> None:
    deep: Any = ()
    for _ in range(5000):
        deep = (deep,)
    error = Reply.read(Reply(deep).encoded()).error
    assert isinstance(error, UserCodeError) and "too deeply" in error.message
    assert len(Reply(b"\xff" * 1000).encoded()) == 1001
    for value in object(), b"x":
        with pytest.raises(TypeError, match="no data"):
            encode((1, value))


@pytest.mark.parametrize(("prefix", "is_left_out"), [(None, True), ("tree", False)])
def test_imports_of_a_task_get_no_bytecode(
    monkeypatch: pytest.MonkeyPatch, prefix: str | None, is_left_out: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", prefix)
    assert Task("operator:add", (2,), {})(1) == 3
    assert sys.dont_write_bytecode is is_left_out


TRACKER = b"python\0-c\0from multiprocessing.resource_tracker import main;main(3)"


@pytest.mark.parametrize(
    ("commands", "state", "expected"),
    [
        ([TRACKER], "S", True),
        ([b"", b"", TRACKER], "R", True),  # the process is loading its program
        ([b"", b"python"], "R", False),
        ([b""], "Z", False),
        ([b"", b""], "R", False),  # the process has ended
    ],
)
def test_what_removes_shared_memory_is_known_by_its_command(
    commands: list[bytes], state: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter(commands)

    def read(file: str, mode: str) -> io.BytesIO:
        try:
            return io.BytesIO(next(found) if Path(file).name == "cmdline" else f"7 (odd) name) {state} 1".encode())
        except StopIteration:
            raise FileNotFoundError from None

    monkeypatch.setattr(process_tree, "open", read, raising=False)
    assert process_tree.tidies(7) is expected
