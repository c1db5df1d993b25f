"""README.md says what the program does: its generated parts are fresh, its commands run, its keys and codes exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import golden
import pytest
import readme

from pdt_annotate import cli, specs

TEXT = readme.README.read_text()
SCHEMA = json.loads((Path(specs.__file__).parent / "schema.json").read_text())
KEYS = (
    *SCHEMA["properties"],
    *SCHEMA["properties"]["calls"]["items"]["properties"],
    *SCHEMA["$defs"]["map"]["dependentSchemas"],
)


def test_generated_parts_are_fresh() -> None:
    assert readme.fill(TEXT) == TEXT, "run `make fixtures`"


@pytest.mark.parametrize("name", readme.PARTS)
def test_a_stale_part_is_noticed(name: str) -> None:
    stale = TEXT.replace(readme.part(name), "old\n")
    assert stale != TEXT
    assert readme.fill(stale) == TEXT


def test_the_diff_is_what_the_example_command_prints(tmp_path: Path) -> None:
    command = next(line for line in TEXT.splitlines() if line.startswith("pdt-annotate model.py:"))
    folder = golden.copy(readme.EXAMPLE.name, tmp_path)
    before = (folder / "model.py").read_bytes()
    _, target, inputs, spec, *options = shlex.split(command)
    assert (target, inputs, spec) == ((folder / "target").read_text().strip(), "-i", golden.spec_of(folder))
    done = golden.run(folder, *options)
    assert done.code == 0, done.stderr
    assert readme.part("diff") == f"```diff\n{done.stdout.decode()}```\n"
    assert (folder / "model.py").read_bytes() == before


@pytest.mark.parametrize("key", KEYS)
def test_yaml_keys_are_described(key: str) -> None:
    section = TEXT.partition("### YAML")[2].partition("\n### ")[0]
    assert re.search(rf"\b{key}\b", section)


def test_exit_codes_are_described() -> None:
    section = TEXT.partition("## Exit codes")[2].partition("\n## ")[0]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert told == {value for name, value in vars(cli).items() if name.startswith("EXIT_")}


def test_make_targets_exist() -> None:
    makefile = (readme.ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake (\w+)", TEXT):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_tree_is_what_verify_shows(tmp_path: Path) -> None:
    section = TEXT.partition("## Who is at fault")[2].partition("\n## ")[0]
    source, tree = re.findall(r"```(?:python)?\n(.*?)```\n", section, re.DOTALL)
    (tmp_path / "mymodel.py").write_text(source)
    command = [sys.executable, "-m", "pdt_annotate", "verify", "mymodel:Net", "-a", "f32[2,3]"]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert [line.rstrip() for line in done.stderr.splitlines()] == tree.splitlines()
