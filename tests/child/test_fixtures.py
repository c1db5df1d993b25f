"""Every fixture as a process: what the first run makes, by the golden files, and what a second one leaves alone."""

from __future__ import annotations

import functools
import json

import golden
import pytest

TWICE = ("gnn_edges", "lstm_namedtuple", "rnn_states", "streaming_conv", "transformer_lm", "vae")
"""Each run passes a judge who rewrites its result again; these are observed and searched again, too."""


@functools.cache
def made(name: str) -> golden.Made:
    return golden.make(name, twice=name in TWICE)


def test_no_folder_is_overlooked() -> None:
    folders = sorted(path for path in golden.FIXTURES.iterdir() if path.is_dir() and path.name != "__pycache__")
    assert [folder.name for folder in folders] == golden.names()
    assert len(folders) >= 15
    for folder in folders:
        assert {"model.py", golden.spec_of(folder)} <= {file.name for file in folder.iterdir()}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.spawned] * (name == "lstm_namedtuple")) for name in golden.names()],
)
def test_the_first_run_makes_what_is_expected(name: str) -> None:
    result, folder = made(name), golden.FIXTURES / name
    assert (result.first.code, result.first.stdout) == (0, b""), result.first.stderr
    assert result.diff.decode() == (folder / "expected.diff").read_bytes().decode()
    assert json.loads(result.json) == json.loads((folder / "expected.json").read_text())
    assert json.loads(result.json)["verified"]


@pytest.mark.parametrize("name", TWICE)
def test_a_second_run_changes_nothing(name: str) -> None:
    second = made(name).second
    assert second is not None and second.code == 0, second
    assert made(name).second_diff == b""
