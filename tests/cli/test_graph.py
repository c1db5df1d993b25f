"""`graph` from outside: what is shown, what is written, and what is refused before anything runs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tool import run, write

MODEL = """
    import torch


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x):
            return torch.relu(self.conv(x))
"""
GIVEN = ("graph", "model.py:Net", "-a", "f32[2,3,8,8]")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"model.py": MODEL})


def test_the_listing_goes_to_stdout(project: Path) -> None:
    done = run(project, *GIVEN)
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head == "model.py:Net  frozen, 2 nodes"
    assert [line.split() for line in lines] == [
        ["x", "[2,3,8,8]", "float32"],
        ["0", "conv2d", "conv.weight", "[4,3,3,3]", "[2,3,8,8]", "→", "[2,4,6,6]", "model.py:10"],
        ["1", "relu", "[2,4,6,6]", "→", "[2,4,6,6]", "model.py:10"],
        ["return", "[2,4,6,6]"],
    ]


def test_a_picture_goes_to_a_file_and_links_to_the_source_from_there(project: Path) -> None:
    done = run(project, *GIVEN, "-o", "pictures/net.svg")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    root = ET.parse(project / "pictures" / "net.svg").getroot()
    links = {each.get("href") for each in root.iter("{http://www.w3.org/2000/svg}a")}
    assert links == {"../model.py#L10"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-o net.png", "no graph is written as .png"),
        ("-o net", "--format names the format of any other"),
        ("-o model.py/net.svg", "--output cannot be written"),
        ("model.py:Other -o net.svg", "2 graphs do not go into one file"),
        ("model.py:Other --format json", "2 graphs are no one document"),
    ],
)
def test_what_will_not_do_is_told_before_anything_runs(project: Path, arguments: str, said: str) -> None:
    (project / "model.py").write_text("print('run')\n" + (project / "model.py").read_text())
    done = run(project, *GIVEN, *arguments.split())
    assert done.returncode == 2
    assert said in done.stderr and "run\n" not in done.stderr
