"""`pdt_annotate.script` of objects without a dotted name; and, if there is no fork, of objects that can be pickled."""

import functools
import re
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch
from compiler_messages import load
from torch import nn

from pdt_annotate import script as script_with_drawn_calls
from pdt_annotate.errors import SpecError, UserError, VerificationError
from pdt_annotate.flows.live_session import send

script: Any = functools.partial(script_with_drawn_calls, probe=False)

MODELS = """\
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

def passes_values_of_made_classes():
    class Mode(enum.Enum):
        SUM = 0
        MEAN = 1
    class Sizes(NamedTuple):
        n: int
        name: str
    @dataclasses.dataclass
    class Config:
        n: int
    torch.jit.script(Config)
    def f(x, mode, sizes, key, config):
        y = x.sum() if mode == Mode.SUM else x.mean()
        return y * config.n + sizes[key].n + len(sizes[key].name)
    first = X, Mode.SUM, {"a": Sizes(1, "x")}, "a", Config(2)
    return f, first, (X, Mode.MEAN, {"b": Sizes(2, "yy")}, "b", Config(3))

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

class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.calls = []
    def forward(self, x, scale=None):
        self.calls.append(x.size(0))
        x = self.norm(x)
        return x if scale is None else x * scale

def typed_in(x, n):
    return x * n
"""

MADE = re.findall(r"^def ((?:passes|calls|keeps|enters)_\w+)", MODELS, re.MULTILINE)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(MODELS, tmp_path_factory.mktemp("made"))


def annotations_of(obj: Any) -> dict[str, Any]:
    """The annotations of a function; for another object, those of its class and of its methods."""
    cls = type(obj)
    functions = [each for each in (obj, *vars(cls).values()) if isinstance(each, FunctionType)]
    of_class = {} if functions[:1] == [obj] else dict(vars(cls).get("__annotations__", {}))
    return {"": of_class, **{each.__qualname__: dict(each.__annotations__) for each in functions}}


@pytest.mark.forks
@pytest.mark.parametrize("name", MADE)
def test_what_a_function_made_is_scripted_and_stays_as_it_was(name: str, models: ModuleType) -> None:
    obj, example, further = getattr(models, name)()
    newer = getattr(models, name)()
    objects = [obj, getattr(obj, "inner", example[0])]
    before = dict(vars(models)), list(map(annotations_of, objects))
    scripted = script(obj, [example])
    assert (dict(vars(models)), list(map(annotations_of, objects))) == before
    for call in (example, further):
        torch.testing.assert_close(scripted(*call), obj(*call))
    assert newer[0] is not obj


@pytest.mark.forks
def test_a_bool_is_no_int_and_any_is_taken_where_a_person_said_so(models: ModuleType) -> None:
    calls = [(1,), (0.5,), (False,)]
    with pytest.raises(VerificationError, match=r"isinstance\(True, int\)` is False") as caught:
        script(models.asks(), calls)
    assert "`x` was a bool, and is tested with isinstance for int in the body" in str(caught.value)
    scripted = script(models.asks_for_bool(), calls)
    assert [scripted(*call) for call in calls] == [2, 0.5, 1]
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


@pytest.mark.spawned
def test_an_object_is_as_it_was_and_scripts(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("flows.live_session", "flows.live_object", "processes.zygote"):
        monkeypatch.setattr(f"pdt_annotate.{user}.CAN_FORK", False)
    net = models.Counting()
    scripted = script(net, {net: [(torch.randn(4, 3),), (torch.randn(4, 3), 2.0)]}, probe=False)
    assert str(scripted.forward.schema).endswith("Tensor x, float? scale=None) -> Tensor")
    assert (net.calls, net.norm.num_batches_tracked.item()) == ([], 0)
    assert scripted.norm.weight.data_ptr() == net.norm.weight.data_ptr()
    with pytest.raises(SpecError, match="no example call"):
        script(net, [])


@pytest.mark.spawned
@pytest.mark.parametrize("name", ["made", "typed_in", "inputs"])
def test_what_cannot_be_sent(name: str, models: ModuleType) -> None:
    models.typed_in.__module__ = "__main__"
    objects: dict[str, Any] = {"made": models.asks(), "typed_in": models.typed_in, "inputs": models.Counting()}
    inputs = [(lambda: 3,)] if name == "inputs" else [(torch.ones(1), 2)]
    with pytest.raises(UserError) as caught:
        send(objects[name], inputs)
    assert "define them in a module" in caught.value.hint
