"""Edits between two texts: exact for any two, and small."""

from __future__ import annotations

import itertools
import random

import pytest

from pdt_annotate.emit.machine.edits import Edit, find_edits


def apply(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize("text", ["", "a\n", "no end", "a\r\nb\rc\n"])
def test_the_same_text_has_no_edits(text: str) -> None:
    assert find_edits(text, text) == ()


@pytest.mark.parametrize("seed", range(40))
def test_they_make_the_one_text_the_other(seed: int) -> None:
    pick = random.Random(seed)
    pieces = ["x", "def f", "(", ")", ": Tensor", " ", "\n", "\r\n", "\r", "\x0c", "é", "🦆", "\u2028"]
    before, after = ("".join(pick.choices(pieces, k=pick.randrange(60))) for _ in range(2))
    edits = find_edits(before, after)
    assert apply(before, edits) == after
    assert list(edits) == sorted(edits)
    assert all(one.end <= other.start for one, other in itertools.pairwise(edits))


def test_an_annotation_is_put_in_and_nothing_taken_out() -> None:
    assert find_edits("def f(x, y=1): pass\n", "def f(x: Tensor, y: int = 1): pass\n")[0] == Edit(7, 7, ": Tensor")


def test_neighbouring_lines_share_no_edit() -> None:
    before = "def f(x): pass\ndef g(y): pass\n"
    after = "def f(x: int): pass\ndef g(y: int): pass\n"
    assert find_edits(before, after) == (Edit(7, 7, ": int"), Edit(22, 22, ": int"))
