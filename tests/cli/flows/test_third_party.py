"""Third-party code, end to end: an un-annotated package in a site-packages of its own, and a project that uses it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_overlay_programs import Ended, install, run, snapshot
from repository import ROOT
from tool import write

from pdt_annotate.flows.review import review_third_party
from pdt_annotate.overlays import manifest
from pdt_annotate.settings.options import Options
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.outcome import FileChange, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Owner

PACKAGE = {
    "acme/__init__.py": "from acme.nn.blocks import Block\nimport acme.unread\n",
    "acme/functional.py": """
        def scale(x, factor, bias=None):
            y = x * factor
            return y if bias is None else y + bias


        def join(path, mode):
            return path + mode


        def first(x, sizes):
            return x[:, : sizes[0]]
    """,
    "acme/unread.py": "def unread(a, b=3):\n    return a\n",
    "acme/nn/__init__.py": "",
    "acme/nn/blocks.py": """
        from torch import nn

        from ..functional import join, scale


        class Block(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.linear = nn.Linear(dim, dim)
                self.label = join("a", "b")

            def forward(self, x, repeats, mask=None):
                for _ in range(repeats):
                    x = scale(self.linear(x), 2)
                if mask is not None:
                    x = x.masked_fill(mask, 0.0)
                return x
    """,
}

PROJECT = {
    "pyproject.toml": "[tool.pdt-annotate]\nno-probe = true\n",
    "userproj/__init__.py": "from userproj.model import Net\n",
    "userproj/model.py": """
        from acme import Block
        from acme.functional import first
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block(4)

            def forward(self, x, n, mask=None):
                x = self.block(x, n, mask)
                return first(x, [n, 2])
    """,
    "inputs.py": """
        import torch

        example_inputs = [(torch.ones(2, 4), 2), (torch.ones(2, 4), 1, torch.zeros(2, 4, dtype=torch.bool))]
    """,
}

SCRIPT = """
import torch, userproj

net = userproj.Net()
scripted = torch.jit.script(net)
x, mask = torch.ones(2, 4), torch.zeros(2, 4, dtype=torch.bool)
assert all(torch.equal(scripted(*call), net(*call)) for call in [(x, 3), (x, 1, mask)])
print(scripted.forward.schema)
"""
SCHEMA = "forward(__torch__.userproj.model.Net self, Tensor x, int n, Tensor? mask=None) -> Tensor"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with torch and pdt-annotate, and the package in its own site-packages."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    write(site, {"shared.pth": f"{ROOT}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n"})
    shutil.copy(ROOT / "pdt_annotate_overlay.pth", site)
    return install(site, "acme-layers", "1.2", PACKAGE)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", PROJECT)


def python(site: Path, project: Path, source: str, **environment: Any) -> Ended:
    return run(source, python=site.parents[2] / "bin/python", cwd=project, **environment)


def annotate(site: Path, project: Path, *options: str) -> Ended:
    """Run the tool; the packages are never touched."""
    before = snapshot(site)
    arguments = ["-m", "pdt_annotate", "userproj:Net", "-i", "inputs.py", *options]
    ended = run("-q", arguments=arguments, python=site.parents[2] / "bin/python", cwd=project)
    assert snapshot(site) == before
    return ended


def sources(project: Path) -> dict[str, str]:
    """The digest of every file but cached bytecode."""
    return {file: digest for file, digest in snapshot(project).items() if not file.endswith(".pyc")}


@pytest.fixture(scope="module")
def kept(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project once it is annotated, with the overlay in `typed`."""
    project = write(tmp_path_factory.mktemp("kept"), PROJECT)
    ended = annotate(environment, project, "--overlay", "typed", "--json", "found.json")
    assert ended.code == 0, ended.stderr
    yield project


class TestLeave:
    def test_is_the_default_and_the_finding_says_what_else_there_is(self, environment: Path, project: Path) -> None:
        before = sources(project)
        ended = annotate(environment, project, "--json", "-")
        assert ended.code == 3 and sources(project) == before
        found = json.loads(ended.stdout)
        messages = [f["message"] for f in found["findings"] if f["code"] == "PDT081"]
        assert "Block.forward of acme.nn.blocks is compiled" in messages
        assert "overlaid" not in found


class TestOverlay:
    def test_a_dry_run_shows_the_project_s_own_changes_and_lists_the_others(
        self, environment: Path, project: Path
    ) -> None:
        before = sources(project)
        ended = annotate(environment, project, "--third-party", "overlay", "--diff", "--json", "../found.json")
        assert ended.code == 0, ended.stderr
        assert sources(project) == before
        assert ended.stdout.count("+++ ") == 1 and "+++ b/userproj/model.py" in ended.stdout
        found = json.loads((project.parent / "found.json").read_text())
        assert found["overlaid"] == [
            {"module": "acme.functional", "file": "acme/functional.py", "functions": ["first", "scale"]},
            {"module": "acme.nn.blocks", "file": "acme/nn/blocks.py", "functions": ["Block.forward"]},
        ]
        assert sorted(f["message"] for f in found["findings"] if f["code"] == "PDT080") == [
            "Block.forward of acme.nn.blocks had to be typed",
            "first of acme.functional had to be typed",
            "scale of acme.functional had to be typed",
        ]

    def test_is_kept_beside_the_annotated_source(self, environment: Path, kept: Path) -> None:
        assert "def forward(self, x: " in (kept / "userproj/model.py").read_text()
        entries = manifest.load(str(kept / "typed"))
        assert {(e.path, e.package) for e in entries.values()} == {
            ("acme/functional.py", "acme-layers 1.2"),
            ("acme/nn/blocks.py", "acme-layers 1.2"),
        }
        copy = (kept / "typed/acme/functional.py").read_text()
        assert "def scale(x: Tensor, factor: int, bias: Optional[Tensor] = None):" in copy
        assert "def join(path, mode):" in copy
        findings = json.loads((kept / "found.json").read_text())["findings"]
        assert not [each for each in findings if each["code"].startswith("PDT08")]

    def test_without_it_the_result_does_not_script(self, environment: Path, kept: Path) -> None:
        assert python(environment, kept, SCRIPT).code == 1

    def test_is_served_by_the_environment_alone(self, environment: Path, kept: Path) -> None:
        before = snapshot(environment)
        ended = python(environment, kept, SCRIPT, PDT_ANNOTATE_OVERLAY="typed")
        assert ended.code == 0, ended.stderr
        assert ended.stdout.strip() == SCHEMA
        changed = {file for file, digest in snapshot(environment).items() if before.get(file) != digest}
        assert not [file for file in changed if not file.endswith(".pyc") or "functional" in file or "blocks" in file]

    def test_is_served_by_a_call(self, environment: Path, kept: Path) -> None:
        ended = python(environment, kept, f"import pdt_annotate\npdt_annotate.overlay('typed')\n{SCRIPT}")
        assert ended.code == 0, ended.stderr
        assert ended.stdout.strip() == SCHEMA

    def test_a_second_run_changes_nothing_also_while_it_is_served(self, environment: Path, kept: Path) -> None:
        before = sources(kept)
        command = ["-m", "pdt_annotate", "userproj:Net", "-i", "inputs.py", "--overlay", "typed"]
        interpreter = environment.parents[2] / "bin/python"
        ended = run("-q", arguments=command, python=interpreter, cwd=kept, PDT_ANNOTATE_OVERLAY="typed")
        assert ended.code == 0, ended.stderr
        assert sources(kept) == before

    def test_what_is_served_needs_no_typing(self, environment: Path, kept: Path) -> None:
        command = ["-m", "pdt_annotate", "verify", "userproj:Net", "-i", "inputs.py"]
        interpreter = environment.parents[2] / "bin/python"
        ended = run("-q", arguments=command, python=interpreter, cwd=kept, PDT_ANNOTATE_OVERLAY="typed")
        assert ended.code == 0, ended.stderr


def test_a_function_that_is_mended_alone_is_told_too(tmp_path: Path) -> None:
    file = "/site/pkg/mod.py"
    mends = [Mend("a", MendKind.EXACT, Owner(each, "f", 3), Place(each, 4), "does", {}) for each in (file, "/own.py")]
    options = Options((Target("m:f", "m", "", "f"),), SpecSource(), str(tmp_path))
    overlaid = [Overlaid("pkg.mod", FileChange(file, b"", b"x"))]
    found = list(review_third_party(options, overlaid, [], mends))
    assert [(f.message, f.place.file, f.place.line) for f in found] == [("f of pkg.mod had to be mended", file, 3)]
