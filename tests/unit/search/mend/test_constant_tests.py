"""Tests that are settled in the constructor: constants."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.constant_tests import RULE
from pdt_annotate.values.mends import Held, HeldValue
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure

MODULE = '''\
class Net(nn.Module):
    """Doc."""

    def __init__(self, skip):
        super().__init__()
        self.skip = skip
        self.other = 1

    def forward(self, x):
        {}
            x = self.last(x)
        return x
'''
FUNCTION = Held((HeldValue("builtins.function", name="torch.relu"), HeldValue("builtins.NoneType", literal="None")))


def mended(folder: Path, source: str, skip: Held, line: int = 11) -> str:
    failure = Failure("no", "RuntimeError", Place(str(folder / "model.py"), line))
    known = {"Net": {"skip": skip, "other": held("1", "2")}}
    module = Mended(folder, source, known, failures={"Net.forward": failure})
    found = module.find(RULE)
    return module.files.add(found, module.project).project.source(module.file).decode()


@pytest.mark.parametrize(
    ("line", "skip"),
    [
        ("if self.skip:", held("True", "False")),
        ("if self.skip is not None:", held("None", "3")),
        ("if self.skip:", held("3", "4")),
        ("if self.skip == 'a':", held("'a'")),
        ("if self.skip:", held("3", "0", changes=True)),
        ("if self.skip:", held("3", "0", lacking=True)),
        ("if self.skip > 1:", held("None", "0")),
        ("if self.skip > x:", held("1", "0")),
        ("if self.foo(self.skip):", held("1", "0")),
        ("if x:", held("1", "0")),
        ("while self.skip:", held("1", "0")),
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str, skip: Held) -> None:
    assert mended(tmp_path, MODULE.format(line), skip) == MODULE.format(line)


@pytest.mark.parametrize(
    "more",
    ["    def reset(self):\n        self.skip = 0\n", "def switch(net):\n    net.skip = 0\n"],
)
def test_what_is_set_elsewhere_is_left_alone(tmp_path: Path, more: str) -> None:
    source = MODULE.format("if self.skip:") + "\n" + more
    assert mended(tmp_path, source, held("1", "0")) == source


def test_a_failure_that_no_test_guards_is_left_alone(tmp_path: Path) -> None:
    source = MODULE.format("if self.skip:")
    assert mended(tmp_path, source, held("1", "0"), line=12) == source


@pytest.mark.parametrize(
    ("line", "skip", "after", "name", "value"),
    [
        ("if self.skip:", held("3", "0"), "if self._has_skip:", "_has_skip", "bool(self.skip)"),
        ("if not self.skip:", held("3", "0"), "if not self._has_skip:", "_has_skip", "bool(self.skip)"),
        ("if self.skip is not None:", FUNCTION, "if self._has_skip:", "_has_skip", "self.skip is not None"),
        (
            "if x and self.skip == 'a':",
            held("'a'", "None"),
            "if x and self._skip_is_a:",
            "_skip_is_a",
            "self.skip == 'a'",
        ),
        ("if 2 == self.skip:", held("2", "None"), "if self._is_skip_2:", "_is_skip_2", "2 == self.skip"),
        ("if self.skip != 2:", held("2", "None"), "if self._is_not_skip_2:", "_is_not_skip_2", "self.skip != 2"),
        ("if 'a' == self.skip:", held("'a'", "None"), "if self._skip_is_a:", "_skip_is_a", "'a' == self.skip"),
        (
            "if self.skip is not None and 1 < self.skip:",
            held("None", "3"),
            "if self._has_skip_and_skip_above_1:",
            "_has_skip_and_skip_above_1",
            "bool(self.skip is not None and 1 < self.skip)",
        ),
        (
            "if self.skip is not None and self.skip > 1:",
            held("None", "3"),
            "if self._has_skip_and_skip_above_1:",
            "_has_skip_and_skip_above_1",
            "bool(self.skip is not None and self.skip > 1)",
        ),
    ],
)
def test_a_constant_is_made_behind_what_it_is_made_of(
    tmp_path: Path, line: str, skip: Held, after: str, name: str, value: str
) -> None:
    text = mended(tmp_path, MODULE.format(line), skip)
    assert f"        {after}\n" in text
    assert f"        self.skip = skip\n        self.{name} = {value}\n" in text
    assert f'"""Doc."""\n\n    {name}: Final[bool]\n\n    def' in text
    assert text.startswith("from typing import Final\n")


def test_postponed_annotations_take_a_table(tmp_path: Path) -> None:
    source = "from __future__ import annotations\n" + MODULE.format("if self.skip:")
    text = mended(tmp_path, source, held("3", "0"), line=12)
    assert '    __constants__ = ["_has_skip"]\n' in text and "Final" not in text
