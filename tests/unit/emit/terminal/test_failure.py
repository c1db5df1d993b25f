"""The module tree on a terminal, from made-up blame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pdt_annotate.emit.terminal.failure import tree_lines
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part

TARGET = Target("m.py:Net", "", "m.py", "Net")
SOUND = Part("", "Block", scripts=True, answers=Answers.ALIKE, calls=2)
FAULT = Fault("PDT004", Failure("try blocks aren't supported"), advice=("Write it plainly.",))
ROOT = Part("", "Net")


def at(path: str, part: Part = SOUND, **changes: object) -> Part:
    return replace(part, path=path, **changes)  # type: ignore[arg-type]


def shown(*parts: Part, encoding: str = "utf-8", width: int = 100) -> list[str]:
    return [line.plain for line in tree_lines(Blame(TARGET, parts), encoding, width)]


def test_one_line_for_what_is_sound() -> None:
    assert shown(at("", size=4)) == ["m.py:Net", "✓ scripts, answers alike on 2 calls (with 3 modules inside)"]


def test_equal_neighbours_share_a_node() -> None:
    layers = [at(f"layers.{index}") for index in range(12)]
    lines = shown(
        at("", ROOT, blamed=("tail",)),
        *layers,
        at("x", name="Up", calls=1),
        at("y", name="Up"),
        at("tail", ROOT, faults=(FAULT,)),
    )
    assert lines[:6] == [
        "m.py:Net",
        "✗ does not script; the fault of tail",
        "├── layers.0 … layers.11  Block",
        "│   ✓ scripts, answers alike on 2 calls each",
        "├── x, y  Up",
        "│   ✓ scripts, answers alike on 1 call each",
    ]


def test_unequal_neighbours_do_not() -> None:
    idle = at("b", answers=Answers.NOT_CALLED)
    names = [line for line in shown(at("", ROOT), at("a"), idle, at("c"))[2:] if "──" in line]
    assert names == ["├── a  Block", "├── b  Block", "└── c  Block"]


def test_own_faults_and_those_of_children() -> None:
    parts = (
        at("", ROOT, faults=(FAULT,), blamed=("a",)),
        at("a", ROOT, blamed=("a.b", "a.list.0")),
        at(
            "a.b",
            ROOT,
            faults=(FAULT, replace(FAULT, code="PDT005", advice=("Loop.", "Write it plainly."))),
            hidden=True,
        ),
        at("a.list.0", answers=Answers.DIFFER, faults=(replace(FAULT, code="PDT060"),)),
    )
    assert shown(*parts) == [
        "m.py:Net",
        "✗ does not script; its own fault, and that of a",
        "PDT004 construct that TorchScript cannot compile",
        "  try blocks aren't supported",
        "  → Write it plainly.",
        "└── a  Net",
        "    ✗ does not script; the fault of b, list.0",
        "    ├── b  Net",
        "    │   ✗ does not script; its own fault",
        "    │   PDT004 construct that TorchScript cannot compile",
        "    │     try blocks aren't supported",
        "    │   PDT005 recursion",
        "    │     try blocks aren't supported",
        "    │     → Loop.",
        "    │   more faults may stand behind these",
        "    └── list.0  Block",
        "        ✗ scripts, answers otherwise than eager; its own fault",
        "        PDT060 scripted answers differ from eager ones",
        "          try blocks aren't supported",
    ]


def test_faults_are_told_once_for_a_class() -> None:
    unsound = replace(ROOT, name="Block", faults=(FAULT,))
    lines = shown(at("", ROOT, blamed=("a", "c")), at("a", unsound), at("b"), at("c", unsound))
    assert lines[-1] == "    the same faults as a"


def test_a_fault_shows_its_place_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text("def f(x):\n    try:\n")
    fault = Fault("PDT004", Failure("no try", place=Place(str(tmp_path / "m.py"), 2)))
    assert shown(at("", ROOT, faults=(fault,)))[3:] == ["  m.py:2: no try", "    try:"]


def test_other_branches_where_signs_cannot_be_shown() -> None:
    lines = shown(at("", ROOT, faults=(FAULT,)), *(at(f"l.{index}") for index in range(3)), encoding="ascii")
    assert lines[5] == "`-- l.0 … l.2  Block", "the console replaces what else cannot be shown"


def test_what_is_wrapped_stays_below_its_branch() -> None:
    said = replace(FAULT, failure=Failure("the_first_name is not the_second_name"), advice=())
    lines = shown(at("", ROOT), at("a", ROOT, faults=(said,)), at("b"), width=30)
    assert lines[6:11] == [
        "│   PDT004 construct that",
        "│     TorchScript cannot",
        "│     compile",
        "│     the_first_name is not",
        "│       the_second_name",
    ]
