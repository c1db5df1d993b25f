"""What is said of errors that come from where and on what the user's code is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.values.advice import DEVICES, NO_CUDA, NOT_WHOLE, SHAPES, advise
from pdt_annotate.values.places import NO_PLACE, Place


@pytest.mark.parametrize("said", ["", "KeyError: 'x'", "ValueError: too many dimensions 'str'", "No module named "])
def test_what_says_all_gets_no_advice(said: str) -> None:
    assert advise(said, NO_PLACE) == ""


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("AssertionError: Torch not compiled with CUDA enabled", NO_CUDA),
        ("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.", NO_CUDA),
        ("Expected all tensors to be on the same device, but found at least two devices", DEVICES),
        ("Expected tensor to have one of the following scalar types: Long, Int; but got torch.FloatTensor", NOT_WHOLE),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x3)", SHAPES),
    ],
)
def test_example_inputs(said: str, hint: str) -> None:
    assert advise(said, NO_PLACE) == hint


def test_a_missing_package_is_named() -> None:
    assert advise("ModuleNotFoundError: No module named 'einops.layers'", NO_PLACE).startswith("install einops in ")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from .layers import Lin", "name it as a module of its package in {}/a: b.net:NAME"),
        ("from ..layers import Lin", "name it as a module of its package in {}: a.b.net:NAME"),
    ],
)
def test_a_relative_import_needs_a_package(line: str, hint: str, tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "net.py"
    file.parent.mkdir(parents=True)
    file.write_text(f"{line}\n")
    said = advise("attempted relative import with no known parent package", Place(str(file), 1, 1))
    assert said == hint.format(tmp_path)


def test_from_where_the_package_is_found_its_place_goes_without_saying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my-net").mkdir()
    monkeypatch.chdir(tmp_path)
    said = "attempted relative import with no known parent package"
    assert advise(said, Place("pkg/net.py", 1)) == "name it as a module of its package: pkg.net:NAME"
    assert "rename the directory" in advise(said, Place("my-net/net.py", 1))
