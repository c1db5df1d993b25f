"""Targets before any import: error messages and suggestions; and the placeholder of drafts."""

import inspect
import pickle
import sys
from pathlib import Path

import pytest
from drafted import write

import pdt_annotate
from pdt_annotate.inputs.import_target import check_target, load_module
from pdt_annotate.inputs.resolve import look_up
from pdt_annotate.inputs.specs.spec import fill_in
from pdt_annotate.inputs.target import find_model, names_in, near_targets, parse, places
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.slots import Place

FILES = {
    **{"model.py": "class Net:\n    pass\n\n\ndef make():\n    return Net()\n", "hidden.py": "globals()['late'] = 1\n"},
    **{"json.py": "f = 1\n", "src/inner.py": "f = 1\n", "pack/__init__.py": "thing = 1\n", "pack/part.py": "f = 1\n"},
    "moving/__init__.py": "import os\n__path__.append(os.path.dirname(__file__) + '/../pack')\n",
    **{"spaced/deep.py": "f = 1\n", "spaced/out/deeper.py": "f = 1\n", "pack/folder/deep.py": "f = 1\n"},
}


@pytest.fixture
def files(project: Path) -> Path:
    return write(project, FILES)


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
def test_what_is_there_or_cannot_be_known(target: str, files: Path) -> None:
    before = set(sys.modules)
    check_target(parse(target), ".")
    assert not {name for name in set(sys.modules) - before if name.partition(".")[0] in ("model", "pack", "hidden")}


WRONG = """
    missing.py:f mdoel.py:f missing:f missing.inner:f model:Nett model.py:Nett.forward model.py:zzz()
    json.py:ff pack.missing:f pack.thing:f pack.thing.more:f pack:thng spaced.out.deeper:g
"""


@pytest.mark.parametrize("target", WRONG.split())
def test_what_is_wrong_is_said_in_the_words_that_importing_it_has(target: str, files: Path) -> None:
    assert told(target) == told(target, is_run=True)


def test_of_another_python_only_what_is_found_on_its_path_is_said(files: Path) -> None:
    elsewhere = [str(write(files / "elsewhere", {"there.py": "f = 1\n"}))]
    check_target(parse("there:f"), ".", elsewhere)
    check_target(parse("found_by_a_finder:f"), ".", elsewhere)
    with pytest.raises(TargetError, match="has no 'g'"):
        check_target(parse("there:g"), ".", elsewhere)


def test_the_placeholder_stops_and_names_its_place_and_an_example() -> None:
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(SpecError) as stopped:
        ("äö", fill_in("mask"))
    error = stopped.value
    assert error.place == Place(__file__, line, 16)
    assert error.message == "mask has no value yet"
    assert "such as torch.randn(2, 3)" in error.hint
    assert pickle.loads(pickle.dumps(error)).line == line
    with pytest.raises(SpecError) as stopped:
        fill_in("width", "16")
    assert stopped.value.hint.endswith("such as 16")
    assert pdt_annotate.fill_in is fill_in
    assert "fill_in" in pdt_annotate.__all__


def test_modules_and_files_that_could_be_named(tmp_path: Path) -> None:
    hidden = ("notes.txt", ".hidden/model.py", "__pycache__/model.py", "env/lib/model.py", "env/pyvenv.cfg")
    write(tmp_path, dict.fromkeys(hidden, ""))
    assert list(places(tmp_path)) == []
    files = ("model.py", "with-dash.py", "pkg/__init__.py", "pkg/net.py", "src/inner/deep.py")
    found = set(places(write(tmp_path, dict.fromkeys(files, ""))))
    assert {"model", "pkg", "pkg.net", "inner.deep", "model.py", "with-dash.py", "src/inner/deep.py"} <= found
    assert "with-dash" not in found
    write(tmp_path, {"src/inner/deep.py": "class Odd:\n    pass\nclass Net(nn.Module):\n    pass\n"})
    assert find_model(tmp_path) == "inner.deep:Net" and near_targets("Odd", tmp_path) == ["inner.deep:Odd"]


def test_names_in_a_module_or_file(tmp_path: Path) -> None:
    source = "X = 1\nclass Net:\n    def __init__(self): pass\n    def forward(self): pass\n\nasync def go(): pass\n"
    write(tmp_path, {"model.py": source, "broken.py": "def (", "odd.py": "\0"})
    for place in ("model", "model.py"):
        assert list(names_in(place, tmp_path)) == ["Net", "Net.forward", "go"]
    assert near_targets("model.Net.forward", tmp_path) == ["model:Net.forward"]
    assert [list(names_in(place, tmp_path)) for place in ("broken", "odd", "missing")] == [[], [], []]
