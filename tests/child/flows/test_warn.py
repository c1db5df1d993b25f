"""The warnings of `script()`: none for models without findings, and each at its line."""

import functools
import linecache
import pickle
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from compiler_messages import PRELUDE, load

from pdt_annotate import PdtWarning
from pdt_annotate import script as script_with_drawn_calls
from pdt_annotate.errors import VerificationError
from pdt_annotate.flows.warn import warn_of
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify import traps

MODELS = """\
from torch import nn

class Clean(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0
    def forward(self, x, scale=None):
        self.steps += 1
        return x if scale is None else x * float(scale)

def times(x, n):
    return x.repeat(n)

def masked(x, mask=None, other=None):
    return x if mask is None else x * mask

def scaled(x, k=2):
    return x * k

def unentered(n):
    kept = []
    kept.append(n + 1)
    return len(kept)

def rarely(x, often):
    return x + unentered(3) if often else x

def shape(x):
    return x.shape

def refused(x, mask=None):
    return {x}

def chosen(x):
    if torch.jit.is_scripting():
        return x, x
    return x
"""

script: Any = functools.partial(script_with_drawn_calls, probe=False)
X = torch.ones(2)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module above, imported again for every test."""
    monkeypatch.chdir(tmp_path)
    return load(MODELS, tmp_path)


def line_of(text: str) -> int:
    return (PRELUDE + MODELS).partition(text)[0].count("\n") + 1


def heard(obj: Any, calls: list[Any], action: Any = "default") -> list[warnings.WarningMessage]:
    """The warnings that pass a filter with this action."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        script(obj, calls)
    return [each for each in caught if issubclass(each.category, PdtWarning)]


def test_nothing_is_said_where_nothing_is_to_be_said(models: ModuleType) -> None:
    for obj, calls in (
        (models.Clean(), [(X,), (X, 0.5)]),
        (models.times, [(X, 2), (X, 3)]),
        (models.masked, [(X,), (X, X, X)]),
        (models.chosen, [(X,)]),
    ):
        assert heard(obj, calls, "error") == []


def test_nothing_changes_where_something_is_said(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        monkeypatch.setattr(warnings, "showwarning", lambda *told: shown.append(warnings.formatwarning(*told[:4])))
        script(models.times, [(X, 2)])
        before = [list(warnings.filters), dict(vars(models)), dict(linecache.cache), torch.get_rng_state().tolist()]
        script(models.masked, [(X,)])
        after = [list(warnings.filters), dict(vars(models)), dict(linecache.cache), torch.get_rng_state().tolist()]
    assert len(shown) == 1 and "\n  def masked(x, mask=None, other=None):\n" in shown[0]
    assert before == after


def test_a_warning_stands_at_its_line_and_says_what_to_do(models: ModuleType) -> None:
    (warning,) = heard(models.masked, [(X, X)])
    assert (warning.filename, warning.lineno) == (models.__file__, line_of("def masked"))
    assert isinstance(warning.message, PdtWarning) and warning.message.code == "PDT030"
    message = str(warning.message)
    assert message.startswith("PDT030 `other` of masked: only None was seen (")
    assert "Add an example call in which the value is not None" in message
    again = pickle.loads(pickle.dumps(warning.message))
    assert (type(again), str(again), again.code) == (PdtWarning, message, "PDT030")


@pytest.mark.parametrize(
    ("name", "calls", "told"),
    [
        ("scaled", [(X, 2.5)], {"PDT064": "def scaled", "PDT122": "def scaled"}),
        ("rarely", [(X, False)], {"PDT037": "def unentered", "PDT038": "kept = []"}),
        ("shape", [(X,)], {"PDT065": "def shape"}),
    ],
)
def test_what_is_said_beside_guesses(name: str, calls: list[Any], told: dict[str, str], models: ModuleType) -> None:
    found = {str(each.message).split()[0]: each.lineno for each in heard(getattr(models, name), calls)}
    assert found == {code: line_of(text) for code, text in told.items()}


def test_traps_are_said(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = Trap("PDT005", "a trap", Place(str(models.__file__), line_of("return x.repeat(n)")))
    monkeypatch.setattr(traps, "find", lambda view: (trap,))
    (warning,) = heard(models.times, [(X, 2)])
    assert str(warning.message).startswith("PDT005 a trap. ") and warning.lineno == line_of("return x.repeat(n)")


def test_a_line_is_told_of_once_for_a_code_unless_a_filter_asks_for_every_time(models: ModuleType) -> None:
    (warning,) = heard(models.masked, [(X,)])
    assert "`mask` of masked" in str(warning.message) and "`other` of masked" in str(warning.message)
    warnings.filterwarnings("default", "some other")
    assert heard(models.masked, [(X, X)]) == []
    for _ in range(2):
        assert len(heard(models.masked, [(X,)], "always")) == 1
        with pytest.warns(PdtWarning, match="PDT030"):
            script(models.masked, [(X,)])


def test_a_filter_may_ask_for_silence_by_code_or_module(models: ModuleType) -> None:
    ways: tuple[dict[str, Any], ...] = ({"message": "PDT030"}, {"module": models.__name__})
    for how in ways:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", category=PdtWarning, **how)
            script(models.masked, [(X,)])
        assert caught == []


def test_as_an_error_it_leaves_nothing_half_done(models: ModuleType) -> None:
    before, known = dict(vars(models)), dict(torch.jit._state._jit_caching_layer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(PdtWarning, match="PDT030"):
                script(models.masked, [(X,)])
        with pytest.raises(VerificationError):  # the error reports it
            script(models.refused, [(X,)])
    assert (dict(vars(models)), dict(torch.jit._state._jit_caching_layer)) == (before, known)
    assert models.masked.__annotations__ == {}


def test_guesses_in_installed_code_are_not_said_and_many_messages_of_a_line_are_counted() -> None:
    place = Place("/env/lib/site-packages/library.py", 3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of([Finding(code, "a finding", place) for code in ("PDT030", "PDT037", "PDT064")], NO_PLACE)
    assert [str(each.message).split()[0] for each in caught] == ["PDT064"]
    findings = [Finding("PDT065", f"call {number}: a Size") for number in range(1, 6)]
    with pytest.warns(PdtWarning) as counted:
        warn_of((*findings, findings[0]), Place("somewhere.py", 3))
    (warning,) = counted
    assert (warning.filename, warning.lineno) == ("somewhere.py", 3)
    assert str(warning.message).startswith("PDT065 call 1: a Size; call 2: a Size; call 3: a Size; and 2 more. ")
    warn_of((), NO_PLACE)
