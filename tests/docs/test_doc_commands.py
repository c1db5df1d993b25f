"""Command lines in README.md and docs/: each option is run once. Also workflows, hooks and editor tasks in the docs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import warm_interpreters
import workflow_command
import yaml
from outcomes import fail, make_outcome
from repository import ROOT
from tool import accept, write

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal import report
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.version import HOMEPAGE, __version__

FILES = {
    "mymodel.py": """
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, x, mask=None, depth=2):
                return x * depth if mask is None else x * mask


        def make_net():
            return Net()
        """,
    "inputs.py": """
        import torch

        from pdt_annotate import Call


        def calls():
            yield Call(args=(torch.randn(2, 3),))
            yield Call(args=(torch.randn(2, 3),), kwargs={"mask": torch.ones(2, 3)}, name="masked")
        """,
    "train.py": "import torch\n\nimport mymodel\n\nmymodel.Net()(torch.ones(2, 3))\n",
    "pyproject.toml": """
        [project]
        name = "mine"
        version = "1"

        [tool.pdt-annotate]
        returns = "needed"
        no-probe = true

        [[tool.pdt-annotate.targets]]
        target = "mymodel:Net"
        inputs = "inputs.py"
        """,
    "ci/pyproject.toml": """
        [tool.pdt-annotate]
        no-probe = true

        [[tool.pdt-annotate.targets]]
        target = "../mymodel.py:Net"
        inputs = "../inputs.py"
        """,
    ".gitignore": "__pycache__/\n",
}

ELSEWHERE = {
    r"^make (demo|test)\b": "they make an environment; CI runs them",
    r"^(\S*pip|pipx|uv|uvx) |^python3 -m venv": "it installs",
    r"^\.\./pdt-annotate/\.venv/": "make demo makes that environment",
    r"torch\.jit\.script\(mymodel\.Net\(\)\)": "it scripts what the command before has annotated",
    r"pdt-annotate model\.py:VoiceDetector": "test_pages.py runs it on the fixture",
    r"pdt-annotate captures": "tests/cli has a file for each thing that it emits",
    r"pdt-annotate run ": "tests/cli/profiles/recording runs programs of every kind",
    r"^python benchmarks/": "it takes a quarter of an hour, for the figures of the page",
    r"--python \.venv": "tests/cli/interpreters makes an environment; test_interpreter.py runs it there",
    r"--from-profile": "it drafts the inputs.py that is there; tests/cli/flows runs it where there is none",
    r"^PDT_ANNOTATE_OVERLAY=": "test_third_party.py serves one",
    r"pdt-annotate graph ": "test_captures.py draws one",
    r"--watch": "it runs until Ctrl-C; tests/cli/test_watch.py sends it",
    r"--interactive": "it asks a person; test_interactive.py answers in a terminal",
}
"""Commands that are not run here, with the reasons."""

COMMIT = "git init --quiet && git add . && git -c user.name=a -c user.email=a@b commit --quiet -m a"
CODES = {r"--check": 1, r"--against": 0, r"pdt-annotate verify": 3}
"""Exit codes other than 0, for a project without annotations."""

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FENCE = re.compile(r"^```(sh|bash|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHER_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"^ {4}((?:PDT_ANNOTATE\w*=\S+ )?(?:pdt-annotate|python|eval|git|pre-commit)\b.*)$", re.MULTILINE)
COMMENT = re.compile(r"\s{2,}#.*$")


def commands_of(text: str) -> Iterator[str]:
    for match in FENCE.finditer(text):
        lines = match[2].replace("\\\n", "").splitlines()
        yield from (COMMENT.sub("", line) for line in lines if line.strip() and not line.startswith("#"))
    for match in OURS.finditer(OTHER_FENCE.sub("", text)):
        yield COMMENT.sub("", match[1])


SHOWN = list(dict.fromkeys(command for page in PAGES for command in commands_of(page.read_text())))


def parts_of(command: str) -> set[str]:
    """The parts of a command that a run tests: for `pdt-annotate`, each option with the name of the command."""
    words = shlex.split(command)
    if words[0] != "pdt-annotate":
        return {command}
    name = next(filter(str.isalpha, words[1:2]), "")  # without a command, the first word is a target or an option
    return {name, *(f"{name} {word}" for word in words if word.startswith("-"))}


def chosen() -> Iterator[str]:
    """The commands to run. Each command tests something that the earlier ones do not."""
    tried: set[str] = set()
    for command in sorted(SHOWN, key=lambda command: -len(parts_of(command))):
        if not any(re.search(pattern, command) for pattern in ELSEWHERE) and not parts_of(command) <= tried:
            tried |= parts_of(command)
            yield command


HERE = list(chosen())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The PATH of the shell: the tool, and the programs of this environment."""
    tool = warm_interpreters.make_command(tmp_path_factory.mktemp("bin"))
    return os.pathsep.join((str(tool), os.path.dirname(sys.executable), os.environ["PATH"]))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, path: str) -> Path:
    """The project, with the profiles that the pages mention."""
    folder = write(tmp_path_factory.mktemp("original") / "project", FILES)
    done = run(f"{COMMIT}; pdt-annotate observe mymodel:Net -i inputs.py", folder, path)
    assert done.returncode == 0, done.stderr
    (folder / "ranks").mkdir()
    for name in ("net.sqlite", "ranks/0.sqlite", "ranks.sqlite", "monkeytype.sqlite3"):
        shutil.copy(folder / "pdt-profile.sqlite", folder / name)
    return folder


def run(command: str, folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    shell = ["bash", "-o", "pipefail", "-c", command]
    env = os.environ | {"PATH": path}
    return subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", HERE)
def test_a_command_that_is_shown_runs(command: str, original: Path, path: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(original, tmp_path / "project"))
    expected = next((code for pattern, code in CODES.items() if re.search(pattern, command)), 0)
    done = run(command, folder, path)
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [command for command in SHOWN if command.startswith("pdt-annotate")])
def test_a_command_that_is_shown_is_understood(command: str) -> None:
    accept(shlex.split(command)[1:])


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_what_is_left_out_is_shown(pattern: str) -> None:
    assert any(re.search(pattern, command) for command in SHOWN)


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOOKS = (ROOT / "docs" / "hooks.md").read_text()
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", HOOKS, re.MULTILINE | re.DOTALL)]
WORKFLOWS = [page for page in BLOCKS if isinstance(page, dict) and "jobs" in page]
STEPS_SHOWN = [step for page in WORKFLOWS for job in page["jobs"].values() for step in job["steps"]]
TASKS = json.loads((ROOT / "docs" / "editors" / "vscode-tasks.json").read_text())


def test_inputs_reach_the_shell_as_variables_alone() -> None:
    for step in STEPS.values():
        assert step["shell"] == "bash" and "${{" not in step["run"]
    assert set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"]))) == ACTION["inputs"].keys()


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
        step
        for step in STEPS_SHOWN
        if step.get("uses", "").startswith(f"{HOMEPAGE.removeprefix('https://github.com/')}@")
    ]
    assert ours
    for step in ours:
        assert step["uses"].endswith(f"@v{__version__}")
        given = step.get("with", {})
        assert given.keys() <= ACTION["inputs"].keys()
        accept(shlex.split(given.get("args", ACTION["inputs"]["args"]["default"])))


def test_workflows_run_commands_and_hooks_that_there_are() -> None:
    runs = [shlex.split(step["run"]) for step in STEPS_SHOWN if step.get("run", "").startswith("pdt-annotate ")]
    assert runs
    for words in runs:
        accept(words[1:])
    there_are = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert set(re.findall(r"- id: (\S+)", HOOKS)) == there_are


def matched(line: str) -> tuple[str, ...]:
    pattern = TASKS["tasks"][0]["problemMatcher"]["pattern"]
    match = re.match(pattern["regexp"], line)
    assert match, line
    return tuple(match[pattern[part]] for part in ("file", "line", "column", "code", "message"))


def test_the_matcher_reads_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert matched(r"C:\a b\net.py:3:14: PDT030 x: 1:2") == (r"C:\a b\net.py", "3", "14", "PDT030", "x: 1:2")
    assert matched("../m/größe.py:1:1: PDT090 f lacks x: Tensor")[0] == "../m/größe.py"
    monkeypatch.chdir(tmp_path)
    outcome = make_outcome(tmp_path)
    for each, code in ((outcome, "PDT090"), (fail(outcome), "PDT040")):
        text = report.render(each, Invocation(str(tmp_path), WriteBack.CHECK)).decode()
        lines = [matched(line) for line in text.splitlines() if re.match(r"model\.py:\d", line)]
        assert code in [line[3] for line in lines], text
    (task,) = TASKS["tasks"]
    assert task["command"] == "pdt-annotate"
    accept(task["args"])
