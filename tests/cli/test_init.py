"""`pdt-annotate init` on the command line, and the way from a repository without annotations to one with them."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from drafted import IMPORTS, write
from repository import ROOT
from tool import run

from pdt_annotate import cli

NET = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x, mask=None, scale=1.0):
        x = self.lin(x)
        if mask is not None:
            x = x * mask
        return x * scale
"""


TEST = "import torch\nfrom net import Net\n\n\ndef test():\n    Net(4)(torch.randn(2, 4)%s)\n"


def test_from_a_clone_to_annotations(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "net.py": NET, "tests/test_net.py": TEST % ""})
    drafted = run(tmp_path, "init", "net:Net")
    assert (drafted.returncode, drafted.stdout) == (0, ""), drafted.stderr
    assert "one value is to be filled in:" in drafted.stderr
    assert drafted.stderr.endswith("then:\n    pdt-annotate net:Net -i inputs.py --diff\n")

    given = ("net:Net", "-i", "inputs.py", "--no-probe")
    blank = run(tmp_path, *given)
    assert blank.returncode == 2
    text = (tmp_path / "inputs.py").read_text()
    lines = text[: text.index('fill_in("mask")')].split("\n")
    place = f"{len(lines)}:{len(lines[-1]) + 1}"
    assert f"    inputs.py:{place}  mask\n" in drafted.stderr
    assert f"mask has no value yet\n  at inputs.py:{place}\n" in blank.stderr

    (tmp_path / "inputs.py").write_text(text.replace('fill_in("mask")', "torch.ones(2, 4)"))
    written = run(tmp_path, *given)
    assert written.returncode == 0, written.stderr
    header = "self, x: torch.Tensor, mask: Optional[torch.Tensor] = None, scale: float = 1.0"
    assert header in (tmp_path / "net.py").read_text()

    (tmp_path / "tests/test_net.py").write_text(TEST % ", mask=torch.ones(4)")
    drafted = run(tmp_path, "init", "net:Net", "-o", "known.py")
    next_command = "    pdt-annotate net:Net -i known.py --diff\n"
    assert drafted.stderr == f"wrote known.py\nevery value is known from the source; next:\n{next_command}"


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["init"], "a draft is for one target", "pdt-annotate init mymodel:Net"),
        (["init", "net:Net", "net:Net"], "a draft is for one target", "-o"),
        (["init", "net:Nat"], "does not define 'Nat'", "did you mean Net?"),
        (["init", "net:Net", "-o", "taken.py"], "taken.py already exists", "-o FILE"),
        (["init", "net:Net", "-o", "inputs.yaml"], "a draft is a Python file", "-o inputs.py"),
        (["init", "net:Net", "-o", "no/such/inputs.py"], "cannot write no/such/inputs.py", ""),
        (["init", "net:Net", "-i", "taken.py"], "-i is only possible with --config", ""),
        (["init", "--config", "net:Net", "-o", "x.py"], "-o is not possible with --config", ""),
        (["init", "--config", "net:Net", "--from-profile", "x"], "--from-profile is not possible with --config", ""),
        (["init", "net:Net", "--from-profile", "gone.sqlite"], "no such profile", "pdt-annotate run"),
        (["init", "--config", "net:Net"], "no such file of example inputs: inputs.py", "pdt-annotate init net:Net"),
        (["init", "--config", "--python", "x"], "--python is only stored with a target", "init --config TARGET"),
        (["init", "--config", "net"], "'net' does not name an object", ""),
    ],
)
def test_errors_say_what_to_do(
    arguments: list[str],
    message: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, {".git/HEAD": "", "net.py": NET, "taken.py": "mine = True\n"})
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("error: ")
    assert message in said.err and hint in said.err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "taken.py").read_text() == "mine = True\n"


def test_targets_are_added_to_pyproject_once(tmp_path: Path) -> None:
    before = '[project]\nname = "net"  # ours\n'
    write(tmp_path, {"pyproject.toml": before, "sub/net.py": NET, "sub/inputs.py": "calls = None\n"})
    done = run(tmp_path / "sub", "init", "--config", "net.py:Net", "-i", "inputs.py:calls")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("sub/net.py:Net added to ../pyproject.toml")
    after = (tmp_path / "pyproject.toml").read_text()
    assert after.startswith(before)
    entry = {"target": "sub/net.py:Net", "inputs": "sub/inputs.py:calls"}
    assert tomllib.loads(after)["tool"] == {"pdt-annotate": {"targets": [entry]}}
    again = run(tmp_path / "sub", "init", "--config", "net.py:Net")
    assert (again.returncode, again.stderr) == (0, "../pyproject.toml already has it\n")
    assert (tmp_path / "pyproject.toml").read_text() == after


def test_the_python_that_is_named_stays_named(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "sub/net.py": NET, "sub/inputs.py": ""})
    (tmp_path / "python").symlink_to(sys.executable)
    done = run(tmp_path / "sub", "init", "--config", "net.py:Net", "--python", "../python")
    assert done.returncode == 0, done.stderr
    entry = {"target": "sub/net.py:Net", "inputs": "sub/inputs.py", "python": "python"}
    assert tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"] == {"pdt-annotate": {"targets": [entry]}}
    drafted = run(tmp_path / "sub", "init", "net.py:Net", "-o", "draft.py", "--python", "../python")
    assert drafted.stderr.endswith("pdt-annotate net.py:Net -i draft.py --diff --python ../python\n")
    nowhere = run(tmp_path / "sub", "init", "--config", "net.py:Other", "--python", "gone")
    assert (nowhere.returncode, "--python: there is no gone" in nowhere.stderr) == (2, True)


def test_what_cannot_be_extended_is_left_with_the_text_to_add(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "sub/net.py": NET, "sub/inputs.py": ""})
    done = run(tmp_path / "sub", "init", "--config")
    assert done.stderr.startswith("an empty section written to the new file ../pyproject.toml")
    assert tomllib.loads((tmp_path / "pyproject.toml").read_text()) == {"tool": {"pdt-annotate": {}}}
    before = "[tool.pdt-annotate]\ntargets = []\n"
    (tmp_path / "pyproject.toml").write_text(before)
    done = run(tmp_path / "sub", "init", "--config", "net.py:Net")
    assert done.returncode == 2
    assert '  [[tool.pdt-annotate.targets]]\n  target = "sub/net.py:Net"\n  inputs = "sub/inputs.py"\n' in done.stderr
    assert (tmp_path / "pyproject.toml").read_text() == before


def test_the_page_shows_what_is_written(tmp_path: Path) -> None:
    page = (ROOT / "docs/init.md").read_text()
    files = dict(re.findall(r"<!-- init: (\S+) -->\n```python\n(.*?)```\n", page, re.DOTALL))
    expected = files.pop("inputs.py")
    write(tmp_path, {".git/HEAD": "", **files})
    done = run(tmp_path, "init", "net:Net", "-o", "-")
    assert (done.stdout, done.stderr) == (expected, "") and not (tmp_path / "inputs.py").exists()
