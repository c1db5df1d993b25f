"""Every fixture as a process: what a second run leaves alone, and what the first one makes, by the golden files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import golden
import made_ahead
import pytest

Make = Callable[[str], golden.Made]

NAMES = [
    pytest.param(name, marks=[pytest.mark.spawned] * (index % 7 == 0)) for index, name in enumerate(golden.names())
]
"""All, and some of them once more where there is no fork."""


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest) -> Iterator[Make]:
    """The result for a fixture. Those that the selected tests need are made ahead, two at a time."""
    with ThreadPoolExecutor(golden.WORKERS) as pool:
        running = {name: pool.submit(golden.make, name) for name in made_ahead.names(request, "made")}
        yield lambda name: running[name].result()
        pool.shutdown(cancel_futures=True)


def test_no_folder_is_overlooked() -> None:
    folders = sorted(path for path in golden.FIXTURES.iterdir() if path.is_dir() and path.name != "__pycache__")
    assert [folder.name for folder in folders] == golden.names()
    assert len(folders) >= 15
    for folder in folders:
        assert {"model.py", golden.spec_of(folder)} <= {file.name for file in folder.iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_a_second_run_changes_nothing(name: str, made: Make) -> None:
    result = made(name)
    assert result.first.code == 0, result.first.stderr
    assert result.second.code == 0, result.second.stderr
    assert result.second_diff == b""


@pytest.mark.parametrize("name", NAMES)
def test_the_first_run_makes_what_is_expected(name: str, made: Make) -> None:
    result, folder = made(name), golden.FIXTURES / name
    assert result.first.code == 0, result.first.stderr
    assert result.first.stdout == b""
    assert result.diff.decode() == (folder / "expected.diff").read_bytes().decode()
    assert json.loads(result.json) == json.loads((folder / "expected.json").read_text())
    assert json.loads(result.json)["verified"]
