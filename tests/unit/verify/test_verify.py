"""The judges of text: changes that a rewrite may make, and changes that must be found; and when a trial is verified."""

from collections.abc import Iterator
from textwrap import dedent

import pytest

from pdt_annotate.values.outcome import NOTHING_RENDERED, FileChange
from pdt_annotate.values.verdicts import JUDGES, Failure, Trial, Verdict
from pdt_annotate.verify.text_judges import (
    accept_on_purpose,
    accept_undecided,
    is_same_program,
    join_trials,
    judge_parsing,
    judge_program,
    judge_stability,
    judge_texts,
)

BEFORE = """
    '''A model.'''
    from __future__ import annotations
    import torch
    from torch import nn

    SIZE = 3

    def helper(x, n=2, *rest, key=None, **more):
        out = []
        first = second = 0
        for i in range(n):
            out.append(x)
        return out

    class Net(nn.Module):
        @torch.no_grad()
        def forward(self, x, mask=None):
            return helper(x, SIZE)
        async def later(self):
            pass
"""


def same(before: str, after: str) -> bool:
    return is_same_program(dedent(before).encode(), dedent(after).encode())


ALLOWED = [
    (),
    (("x, n=2", "x: torch.Tensor, n: int = 2"),),
    (("*rest, key=None, **more", "*rest: int, key: str = None, **more: float"),),
    (("key=None, **more):", "key=None, **more) -> 'List[int]':"),),
    (("out = []", "out: list[int] = []"),),
    (("SIZE = 3", "SIZE: int = 3"),),
    (("async def later(self):", "async def later(self) -> None:"),),
    (("class Net(nn.Module):", "class Net(nn.Module):\n        cache: dict[str, int]\n"),),
    (("class Net(nn.Module):", "class Net(nn.Module):\n        __annotations__ = {'cache': int}\n"),),
    (("import torch\n", "import torch\n    from typing import List, Optional\n"),),
    (("import torch\n", "import typing\n    import torch\n"),),
    (("import nn", "import Tensor, nn"),),
    (("import nn", "import nn, Tensor"),),
    (("SIZE = 3\n", "SIZE = 3\n    from shapes import Box\n"),),
    (("return out\n", "return out  # done\n\n\n"), ("'''A model.'''", '"""A model."""')),
]
CAUGHT = [
    (("n=2", "n=3"),),
    (("n=2", "n"),),
    (("key=None", "key"),),
    (("x, n=2", "n, x=2"),),
    (("x, n=2", "x, /, n=2"),),
    (("*rest, ", "*args, "),),
    (("out = []", "out: list[int]"),),
    (("out = []", "out: list[int] = [0]"),),
    (("first = second = 0", "first: int = 0"),),
    (("        out = []\n", ""),),
    (("range(n)", "range(n + 1)"),),
    (("    import torch\n", ""),),
    (("import torch\n", "import torch as th\n"),),
    (("import torch\n", "import torch.nn\n"),),
    (("import nn", "import Tensor"),),
    (("import nn", "import nn as mm"),),
    (("from torch import nn\n", "from torch import nn\n    from __future__ import division\n"),),
    (("import annotations", "import annotations, division"),),
    (("    from __future__ import annotations\n", ""),),
    (("    import torch\n", ""), ("SIZE = 3\n", "SIZE = 3\n    import torch\n")),
    (("'''A model.'''", "import typing\n    '''A model.'''"),),
    (("'''A model.'''", "'''Another model.'''"),),
    (("        @torch.no_grad()\n", ""),),
    (("@torch.no_grad()", "@torch.enable_grad()"),),
    (("class Net(nn.Module)", "class Net(nn.Sequential)"),),
    (("async def later", "def later"),),
    (("SIZE = 3\n", "SIZE = 3\n    print(SIZE)\n"),),
    (("out = []\n", "out = []\n        import typing\n"),),
]


@pytest.mark.parametrize(
    ("edits", "is_same"), [*((edits, True) for edits in ALLOWED), *((edits, False) for edits in CAUGHT)]
)
def test_what_an_edit_changes(edits: tuple[tuple[str, str], ...], is_same: bool) -> None:
    after = BEFORE
    for old, new in edits:
        assert old in after
        after = after.replace(old, new)
    assert same(BEFORE, after) is is_same


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nx = 1\n", "import os\n"),
        ("import os\n", "x = 1\n"),
        ("x = 1\n", "x = 1\nx = 1\n"),
        ("a = 1; b = 2\n", "b = 2; a = 1\n"),
        ("s = 1\n\f\nx = 1\ny = 1\nz = 1\n", "s = 1\n\f\nx = 1\ny = 1\nz = 2\n"),
        ("s = '\u2028'\nx = 1\ny = 1\n", "s = '\u2028'\nx = 1\ny = 2\n"),
        ("import a\nimport b\n", "import b\nimport a\n"),
        ("def f():\n    import a\n    return a\n", "def f():\n    import a, b\n    return a\n"),
    ],
)
def test_statements_imports_in_order_and_imports_in_functions_are_code(before: str, after: str) -> None:
    assert not same(before, after)


def test_an_equal_statement_may_be_annotated_once() -> None:
    twice = "def f(x):\n    pass\n\nf(1)\n\ndef f(x):\n    pass\n"
    assert same(twice, twice.replace("x)", "x: int)", 1)) and same(twice.replace("x)", "x: int)", 1), twice)


def test_the_judge_names_the_file() -> None:
    changes = FileChange("a.py", b"x = 1\n", b"x: int = 1\n"), FileChange("b.py", b"x = 1\n", b"x = 2\n")
    verdict = judge_program(changes)
    assert not verdict.ok and verdict.failure is not None and verdict.failure.place.file == "b.py"
    assert judge_program(changes[:1]).ok


GOOD = [
    b"",
    b"x = 1\n",
    "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
    b"\xef\xbb\xbfx = 1\r\n",
    b"def f(x: undefined_name): pass\n",  # the program does not inherit the future imports of this file
]


@pytest.mark.parametrize("source", GOOD)
def test_what_compiles_parses(source: bytes) -> None:
    assert judge_parsing((FileChange("a.py", b"", source),)).ok


BAD = [
    (b"x = 1\ndef f(:\n", 2),
    (b"import x\nfrom __future__ import annotations\n", 2),
    (b"def f(a, a):\n    pass\n", 1),
    (b"def f():\n    global n\n    n: int = 1\n", 3),
    (b"x = '\xe9'\n", 1),
    (b"x = 1\0\n", None),
]


@pytest.mark.parametrize(("source", "line"), BAD)
def test_what_does_not_compile_is_named_with_its_line(source: bytes, line: int | None) -> None:
    verdict = judge_parsing((FileChange("good.py", b"", b"x = 1\n"), FileChange("bad.py", b"", source)))
    assert not verdict.ok
    assert verdict.failure is not None
    assert line is None or (verdict.failure.place.file, verdict.failure.place.line) == ("bad.py", line)


SAME, OTHER = FileChange("same.py", b"x = 1\n", b"x = 1\n"), FileChange("other.py", b"x = 1\n", b"x = 1\r\n")


@pytest.mark.parametrize("again", [(), (SAME,), (SAME, SAME), (OTHER,), (SAME, OTHER, SAME)])
def test_one_byte_in_one_file_is_not_stable(again: tuple[FileChange, ...]) -> None:
    verdict = judge_stability(again)
    assert verdict.ok is (OTHER not in again)
    assert verdict.ok or (verdict.failure is not None and verdict.failure.place.file == "other.py")


def test_it_is_known_which_judges_need_no_compiler() -> None:
    textual = {judge.name for judge in JUDGES.values() if judge.is_textual}
    assert {verdict.judge for verdict in judge_texts(NOTHING_RENDERED)} == textual


ALIKE = Verdict("answers", False, Failure("a tuple came back as a list", code="PDT065"))
WRONG = Verdict("answers", False, Failure("other values"))
FINE = Verdict("scripts", True)


def test_what_is_accepted_and_still_reported_and_where_joined_trials_end() -> None:
    for verdicts in ((WRONG,), (FINE, WRONG)):
        assert accept_undecided(Trial(verdicts)) == Trial(verdicts)
    refused = accept_undecided(Trial((ALIKE, WRONG)))
    assert not refused.ok and refused.failure == WRONG.failure
    on_purpose = accept_on_purpose(Trial((FINE, WRONG)), lambda: Trial((FINE,)))
    for accepted, failure in ((accept_undecided(Trial((FINE, ALIKE))), ALIKE), (on_purpose, WRONG)):
        assert accepted.ok and accepted.verdicts[1].failure == failure.failure

    def trials() -> Iterator[Trial]:
        yield Trial((FINE,))
        yield Trial((WRONG,))
        raise AssertionError("a third was tried")

    assert join_trials(trials()) == Trial((FINE, WRONG))
