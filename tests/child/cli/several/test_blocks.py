"""Runs that depend on each other are run again as one, until none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.cli.several.batch import Batch, Zygotes
from pdt_annotate.cli.several.blocks import Block, begin, join_dependent
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import Options, Returns
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Closure, SpecSource

READS = {"A": "abx", "B": "bx", "C": "c", "D": "cd", "E": "e"}
"""By target, the files that it reads."""

CHANGES = {("A",): "a", ("B",): "b", ("A", "B"): "abx", ("D",): "d"}
"""By the targets of a run, the files that it changes; others change none."""


class Found:
    """Work that finds what the tables say, and remembers what was run."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def __call__(self, options: Options, zygotes: Zygotes, progress: Progress) -> Outcome:
        names = tuple(target.qualname for target in options.targets)
        self.runs.append("".join(names))
        if names == ("E",):
            raise UserError("no")
        changes = tuple(FileChange(file, b"", b"#") for file in CHANGES.get(names, ""))
        closure = Closure(frozenset("".join(READS[name] for name in names)))
        return Outcome(options.targets, options.root, changes, verified=True, closure=closure)


def settled(folder: Path, names: str, **different: Options) -> tuple[list[Block[Outcome]], list[str]]:
    several = [
        different.get(name) or Options((parse(f"m:{name}"),), SpecSource(args=(name,)), str(folder)) for name in names
    ]
    found = Found()
    batch = Batch(1, lambda text: None)
    return join_dependent(begin(batch, several, several, found), batch, found), found.runs


def test_nothing_is_run_again_where_nothing_is_shared(tmp_path: Path) -> None:
    blocks, runs = settled(tmp_path, "ADE")
    assert runs == ["A", "D", "E"]
    assert [block.name for block in blocks] == ["m:A", "m:D", "m:E"]


def test_those_that_share_are_run_together_once(tmp_path: Path) -> None:
    blocks, runs = settled(tmp_path, "AEB")
    assert runs == ["A", "E", "B", "AB"]
    assert [block.name for block in blocks] == ["m:A, m:B", "m:E"]
    assert [len(block.members) for block in blocks] == [2, 1]
    assert isinstance(blocks[1].result.error, UserError)


def test_one_that_shares_with_what_came_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHANGES, ("A", "B"), "abc")
    blocks, runs = settled(tmp_path, "ACB")
    assert runs == ["A", "C", "B", "AB", "ABC"]
    assert [block.name for block in blocks] == ["m:A, m:B, m:C"]


def test_those_that_ask_for_different_results_are_not_written(tmp_path: Path) -> None:
    other = Options((parse("m:B"),), SpecSource(args=("B",)), str(tmp_path), returns=Returns.ALL)
    blocks, runs = settled(tmp_path, "AB", B=other)
    assert runs == ["A", "B"]
    (block,) = blocks
    assert block.result.value is None
    assert "not the same `returns`" in str(block.result.error)
