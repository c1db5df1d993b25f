"""Which parts stand together in the tree, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pdt_annotate.emit.module_tree import Node, grow, in_the_way, verdict
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part

ROOT = Part("", "Net", blamed=("tail.act",))
SOUND = Part("", "Block", scripts=True, answers=Answers.ALIKE, calls=2)
FAULT = Fault("PDT004", Failure("no try"))


def tree(*parts: Part) -> Node:
    return grow(Blame(Target("m.py:Net", "", "m.py", "Net"), parts))


def at(path: str, part: Part = SOUND) -> Part:
    return replace(part, path=path)


def test_one_part_is_one_node() -> None:
    assert tree(ROOT) == Node((ROOT,), ("",), ())


@pytest.mark.parametrize(
    ("owners", "said"),
    [
        (["Net.forward"], "its own fault"),
        (["Late.forward"], "the fault of late"),
        (["Late.forward", "Net.forward"], "its own fault, and that of late"),
        (["helper"], "its own fault, or that of what was not judged"),
        ([], "its own fault, or that of what was not judged"),
    ],
)
def test_what_was_not_judged_may_be_at_fault(owners: list[str], said: str) -> None:
    late = replace(SOUND, path="late", answers=Answers.NOT_JUDGED, scripts=False, classes=(("m.py", "Late"),))
    faults = tuple(replace(FAULT, owner=Owner("m.py", owner, 3)) for owner in owners)
    top = Part("", "Net", faults=faults, classes=(("m.py", "Net"), ("m.py", "Late")))
    blame = Blame(Target("m.py:Net", "", "m.py", "Net"), (top,), (late,))
    assert verdict(grow(blame)) == f"does not script; {said}"
    assert f"in {len(owners)} of 2 modules" in in_the_way(blame) or not owners


def test_unequal_neighbours_stand_alone() -> None:
    names = [node.names for node in tree(ROOT, at("a"), at("b", ROOT), at("c")).children]
    assert names == [("a",), ("b",), ("c",)]
    within = (ROOT, at("a", ROOT), at("a.x"), at("b", ROOT), at("b.y"))
    assert [node.names for node in tree(*within).children] == [("a",), ("b",)]


def test_equal_neighbours_share_a_node() -> None:
    (node,) = tree(ROOT, at("layers.0", ROOT), at("layers.0.x"), at("layers.1", ROOT), at("layers.1.x")).children
    assert node.names == ("layers.0", "layers.1")
    assert [child.names for child in node.children] == [("x",)]


def test_a_part_hangs_on_the_nearest_above_it() -> None:
    (tail,) = tree(ROOT, at("tail", ROOT), at("tail.list.0")).children
    assert [child.names for child in tail.children] == [("list.0",)]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((SOUND,), "scripts, answers alike on 2 calls"),
        ((SOUND, replace(SOUND, calls=1)), "scripts, answers alike on 1 call each"),
        ((replace(SOUND, size=4),), "scripts, answers alike on 2 calls (with 3 modules inside)"),
        ((ROOT,), "does not script; the fault of tail.act"),
        ((replace(ROOT, path="tail"),), "does not script; the fault of act"),
        ((replace(ROOT, faults=(FAULT,)),), "does not script; its own fault, and that of tail.act"),
        ((replace(ROOT, blamed=()),), "does not script; its own fault"),
        ((replace(SOUND, answers=Answers.DIFFER),), "scripts, answers otherwise than eager; its own fault"),
    ],
)
def test_the_verdict(parts: tuple[Part, ...], expected: str) -> None:
    assert verdict(Node(parts, ("",) * len(parts), ())) == expected


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        ("only line", "", "only line"),
        ("Arguments for call are not valid.\nbut instead found type 'int'.", "", "but instead found type 'int'."),
        ("it raises", "f() found type 'int'\n  File \"m.py\", line 2\n    x", "f() found type 'int'"),
        ("it raises", '  File "m.py", line 2\n    print("found type")', "it raises"),
    ],
)
def test_the_telling_line(message: str, text: str, expected: str) -> None:
    assert telling_line(Failure(message, text=text)) == expected
