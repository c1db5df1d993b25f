"""The section of pyproject.toml. The existing text does not change, byte for byte."""

import tomllib

import pytest

from pdt_annotate.cli.init import add_section
from pdt_annotate.values.errors import UserError

NET = {"target": "net:Net", "inputs": "inputs.py"}
PROJECT = b'# ours\n[project]\nname = "x"   # odd   spacing\nversion = "1"\n'


@pytest.mark.parametrize(
    ("before", "tables"),
    [
        (b'[[tool.pdt-annotate.targets]]\ntarget = "net:Net"\ninputs = "other.yaml"\n', [NET]),
        (b'[tool.pdt-annotate]\ntargets = [{target = ["a:b", "net:Net"]}]\n', [NET]),
        (b'tool.pdt-annotate.targets = [{target = "net:Net"}]\n', [NET]),
        (b"[tool.pdt-annotate]\n", []),
        (b"tool = {pdt-annotate = {timeout = 3}}\n", []),
    ],
)
def test_a_target_or_a_section_that_is_there_is_not_added(before: bytes, tables: list[dict[str, str]]) -> None:
    assert add_section(before, tables, "pyproject.toml") == (before, [])


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (b"[project\n", "not valid TOML"),
        (b"\xff", "not valid TOML"),
        (b"[tool.pdt-annotate]\ntargets = []\n", "cannot be added"),
        (b'[tool.pdt-annotate]\ntargets = [{target = "a:b"}]\n', "cannot be added"),
        (b"tool = {pdt-annotate = {timeout = 3}}\n", "cannot be added"),
        (b"tool = 3\n", "cannot be added"),
        (b"[tool]\npdt-annotate = 3\n", "not an array of tables"),
        (b"[tool.pdt-annotate]\ntargets = 3\n", "not an array of tables"),
        (b'[tool.pdt-annotate]\ntargets = ["net:Net"]\n', "not an array of tables"),
    ],
)
def test_refused_in_words(before: bytes, message: str) -> None:
    with pytest.raises(UserError) as refused:
        add_section(before, [NET], "pyproject.toml")
    assert message in refused.value.message and refused.value.file == "pyproject.toml"
    if "TOML" not in message:
        assert "[[tool.pdt-annotate.targets]]\ntarget = " in refused.value.hint


@pytest.mark.parametrize(
    "before",
    [
        b"",
        PROJECT,
        PROJECT.rstrip(b"\n"),
        PROJECT.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + PROJECT,
        b"[tool.pdt-annotate]\ntimeout = 30\n\n[tool.ruff]\nline-length = 120\n",
        b"tool.ruff.line-length = 120\n",
        b'[[tool.pdt-annotate.targets]]\ntarget = "a:b"\n[tool.other]\n',
        b"[[tool.pdt-annotate.targets]]\ntarget = 5\n[[tool.pdt-annotate.targets]]\ntarget = [[5]]\n",
    ],
)
def test_what_was_there_stays(before: bytes) -> None:
    after, added = add_section(before, [NET], "pyproject.toml")
    assert added == [NET]
    assert after.startswith(before)
    expected = tomllib.loads(before.decode("utf-8-sig"))
    expected.setdefault("tool", {}).setdefault("pdt-annotate", {}).setdefault("targets", []).append(NET)
    assert tomllib.loads(after.decode("utf-8-sig")) == expected
    assert (b"\r\n" in before) == (b"\r\n" in after) and after.count(b"\r\n") in (0, after.count(b"\n"))
    assert add_section(after, [NET], "pyproject.toml") == (after, [])


def test_what_is_added() -> None:
    after, _ = add_section(PROJECT, [NET], "pyproject.toml")
    assert after == PROJECT + b'\n[[tool.pdt-annotate.targets]]\ntarget = "net:Net"\ninputs = "inputs.py"\n'
    after, _ = add_section(PROJECT, [{**NET, "python": ".venv"}], "pyproject.toml")
    assert after.endswith(b'python = ".venv"\n')
    after, added = add_section(PROJECT, [], "pyproject.toml")
    assert (tomllib.loads(after.decode())["tool"], added) == ({"pdt-annotate": {}}, [])
    odd = {"target": 'models/ö "x".py:Net', "inputs": "in\\puts.py"}
    after, added = add_section(b"", [NET, odd], "pyproject.toml")
    assert added == [NET, odd]
    assert tomllib.loads(after.decode())["tool"]["pdt-annotate"]["targets"] == [NET, odd]
