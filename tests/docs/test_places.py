"""Where people work: the GitHub Action, the workflows and hooks that docs/hooks.md shows, and an editor's matcher."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import workflow_command
import yaml
from outcomes import fail, make_outcome
from repository import ROOT
from tool import accept

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal import report
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.version import HOMEPAGE, __version__

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOOKS = (ROOT / "docs" / "hooks.md").read_text()
PAGES = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", HOOKS, re.MULTILINE | re.DOTALL)]
WORKFLOWS = [page for page in PAGES if isinstance(page, dict) and "jobs" in page]
SHOWN = [step for page in WORKFLOWS for job in page["jobs"].values() for step in job["steps"]]
TASKS = json.loads((ROOT / "docs" / "editors" / "vscode-tasks.json").read_text())


def test_a_workflow_that_the_tool_would_refuse_is_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        accept(["--chek"])


def test_inputs_reach_the_shell_as_variables_alone() -> None:
    for step in STEPS.values():
        assert step["shell"] == "bash" and "${{" not in step["run"]
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == ACTION["inputs"].keys()


def test_the_action_marks_lines_sums_up_and_keeps_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def scale(x, times, flag=None):  # pdt: ignore\n    return x * times\n")
    given = {"ARGS": "net.py:scale -a f32[2] -a 3 --check --no-probe", "SARIF": "out.sarif", "SUMMARY": "true"}
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "RUNNER_TEMP": ""}
    places = {name: str(tmp_path / file) for name, file in files.items()}
    environment = {**os.environ, **given, **places, "PYTHON": sys.executable, "TOOL": sys.executable}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS["Run pdt-annotate"]["run"]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    level, properties, _ = workflow_command.parse(done.stdout.splitlines()[0])
    assert (level, properties["file"], properties["line"]) == ("error", "net.py", "1")
    assert "net.py:1:5: PDT090" in (tmp_path / "summary").read_text()
    results = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert [(result["ruleId"], result["suppressions"]) for result in results] == [("PDT090", [])]


def test_workflows_use_the_action_as_it_is() -> None:
    ours = [
        step for step in SHOWN if step.get("uses", "").startswith(f"{HOMEPAGE.removeprefix('https://github.com/')}@")
    ]
    assert ours
    for step in ours:
        assert step["uses"].endswith(f"@v{__version__}")
        given = step.get("with", {})
        assert given.keys() <= ACTION["inputs"].keys()
        accept(shlex.split(given.get("args", ACTION["inputs"]["args"]["default"])))


def test_workflows_run_commands_that_there_are() -> None:
    runs = [shlex.split(step["run"]) for step in SHOWN if step.get("run", "").startswith("pdt-annotate ")]
    assert runs
    for words in runs:
        accept(words[1:])


def matched(line: str) -> tuple[str, ...]:
    pattern = TASKS["tasks"][0]["problemMatcher"]["pattern"]
    match = re.match(pattern["regexp"], line)
    assert match, line
    return tuple(match[pattern[part]] for part in ("file", "line", "column", "code", "message"))


def test_the_matcher_takes_any_path_apart() -> None:
    assert matched(r"C:\a b\net.py:3:14: PDT030 x: 1:2") == (r"C:\a b\net.py", "3", "14", "PDT030", "x: 1:2")
    assert matched("../m/größe.py:1:1: PDT090 f lacks x: Tensor")[0] == "../m/größe.py"


def test_the_matcher_reads_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = make_outcome(tmp_path)
    for each, code in ((outcome, "PDT090"), (fail(outcome), "PDT040")):
        text = report.render(each, Invocation(str(tmp_path), WriteBack.CHECK)).decode()
        lines = [matched(line) for line in text.splitlines() if re.match(r"model\.py:\d", line)]
        assert code in [line[3] for line in lines], text


def test_the_task_runs_a_command_that_there_is() -> None:
    (task,) = TASKS["tasks"]
    assert task["command"] == "pdt-annotate"
    accept(task["args"])
