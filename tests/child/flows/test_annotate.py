"""The whole program as processes: unchanged sources, annotations that it writes, and errors of the user."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import drafted
import pytest

SPEC = "import torch\n\nexample_inputs = [(torch.ones(2, 3), 2)]\n"


@dataclass(frozen=True)
class Ended:
    """The result of a run of the tool, with the Python sources before and after it."""

    code: int
    stdout: bytes
    stderr: str
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]

    @property
    def changed(self) -> set[str]:
        return {file for file in self.before if self.before[file] != self.after[file]}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """A project with these files, and a spec that passes a tensor and 2."""
    texts = {"pyproject.toml": "", "inputs.py": SPEC, **files}
    return drafted.write(folder, {name: text.lstrip("\n") for name, text in texts.items()})


def sources(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def run(folder: Path, *arguments: str, probe: bool = False) -> Ended:
    """Run the tool in a folder. It must never print a traceback, or change a source without verification."""
    before = sources(folder)
    given = () if "-i" in arguments else ("-i", "inputs.py")
    done = subprocess.run(
        [sys.executable, "-m", "pdt_annotate", *arguments, *given, *([] if probe else ["--no-probe"])],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        capture_output=True,
        check=False,
    )
    ended = Ended(done.returncode, done.stdout, done.stderr.decode(), before, sources(folder))
    assert "Traceback" not in ended.stderr, ended.stderr
    assert not list(folder.rglob("__pycache__"))
    return ended


# Faults: the source of model.py, the rest of the command line, and parts of the output.
FAULTS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "exits": (
        "import sys\n\ndef f(x, n):\n    sys.exit(7)\n",
        ":f --write-partial",
        ("call 1 raised: it called sys.exit(7)", "model.py:4"),
    ),
    "crashes": (
        "import os, signal\n\ndef f(x, n):\n    os.kill(os.getpid(), signal.SIGSEGV)\n",
        ":f --diff",
        ("your code crashed its process (SIGSEGV)", "model.py"),
    ),
    "never ends": (
        "import time\n\ndef f(x, n):\n    time.sleep(600)\n",
        ":f --timeout 2",
        ("did not finish within 2 s", "--timeout"),
    ),
    "differs in a held-back call": (
        """
            import torch
            import pdt_annotate

            def f(x, n):
                return x * n

            example_inputs = [
                (torch.ones(2), 2),
                pdt_annotate.Call((torch.ones(2), 2.5), name="a half", held_back=True),
            ]
        """,
        ":f -i model.py",
        ("a half", "nothing was written; -v shows "),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_user_code(name: str, tmp_path: Path) -> None:
    source, arguments, words = FAULTS[name]
    result = run(write(tmp_path, {"model.py": source}), *f"model.py{arguments}".split())
    code = 3 if name == "differs in a held-back call" else 2
    assert (result.code, result.stdout, result.changed) == (code, b"", set()), result.stderr
    assert [word for word in words if word not in result.stderr] == []


PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/net.py": """
        import os

        from torch import nn

        from .sub.helper import scale

        print("printed at import", flush=True)
        os.system("echo printed by a child")

        class Net(nn.Module):
            def times(self, x, n):
                return x * n
            def forward(self, x, n, mask=None):
                print("printed in a call")
                x = scale(self.times(x, n), n)
                return x if mask is None else x * mask

        def make_net():
            return Net()

        net = make_net()
    """,
    "pkg/sub/__init__.py": "",
    "pkg/sub/helper.py": """
        def scale(x, n):
            sizes = []
            for i in range(n):
                sizes.append(i)
            return x * len(sizes)

        def left(x):  # pdt: skip
            return x
    """,
}


def test_check_diff_write_and_once_more(tmp_path: Path) -> None:
    ours, theirs = write(tmp_path / "ours", PACKAGE), tmp_path / "theirs"
    target = "pkg.net:Net"
    check = run(ours, target, "--check", "--json", "-", probe=True)
    assert (check.code, check.changed) == (1, set())
    assert json.loads(check.stdout)["verified"] is True

    diff = run(ours, target, "--diff")
    assert (diff.code, diff.changed) == (0, set())
    assert diff.stdout.startswith(b"--- a/pkg/net.py\n")
    assert b"printed" not in re.sub(rb"^ .*\n", b"", diff.stdout, flags=re.MULTILINE)
    # The output shows only the prints of the observed run, not those of the trials.
    assert [line for line in diff.stderr.splitlines() if "printed" in line] == [
        "printed at import",
        "printed by a child",
        "printed in a call",
    ]
    shutil.copytree(ours, theirs)
    subprocess.run(["git", "init", "-q"], cwd=theirs, check=True)
    subprocess.run(["git", "apply"], input=diff.stdout, cwd=theirs, check=True)

    written = run(ours, target)
    assert (written.code, written.stdout) == (0, b""), written.stderr
    assert written.changed == {"pkg/net.py", "pkg/sub/helper.py"}
    assert written.after == sources(theirs)
    assert b"def forward(self, x: Tensor, n: int, mask: Optional[Tensor] = None):" in written.after["pkg/net.py"]
    assert b"sizes: List[int] = []" in written.after["pkg/sub/helper.py"]
    assert b"def left(x):  # pdt: skip" in written.after["pkg/sub/helper.py"]

    again = run(ours, target, "--no-cache")
    assert (again.code, again.changed) == (0, set())
    assert "nothing to annotate" in again.stderr


def test_several_targets_of_every_kind(tmp_path: Path) -> None:
    targets = ("pkg/net.py:make_net", "pkg.net:net", "pkg.net:Net.times", "pkg/sub/helper.py:scale")
    result = run(write(tmp_path, PACKAGE), *targets)
    assert result.code == 0, result.stderr
    assert result.changed == {"pkg/net.py", "pkg/sub/helper.py"}
    assert b"def times(self, x: Tensor, n: int):" in result.after["pkg/net.py"]
    assert b"def scale(x: Tensor, n: int):" in result.after["pkg/sub/helper.py"]


def test_stubs_leave_the_sources_and_carry_attributes(tmp_path: Path) -> None:
    model = """
        from __future__ import annotations

        from torch import nn

        class Table:
            def __init__(self):
                self.sizes = []
            def add(self, n):
                self.sizes.append(n)
                return len(self.sizes)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.last = None
            def forward(self, x, n=1):
                self.last = x
                return x * Table().add(n)
    """
    result = run(write(tmp_path, {"model.py": model}), "model.py:Net", "--stubs", "typings")
    assert (result.code, result.changed) == (0, set()), result.stderr
    assert "PDT036" not in result.stderr
    written = (tmp_path / "typings" / "model.pyi").read_text()
    assert "def forward(self, x: Tensor, n: int = " in written
    assert "    last: Optional[Tensor]\n" in written and "    sizes: List[int]\n" in written


HEADERS = """
    def marked(x, n):  # pdt: skip-this
        return x * n, n

    def kept(
        x,
        y,
        # pdt: skip
    ):
        return x + y

    def odd(
        x,
        n,
    ):  # type: see below
        return x * n

    def f(x, n):
        return marked(kept(x, x), n)[0]

    def g(x, n):
        return odd(x, n)
"""


def test_what_is_chosen_is_written_with_all_returns_but_those_of_skipped_functions(tmp_path: Path) -> None:
    result = run(write(tmp_path, {"model.py": HEADERS}), "model.py:f", "--returns", "all")
    assert result.code == 0, result.stderr
    after = result.after["model.py"]
    assert b"def marked(x: Tensor, n: int) -> Tuple[Tensor, int]:  # pdt: skip-this\n" in after
    assert b"def kept(\n    x,\n    y,\n    # pdt: skip\n):\n" in after
    assert b"def f(x: Tensor, n: int) -> Tensor:\n" in after
    assert "PDT033" in result.stderr and "PDT048" not in result.stderr


def test_a_header_that_the_compiler_cannot_read_is_told_of_at_its_line(tmp_path: Path) -> None:
    result = run(write(tmp_path, {"model.py": HEADERS}), "model.py:g", "--json", "out.json")
    assert (result.code, result.changed) == (3, set())
    found = json.loads((tmp_path / "out.json").read_text())
    assert not [each for each in found["annotations"] if each["slot"]["function"] == "odd"]
    line = HEADERS.strip().splitlines().index("    ):  # type: see below") + 1
    assert [(each["code"], each["line"]) for each in found["findings"]] == [("PDT048", line)]
