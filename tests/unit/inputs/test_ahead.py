"""What is told of a target before anything is imported: the words that importing it would have."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdt_annotate.inputs.ahead import check_target
from pdt_annotate.inputs.load import load_module
from pdt_annotate.inputs.resolve import look_up
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError

FILES = {
    "model.py": "class Net:\n    pass\n\n\ndef make():\n    return Net()\n",
    "hidden.py": "globals()['late'] = 1\n",
    "json.py": "f = 1\n",
    "src/inner.py": "f = 1\n",
    "pack/__init__.py": "thing = 1\n",
    "pack/part.py": "f = 1\n",
    "moving/__init__.py": "import os\n__path__.append(os.path.dirname(__file__) + '/../pack')\n",
    "spaced/deep.py": "f = 1\n",
    "spaced/out/deeper.py": "f = 1\n",
    "pack/folder/deep.py": "f = 1\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def told(text: str) -> tuple[str, str]:
    with pytest.raises(TargetError) as caught:
        check_target(parse(text), ".")
    return caught.value.message, caught.value.hint


def told_by_running(text: str) -> tuple[str, str]:
    target = parse(text)
    with pytest.raises(TargetError) as caught:
        look_up(load_module(target, "."), target.qualname)
    return caught.value.message, caught.value.hint


@pytest.mark.parametrize(
    "target",
    [
        "model:Net",
        "model:Net.forward",
        "model:__doc__",
        "model.py:make()",
        "hidden:late",
        "inner:f",
        "pack.part:f",
        "pack:part",
        "pack:thing",
        "moving.part:f",
        "spaced.deep:f",
        "spaced.missing:f",
        "spaced.out.deeper:f",
        "spaced.out.missing:f",
        "pack.folder.deep:f",
        "pack:folder",
        "torch.nn:Nothing",
        "sys:path",
        "math:nothing",
    ],
)
def test_what_is_there_or_cannot_be_told(target: str, project: Path) -> None:
    before = set(sys.modules)
    check_target(parse(target), ".")
    assert not {name for name in set(sys.modules) - before if name.partition(".")[0] in ("model", "pack", "hidden")}


@pytest.mark.parametrize(
    "target",
    [
        "missing.py:f",
        "mdoel.py:f",
        "missing:f",
        "missing.inner:f",
        "model:Nett",
        "model.py:Nett.forward",
        "model.py:zzz()",
        "json.py:ff",
        "pack.missing:f",
        "pack.thing:f",
        "pack.thing.more:f",
        "pack:thng",
        "spaced.out.deeper:g",
    ],
)
def test_what_is_wrong_is_told_in_the_same_words(target: str, project: Path) -> None:
    assert told(target) == told_by_running(target)


def test_of_another_python_only_what_is_found_on_its_path_is_told(project: Path) -> None:
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "there.py").write_text("f = 1\n")
    check_target(parse("there:f"), ".", [str(elsewhere)])
    check_target(parse("found_by_a_finder:f"), ".", [str(elsewhere)])
    with pytest.raises(TargetError, match="has no 'g'"):
        check_target(parse("there:g"), ".", [str(elsewhere)])
