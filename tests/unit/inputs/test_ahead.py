"""What is told of a target before anything is imported: the words that importing it would have."""

from __future__ import annotations

import sys
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


@pytest.fixture(autouse=True)
def write(project: Path) -> None:
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)


def told(text: str, *, is_run: bool = False) -> tuple[str, str]:
    target = parse(text)
    with pytest.raises(TargetError) as caught:
        if is_run:
            look_up(load_module(target, "."), target.qualname)
        else:
            check_target(target, ".")
    return caught.value.message, caught.value.hint


FINE = """
    model:Net model:Net.forward model:__doc__ model.py:make() hidden:late inner:f pack.part:f pack:part
    pack:thing moving.part:f spaced.deep:f spaced.missing:f spaced.out.deeper:f spaced.out.missing:f
    pack.folder.deep:f pack:folder torch.nn:Nothing sys:path math:nothing
"""


@pytest.mark.parametrize("target", FINE.split())
def test_what_is_there_or_cannot_be_told(target: str) -> None:
    before = set(sys.modules)
    check_target(parse(target), ".")
    assert not {name for name in set(sys.modules) - before if name.partition(".")[0] in ("model", "pack", "hidden")}


WRONG = """
    missing.py:f mdoel.py:f missing:f missing.inner:f model:Nett model.py:Nett.forward model.py:zzz()
    json.py:ff pack.missing:f pack.thing:f pack.thing.more:f pack:thng spaced.out.deeper:g
"""


@pytest.mark.parametrize("target", WRONG.split())
def test_what_is_wrong_is_told_in_the_same_words(target: str) -> None:
    assert told(target) == told(target, is_run=True)


def test_of_another_python_only_what_is_found_on_its_path_is_told(project: Path) -> None:
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "there.py").write_text("f = 1\n")
    check_target(parse("there:f"), ".", [str(elsewhere)])
    check_target(parse("found_by_a_finder:f"), ".", [str(elsewhere)])
    with pytest.raises(TargetError, match="has no 'g'"):
        check_target(parse("there:g"), ".", [str(elsewhere)])
