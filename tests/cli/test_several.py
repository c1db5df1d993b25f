"""Configured targets on the command line: three small ones. Two of them share a file, and one fails."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from repository import ROOT
from tool import run, write

from pdt_annotate import cli, profiles
from pdt_annotate.flows import against
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.verdicts import AS_BEFORE, Failure, Verdict

FILES = {
    "lib/blocks.py": """
        def attend(x, mask=None):
            return x if mask is None else x * mask


        def scale(x, k):
            return x * k
        """,
    "plain.py": "from lib.blocks import attend\n\n\ndef plain(x, n):\n    return attend(x, None) * n\n",
    "masked.py": "from lib.blocks import attend, scale\n\n\ndef masked(x, m):\n    return scale(attend(x, m), 2)\n",
    "broken.py": "def f(x):\n    print('about to fail')\n    raise ValueError('no')\n",
    "sub/empty": "",
    "pyproject.toml": """\
[tool.pdt-annotate]
required-version = ">=0"
no-probe = true
jobs = 3

[[tool.pdt-annotate.targets]]
target = "plain:plain"
arg = ["f32[2]", "3"]

[[tool.pdt-annotate.targets]]
target = "broken.py:f"
arg = "f32[2]"

[[tool.pdt-annotate.targets]]
target = "masked.py:masked"
arg = ["f32[2]", "f32[2]"]
""",
}

ENTRY = '[[tool.pdt-annotate.targets]]\ntarget = "%s.py:f"\narg = "f32[2]"\n'
TWO = f"[tool.pdt-annotate]\nno-probe = true\nbaseline = 'ci/known.json'\n{ENTRY % 'one'}{ENTRY % 'two'}"
FUNCTION = "def f(x, mask=None):\n    return x\n"

ATTEND = "def attend(x: Tensor, mask: Optional[Tensor] = None):"
FAILED = "broken.py:f\nabout to fail\nerror: call 1 raised: ValueError: no\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_several_targets_are_compared_with_their_earlier_source(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def verify_against(options: Options, zygote: object, progress: object) -> Outcome:
        failure = Failure(f"{options.name} differs from {options.against}")
        return Outcome(options.targets, options.root, verdicts=(Verdict(AS_BEFORE, False, failure),))

    monkeypatch.chdir(project)
    monkeypatch.setattr(against, "verify_against", verify_against)
    assert cli.main(["verify", "--against", "lib"]) == 3
    said = capsys.readouterr().err
    for name in ("plain:plain", "broken.py:f", "masked.py:masked"):
        assert f"{name} differs from lib" in said


def configure(project: Path, old: str, new: str) -> None:
    file = project / "pyproject.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_a_target_sees_what_those_before_it_wrote(project: Path) -> None:
    shown = run(project, "--diff")
    assert shown.returncode == 2, shown.stderr
    assert (project / "plain.py").read_text() == FILES["plain.py"]
    assert "note: the diff has changes of lib/blocks.py for several targets" in shown.stderr
    assert shown.stdout.count("+++ b/lib/blocks.py") == 2

    written = run(project)
    assert written.returncode == 2, written.stderr
    plain, failed, masked = written.stderr.split("== ")[1:]
    assert plain.startswith("plain:plain\n")
    assert failed.startswith(FAILED)
    assert masked.startswith("masked.py:masked\n")
    assert masked.endswith("\n3 targets: 1 at fault, 2 done\n")
    assert ATTEND in (project / "lib/blocks.py").read_text()
    assert "Tensor" in (project / "masked.py").read_text() and "note:" not in written.stderr


def test_observe_saves_one_profile_and_verify_judges_each(project: Path) -> None:
    seen = run(project, "observe")
    assert seen.returncode == 2
    assert seen.stderr.count("; saved in pdt-profile.sqlite") == 2
    labels = {each.label for each in profiles.load([str(project / "pdt-profile.sqlite")]).recordings}
    assert labels == {"plain:plain", "masked.py:masked"}
    judged = run(project, "verify", "-j", "2")
    assert judged.returncode == 3
    assert judged.stderr.count("-v shows ") >= 2


def test_an_interrupt_says_what_was_written_before(project: Path) -> None:
    source = "import pathlib, time\n\n\ndef f(x):\n    pathlib.Path('begun').touch()\n    time.sleep(600)\n"
    (project / "broken.py").write_text(source)
    command, env = [sys.executable, "-m", "pdt_annotate", "-q"], os.environ | {"PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=project, env=env, stdout=pipe, stderr=pipe, text=True)
    while not (project / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "\nerror: interrupted; lib/blocks.py, plain.py were written\n")
    assert (project / "masked.py").read_text() == FILES["masked.py"]


def test_a_baseline_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": TWO, "ci/empty": "", "one.py": FUNCTION, "two.py": FUNCTION})
    lacking = run(tmp_path, "--check")
    assert lacking.returncode == 2 and "--update-baseline writes a baseline" in lacking.stderr
    first = run(tmp_path, "--check", "--update-baseline")
    assert first.returncode == 1 and "known.json: 2 findings hidden from now on" in first.stderr
    known = json.loads((tmp_path / "ci" / "known.json").read_text())["findings"]
    assert [each["file"] for each in known] == ["../one.py", "../two.py"]


EMPTY = {FILES["pyproject.toml"]: "[project]\nname = 'x'\n"}
NO_TARGET = "error: no target\n  hint: name what to annotate|init --config"


def test_settings_are_shown(project: Path) -> None:
    done = run(project / "sub", "--show-settings", "--check", PDT_ANNOTATE_TIMEOUT="7")
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "plain.py").read_text() == FILES["plain.py"]
    tool = tomllib.loads(done.stdout)["tool"]["pdt-annotate"]
    assert tool["jobs"] == 3
    assert [entry["target"] for entry in tool["targets"]] == ["plain:plain", "broken.py:f", "masked.py:masked"]
    assert {(entry["timeout"], entry["check"]) for entry in tool["targets"]} == {(7.0, True)}
    for origin in ("# ../pyproject.toml:7", "# PDT_ANNOTATE_TIMEOUT", "# command line", "# default"):
        assert origin in done.stdout


@pytest.mark.parametrize(
    ("edit", "arguments", "said"),
    [
        *((EMPTY, words, NO_TARGET) for words in ("--check", "verify", "--isolated")),
        ({'plain:plain"': 'plain:plain"\ndiff = true', '[2]"\n': '[2]"\njson = "-"\n'}, "", "--diff and --json - both"),
    ],
)
def test_mistakes_are_reported(edit: dict[str, str], arguments: str, said: str, project: Path) -> None:
    for old, new in edit.items():
        configure(project, old, new)
    done = run(project, *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and all(part in done.stderr for part in said.split("|")), done.stderr
