"""`pdt_annotate.script` of what functions make: classes, helpers and modules that no dotted name leads to."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from pdt_annotate import script as script_with_drawn_calls
from pdt_annotate.errors import UserError, VerificationError

script: Any = functools.partial(script_with_drawn_calls, probe=False)

pytestmark = pytest.mark.forks
"""What a function made no other process can import."""

MODELS = """\
import dataclasses
import enum
from typing import Any, NamedTuple

import torch
from torch import nn

X = torch.ones(2)


def make_box():
    class Box:
        def __init__(self, low, high):
            self.low = low
            self.high = high

        def width(self, scale):
            return (self.high - self.low) * scale

    return Box


def passes_an_object():
    Box = make_box()

    def f(box, scale):
        return box.width(scale) + box.low

    return f, (Box(1, 4), 2), (Box(3, 9), 5)


def passes_a_list_of_objects():
    class Item:
        def __init__(self, rank):
            self.rank = rank

        def __lt__(self, other):
            return self.rank < other.rank

    def f(items):
        return sorted(items)[0].rank

    return f, ([Item(3), Item(1)],), ([Item(5)],)


def passes_an_enum():
    class Mode(enum.Enum):
        SUM = 0
        MEAN = 1

    def f(x, mode):
        return x.sum() if mode == Mode.SUM else x.mean()

    return f, (X, Mode.SUM), (X, Mode.MEAN)


def passes_a_namedtuple():
    class Sizes(NamedTuple):
        n: int
        name: str

    def f(sizes, key):
        return sizes[key].n + len(sizes[key].name)

    return f, ({"a": Sizes(1, "x")}, "a"), ({"b": Sizes(2, "yy")}, "b")


def passes_a_dataclass():
    @dataclasses.dataclass
    class Config:
        n: int

    torch.jit.script(Config)

    def f(config, x):
        return x * config.n

    return f, (Config(2), X), (Config(3), X)


def calls_helpers():
    @torch.jit.ignore
    def shown(n, word):
        return torch.ones(n) if f"{word:>4}" else torch.zeros(n)

    def scaled(x, k):
        return x * k

    def f(x, k):
        return scaled(x, k) + shown(k, "a")

    return f, (torch.ones(3), 3), (torch.ones(2), 2)


def keeps_attributes():
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x, k):
            last = self.last
            if last is not None:
                x = x + last
            self.last = x * k
            return x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x, k):
            return self.inner(self.inner(x, k), k)

    return Net(), (X, 3), (X, 2)


def enters_a_block():
    class Block:
        def __init__(self, start):
            self.count = torch.tensor([start])

        def __enter__(self):
            self.count.add_(1)
            return self.count

        def __exit__(self, kind, error, trace):
            self.count.sub_(1)

    def f(x, start):
        block = Block(start)
        with block as count:
            y = x + count
        return y * block.count

    return f, (X, 1), (X, 4)


def asks():
    def f(x) -> Any:
        if isinstance(x, int):
            return x + 1
        return x

    return f


def asks_for_bool():
    def f(x) -> Any:
        if isinstance(x, bool):
            x = int(x)
        if isinstance(x, int):
            return x + 1
        return x

    return f


def exports():
    class Net(nn.Module):
        @torch.jit.export
        def pick(self, x, y) -> Any:
            if isinstance(x, int) and isinstance(y, int):
                return x + y
            elif isinstance(x, float) and isinstance(y, float):
                return x - y
            else:
                return -1

    return Net()
"""

MADE = (
    "passes_an_object",
    "passes_a_list_of_objects",
    "passes_an_enum",
    "passes_a_namedtuple",
    "passes_a_dataclass",
    "calls_helpers",
    "keeps_attributes",
    "enters_a_block",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("made")
    (folder / "made_models.py").write_text(MODELS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("made_models")


def annotations_of(obj: Any) -> dict[str, Any]:
    """The annotations of a function; those of the class of another object, and of its methods."""
    cls = type(obj)
    functions = [each for each in (obj, *vars(cls).values()) if isinstance(each, FunctionType)]
    of_class = {} if functions[:1] == [obj] else dict(vars(cls).get("__annotations__", {}))
    return {"": of_class, **{each.__qualname__: dict(each.__annotations__) for each in functions}}


@pytest.mark.parametrize("name", ["passes_an_object", "keeps_attributes"])
def test_everything_stays_as_it_was(name: str, models: ModuleType) -> None:
    obj, call, _ = getattr(models, name)()
    objects = [obj, getattr(obj, "inner", call[0])]
    before = dict(vars(models)), list(map(annotations_of, objects))
    script(obj, [call])
    assert (dict(vars(models)), list(map(annotations_of, objects))) == before


@pytest.mark.parametrize("name", MADE)
def test_what_a_function_made(name: str, models: ModuleType) -> None:
    obj, example, further = getattr(models, name)()
    newer = getattr(models, name)()
    scripted = script(obj, [example])
    for call in (example, further):
        torch.testing.assert_close(scripted(*call), obj(*call))
    assert newer[0] is not obj


def test_a_bool_is_no_int_and_the_error_says_so(models: ModuleType) -> None:
    calls = [(1,), (0.5,), (False,)]
    with pytest.raises(VerificationError, match=r"isinstance\(True, int\)` is False there"):
        script(models.asks(), calls)
    scripted = script(models.asks_for_bool(), calls)
    assert [scripted(*call) for call in calls] == [2, 0.5, 1]


def test_any_is_taken_where_a_person_said_so(models: ModuleType) -> None:
    net = models.exports()
    scripted = script(net, {net.pick: [(1, 2), (0.5, 0.25)]})
    assert [scripted.pick(*call) for call in ((3, 4), (0.5, 0.25), (torch.ones(1), 1))] == [7, 0.25, -1]


def test_a_lazy_module_is_left_as_it_is() -> None:
    lazy = nn.LazyLinear(3)
    net = nn.Sequential(lazy, nn.ReLU())
    with pytest.raises(UserError, match=r"0 \(LazyLinear\)") as raised:
        script(net, [(torch.ones(2, 4),)])
    assert "call the model once" in raised.value.hint
    assert torch.nn.parameter.is_lazy(lazy.weight)
    net(torch.ones(2, 4))
    assert script(net, [(torch.ones(2, 4),)])(torch.ones(2, 4)).shape == (2, 3)
