"""Code that was typed into a session: its kinds, and that `script()` treats it like code of a file."""

import inspect
import itertools
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import pdt_annotate
from pdt_annotate import PdtWarning, annotated_source
from pdt_annotate.errors import TargetError, UserCodeError, VerificationError
from pdt_annotate.observers.cells import cell_of_class, file_of_class, is_cell, kept_source, know_cells

NUMBERS = itertools.count()
X = torch.ones(2)
script = partial(pdt_annotate.script, probe=False)

Run = Callable[[str], str]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A `__main__` without a file, as a notebook's is."""
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.chdir(tmp_path)
    before = dict(linecache.cache)
    yield main
    linecache.cache.clear()
    linecache.cache.update(before)


@pytest.fixture
def run(request: pytest.FixtureRequest, session: ModuleType) -> Run:
    """Runs a cell, and returns its file name: by default, the one at the prompt since Python 3.13."""
    name = getattr(request, "param", "<python-input-{}>")
    return lambda text: run_cell(session, text, name.format(next(NUMBERS)))


in_every_session = pytest.mark.parametrize(
    "run", ["/tmp/ipykernel_7/{}.py", "<ipython-input-{}-c0ffee>", "<python-input-{}>"], indirect=True
)


def run_cell(session: ModuleType, text: str, name: str) -> str:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), vars(session))
    return name


SETUP = "import torch\nfrom torch import nn\n"
HELPER = "def helper(x, n):\n    out = []\n    for i in range(n):\n        out.append(x)\n    return out[0]\n"
NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, x, n, mask=None):
        self.state = x
        y = helper(x, n)
        return y if mask is None else y * mask

    def decode(self, x, times):
        return x * times
"""
POINT = "from typing import NamedTuple\nclass Point(NamedTuple):\n    x: int\n    y: float\n"


def test_what_is_no_cell(session: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(HELPER)
    run_cell(session, HELPER, str(file))
    run_cell(session, "a = 1", "<magic>")
    linecache.cache["<no python>"] = (4, None, ["def (\n"], "<no python>")
    linecache.cache["<lazy>"] = (lambda: HELPER,)
    names = (str(file), "<no python>", "<lazy>", "<unknown>")
    assert [kept_source(name) for name in names] == [b""] * 4
    assert know_cells([torch.nn.Linear(1, 1), inspect.getsource, 3]) == {}
    assert not any(map(is_cell, (*names, "<magic>")))
    assert file_of_class(torch.nn.Linear) == inspect.getfile(torch.nn.Linear)
    assert cell_of_class(Path) == ""
    run_cell(session, "def __init__(self, x):\n    self.x = x\n", "<generated init>")
    vars(session)["Made"] = type("Made", (), {"__init__": vars(session).pop("__init__"), "__module__": "__main__"})
    assert know_cells([]) == {}


@in_every_session
def test_a_model_and_its_helpers_in_other_cells_which_stay_as_they_were(session: ModuleType, run: Run) -> None:
    for text in (SETUP, HELPER, NET):
        run(text)
    net = session.Net()
    states = []
    for _ in range(2):
        scripted = script(net, {net: [(X, 2), (X, 2, X)], net.decode: [(X, 2)]})
        assert str(scripted.forward.schema).endswith("Tensor x, int n, Tensor? mask=None) -> Tensor")
        assert torch.equal(scripted(X, 3, X * 2), X * 2) and torch.equal(scripted.decode(X, 4), X * 4)
        kept = dict(vars(session)), dict(linecache.cache), dict(session.Net.__annotations__), inspect.getfile
        states.append(kept)
    assert states[0] == states[1] and session.helper.__annotations__ == {}


@in_every_session
def test_what_was_typed_is_shown_annotated(session: ModuleType, run: Run) -> None:
    run(SETUP)
    helper, model = run(HELPER), run(NET)
    shown = annotated_source(session.Net(), [(X, 2), (X, 2, X)])
    annotated = NET.replace("x, n, mask=None", "x: Tensor, n: int, mask: Optional[Tensor] = None")
    start = "self.state: Optional[Tensor] = None"
    imports = "from typing import Optional\nfrom torch import Tensor"
    assert f"# {helper}\nfrom torch import Tensor\n\n\n{HELPER.replace('x, n', 'x: Tensor, n: int')}" in shown
    assert f"# {model}\n{imports}\n\n\n" in shown and shown.endswith("return x * times")
    assert annotated.partition("    def forward")[2].rstrip() in shown and start not in shown


def test_classes_of_other_cells(session: ModuleType, run: Run) -> None:
    run(POINT)
    run("import enum\nclass Mode(enum.Enum):\n    SUM = 1\n    MEAN = 2\n")
    run("class Box:\n    def __init__(self, low, high):\n        self.low, self.high = low, high\n\n")
    run("def use(p, x, mode):\n    box = Box(p.x, 3)\n    return x * p.y + box.high if mode == Mode.SUM else x\n")
    calls = [(session.Point(1, 2.0), X, mode) for mode in session.Mode]
    scripted = script(session.use, calls)
    assert [torch.equal(scripted(*call), session.use(*call)) for call in calls] == [True, True]
    assert script(session.Box, [(1, 2)]) is session.Box


def test_a_function_that_is_defined_again(session: ModuleType, run: Run) -> None:
    for _ in range(2):
        run_cell(session, "def times(x, n):\n    return x * n\n", "/tmp/ipykernel_7/1.py")
        assert torch.equal(script(session.times, [(X, 2)])(X, 3), X * 3)
    run("def times(x, n, more=None):\n    found = []\n    found.append(n)\n    return x + found[0]\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PdtWarning)
        assert torch.equal(script(session.times, [(X, 2)])(X, 3), X + 3)


def test_an_object_of_a_class_that_is_defined_again(session: ModuleType, run: Run) -> None:
    for text in (SETUP, HELPER, NET):
        run(text)
    older, annotations = session.Net(), session.Net.__annotations__
    run("class Net(nn.Module):\n    def forward(self, x):\n        return -x\n")
    assert torch.equal(script(older, [(X, 2), (X, 3, X)])(X, 2), X)
    assert type(older).__annotations__ == annotations
    assert torch.equal(script(session.Net(), [(X,)])(X), -X)


def test_what_functions_of_a_cell_make(session: ModuleType, run: Run) -> None:
    run(SETUP)
    body = (NET + POINT).replace("from typing import NamedTuple\n", "").replace("helper(x, n)", "x * n")
    inner = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    run(
        f"from typing import NamedTuple\ndef make():\n{inner}"
        "    def use(p, x):\n        return x * p.x\n    return Net(), Point, use\n"
    )
    net, point, use = session.make()
    assert torch.equal(script(net, [(X, 2), (X, 3, X)])(X, 2), X * 2)
    assert torch.equal(script(use, [(point(1, 2.0), X)])(point(3, 2.0), X), X * 3)


def test_mends_for_one_compilation(session: ModuleType, run: Run) -> None:
    run("def f(x):\n    found, count = {}, 1\n    found[x.size(0)] = x\n    return found[x.size(0)] + count\n")
    with pytest.raises(VerificationError):
        script(session.f, [(X,)])
    assert torch.equal(script(session.f, [(X,)], mend="exact")(X), X + 1)


@in_every_session
def test_messages_name_the_cell_and_the_line(session: ModuleType, run: Run) -> None:
    cell = run("def refused(x, n):\n    return {x, n}\n")
    with pytest.raises(VerificationError) as caught:
        script(session.refused, [(X, 2)])
    assert f"{cell}:2:12" in str(caught.value) and "return {x, n}" in str(caught.value)
    cell = run("def raises(x, n):\n    y = 3\n    raise ValueError('no such luck')\n")
    with pytest.raises(UserCodeError, match="no such luck") as raised:
        script(session.raises, [(X, 2)])
    assert (raised.value.file, raised.value.line) == (cell, 3)
    cell = run("\ndef guessed(x, mask=None):\n    return x if mask is None else x * mask\n")
    with pytest.warns(PdtWarning, match="PDT030") as told:
        script(session.guessed, [(X,)])
    assert [(each.filename, each.lineno) for each in told] == [(cell, 2)]


def test_code_that_was_kept_nowhere(session: ModuleType) -> None:
    exec(compile("def typed_in(x, n):\n    return x * n\n", "<string>", "exec"), vars(session))
    with pytest.raises(TargetError, match="the source of typed_in is in no file") as caught:
        script(vars(session)["typed_in"], [(X, 2)])
    assert "notebook" in caught.value.hint


def test_a_program_with_a_prompt_behind_it(session: ModuleType, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(HELPER)
    vars(session)["__file__"] = str(file)
    exec(compile(HELPER, str(file), "exec"), vars(session))
    run("def typed(x, n):\n    return helper(x, n) * n\n")
    scripted: Any = script(session.typed, [(X, 2)])
    assert torch.equal(scripted(X, 3), X * 3)
