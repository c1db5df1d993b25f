"""Every fixture as a process, compared with its golden files; a second run; and linters."""

import json
from pathlib import Path

import golden
import lint
import pytest

TWICE = ("lstm_namedtuple", "streaming_conv")
"""A judge in each run rewrites its result again. For these fixtures, a second run also observes and searches again."""


def test_no_folder_is_overlooked() -> None:
    folders = sorted(path for path in golden.FIXTURES.iterdir() if path.is_dir() and path.name != "__pycache__")
    assert [folder.name for folder in folders] == golden.names()
    assert len(folders) >= 15
    for folder in folders:
        assert {"model.py", golden.spec_of(folder)} <= {file.name for file in folder.iterdir()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.spawned] * (name == "lstm_namedtuple")) for name in golden.names()]
)
def test_the_first_run_makes_what_is_expected_and_a_second_one_nothing(name: str) -> None:
    result, folder = golden.make(name, twice=name in TWICE), golden.FIXTURES / name
    assert (result.first.code, result.first.stdout) == (0, b""), result.first.stderr
    assert result.diff.decode() == (folder / "expected.diff").read_bytes().decode()
    assert json.loads(result.json) == json.loads((folder / "expected.json").read_text())
    assert json.loads(result.json)["verified"]
    assert [each.code for each in [result.second] if each] == [0] * (name in TWICE)
    assert result.second_diff == b""


@pytest.mark.parametrize(("which", "without"), [(2, "ruff format"), (3, "black")])  # these two formatters almost agree
def test_the_rewrite_gives_no_tool_anything_new_to_say(which: int, without: str, tmp_path: Path) -> None:
    found = lint.measure(lint.CONFIGURATIONS[which], tmp_path, without)
    assert found == {tool: [] for tool in lint.CONFIGURATIONS[which].tools if tool != without}
    assert list(tmp_path.glob("*/model.py"))


def test_each_tool_is_heard(tmp_path: Path) -> None:
    """A tool that does not run, or whose output is misread, would report no errors either."""
    (tmp_path / "model.py").write_text("import b\nimport a\nx = {'a':1}\n")
    assert all(lint.complaints(lint.CONFIGURATIONS[0], tmp_path).values())
