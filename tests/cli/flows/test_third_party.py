"""Third-party code, end to end: an unannotated package in a separate site-packages, and a project that uses it."""

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from kept_overlay_programs import Ended, install, run, snapshot
from repository import ROOT
from tool import write

from pdt_annotate.overlays import manifest

PACKAGE = {
    "acme/__init__.py": "from acme.nn.blocks import Block\n",
    "acme/functional.py": """
        def scale(x, factor, bias=None):
            y = x * factor
            return y if bias is None else y + bias

        def join(path, mode):
            return path + mode

        def first(x, sizes):
            return x[:, : sizes[0]]
    """,
    "acme/nn/__init__.py": "",
    "acme/nn/blocks.py": """
        from torch import nn

        from ..functional import join, scale

        class Block(nn.Module):
            label = join("a", "b")
            def forward(self, x, repeats, mask=None):
                x = scale(x, repeats)
                return x if mask is None else x.masked_fill(mask, 0.0)
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
                self.block = Block()
            def forward(self, x, n, mask=None):
                return first(self.block(x, n, mask), [n, 2])
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
    """A virtual environment with torch and pdt-annotate, whose site-packages contains the package."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    write(site, {"shared.pth": f"{ROOT}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n"})
    shutil.copy(ROOT / "pdt_annotate_overlay.pth", site)
    return install(site, "acme-layers", "1.2", PACKAGE)


def annotate(site: Path, project: Path, *options: str, **more: str) -> Ended:
    """Run the tool, and check that the packages do not change."""
    before = snapshot(site)
    arguments = ["-m", "pdt_annotate", "userproj:Net", "-i", "inputs.py", *options]
    ended = run("-q", arguments=arguments, python=site.parents[2] / "bin/python", cwd=project, **more)
    assert snapshot(site) == before
    return ended


def sources(project: Path) -> dict[str, str]:
    """The digest of every file except bytecode."""
    return {file: digest for file, digest in snapshot(project).items() if not file.endswith(".pyc")}


@pytest.fixture(scope="module")
def kept(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The annotated project, with the overlay in `typed`."""
    project = write(tmp_path_factory.mktemp("kept"), PROJECT)
    ended = annotate(environment, project, "--overlay", "typed", "--json", "found.json")
    assert ended.code == 0, ended.stderr
    yield project


def test_by_default_it_is_left_and_the_finding_says_what_else_there_is(environment: Path, tmp_path: Path) -> None:
    project = write(tmp_path / "project", PROJECT)
    before = sources(project)
    ended = annotate(environment, project, "--json", "-")
    assert ended.code == 3 and sources(project) == before
    found = json.loads(ended.stdout)
    messages = [f["message"] for f in found["findings"] if f["code"] == "PDT081"]
    assert "Block.forward of acme.nn.blocks is compiled" in messages
    assert "overlaid" not in found


def test_an_overlay_is_kept_beside_the_annotated_source(environment: Path, kept: Path) -> None:
    assert "def forward(self, x: " in (kept / "userproj/model.py").read_text()
    entries = manifest.load(str(kept / "typed"))
    assert {(e.path, e.package) for e in entries.values()} == {
        ("acme/functional.py", "acme-layers 1.2"),
        ("acme/nn/blocks.py", "acme-layers 1.2"),
    }
    copy = (kept / "typed/acme/functional.py").read_text()
    assert "def scale(x: Tensor, factor: int, bias: Optional[Tensor] = None):" in copy
    assert "def join(path, mode):" in copy
    found = json.loads((kept / "found.json").read_text())
    assert not [each for each in found["findings"] if each["code"].startswith("PDT08")]
    assert found["overlaid"] == [
        {"module": "acme.functional", "file": "acme/functional.py", "functions": ["first", "scale"]},
        {"module": "acme.nn.blocks", "file": "acme/nn/blocks.py", "functions": ["Block.forward"]},
    ]


def test_it_is_served_by_the_environment_alone(environment: Path, kept: Path) -> None:
    before = snapshot(environment)
    ended = run(SCRIPT, python=environment.parents[2] / "bin/python", cwd=kept, PDT_ANNOTATE_OVERLAY="typed")
    assert ended.code == 0, ended.stderr
    assert ended.stdout.strip() == SCHEMA
    changed = {file for file, digest in snapshot(environment).items() if before.get(file) != digest}
    assert not [file for file in changed if not file.endswith(".pyc") or "functional" in file or "blocks" in file]


def test_a_second_run_changes_nothing_also_while_it_is_served(environment: Path, kept: Path) -> None:
    before = sources(kept)
    ended = annotate(environment, kept, "--overlay", "typed", PDT_ANNOTATE_OVERLAY="typed")
    assert ended.code == 0, ended.stderr
    assert sources(kept) == before
