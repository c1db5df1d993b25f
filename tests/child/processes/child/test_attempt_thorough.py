"""The last, thorough verdict on a target, with the real compiler: callers see no difference, or it is reported."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs import RunSettings, Spec
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.attempt import attempt
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.verdicts import Trial, Verdict

pytestmark = pytest.mark.usefixtures("one_thread")

jit: Any = torch.jit
X = torch.linspace(-1, 1, 12).reshape(4, 3)


def prepare(target: Any, calls: tuple[Call, ...], settings: RunSettings) -> Prepared:
    named = tuple(replace(c, name=c.name or f"call {i}") for i, c in enumerate(calls, 1))
    return Prepared(".", subject_of(target, lambda: target), target, Spec(named, None, settings), Store())


def judge(target: Any, *calls: Call | tuple[Any, ...], no_grad: bool = False, thorough: bool = True) -> Trial:
    made = tuple(call if isinstance(call, Call) else Call(call) for call in calls)
    prepared = prepare(target, made, RunSettings(no_grad=no_grad))
    return attempt(prepared, Candidate(), thorough=thorough)


def unlike(trial: Trial) -> list[Verdict]:
    return [verdict for verdict in trial.verdicts if not verdict.ok or verdict.note]


def wants(x: Tensor) -> Tensor:
    return x.clone().requires_grad_()


class Conv(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, bias=False)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return functional.relu(self.norm(self.conv(x)), inplace=True)


class Deep(nn.Module):
    """Chaotic: rounding errors grow from layer to layer."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for _ in range(30):
            layers += [nn.Linear(16, 16), nn.BatchNorm1d(16), nn.GELU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x).softmax(-1)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 6, sparse=True)
        self.lstm = nn.LSTM(6, 5, batch_first=True)
        self.drop = nn.Dropout(0.3)

    def forward(self, tokens):
        y, (h, c) = self.lstm(self.drop(self.embedding(tokens)))
        return y, h, c


class Forces(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        energy = self.net(x).sum()
        force = torch.autograd.grad([energy], [x])[0]
        assert force is not None
        return energy, -force


class Stateful(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))
        self.calls = 0
        self.scale = 2
        self.history = [torch.zeros(4, 3)]

    def forward(self, x):
        self.seen += x.sum(0)
        self.calls += 1
        self.history.append(x)
        return x * self.scale + self.calls


def add_one(x):
    x += 1
    return x


def view(x):
    return x.view(-1), x[0], x.t()


def halves(x):
    return functional.softmax(x, -1), functional.layer_norm(x, (3,))


def itself(x):
    return x, x


PLAIN: list[Any] = [
    (Conv(), [(torch.randn(2, 1, 5, 5),), (torch.randn(2, 1, 3, 3),)]),
    (Deep(), [(torch.randn(2, 16),)]),
    (Recurrent(), [(torch.randint(10, (2, 7)),), (torch.randint(10, (3, 4)),)]),
    (Forces(), [(wants(X),), (wants(X),)]),
    (Stateful(), [(X,), (X[:2],), (wants(X),)]),
    (nn.LayerNorm(3).half(), [(X.half(),)]),
    (add_one, [(X,)]),
    (view, [(wants(X),), (X,)]),
    (halves, [(wants(X),), (wants(X.double()),)]),
    (itself, [(X,), (wants(X),)]),
]


@pytest.mark.parametrize(("target", "calls"), PLAIN, ids=[getattr(t, "__name__", type(t).__name__) for t, _ in PLAIN])
def test_nothing_is_said_of_plain_models(target: Any, calls: list[Any]) -> None:
    torch.manual_seed(0)
    assert unlike(judge(target, *calls, *calls)) == []
    assert unlike(judge(target, *calls, no_grad=not isinstance(target, Forces))) == []


class Frozen(nn.Module):
    """The first half has no gradient in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(3, 4)

    @torch.no_grad()
    def encode(self, x):
        return self.first(x)

    def forward(self, x):
        return self.encode(x) + self.second(x)


class Detached(Frozen):
    @torch.inference_mode()
    def forward(self, x):
        return self.second(x)


@torch.no_grad()
def without_gradient(x):
    return x * 2


def half_without(x):
    return without_gradient(x) - x


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x):
        if not jit.is_scripting():
            self.count()
        return x

    @torch.jit.unused
    def count(self) -> None:
        self.calls += 1


class Holder(nn.Module):
    def __init__(self, items: list[int]) -> None:
        super().__init__()
        self.items = items

    def forward(self) -> int:
        return len(self.items)


class Sharing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.items = [1]
        self.holder = Holder(self.items)

    def forward(self, x):
        self.items.append(2)
        return x


def append(x, items: list[int]):
    items.append(3)
    return x


def add_inside(x, items: list[Tensor], named: dict[str, Tensor]):
    items[0] += x
    named["a"] = x
    return x


def same_list(items: list[int]):
    return items


def asserted(x, n: int):
    if n > 2:
        raise ValueError("too great")
    return x


@torch.jit.ignore
def in_python(x):
    return x + 1


def ignoring(x):
    return in_python(x)


DECORATOR = "`no_grad` or `inference_mode`"
FAILING = [
    (Frozen(), [(X,)], "the gradient of the parameter `first.weight` differs", f"{DECORATOR} of `Frozen.encode`"),
    (Frozen().eval(), [(wants(X),)], "the gradient of argument 1 differs", ""),
    (half_without, [(wants(X),)], "the gradient of argument 1 differs", f"{DECORATOR} of `without_gradient`"),
    (Sharing(), [(X,)], "after the call, `holder.items` has 1 items when scripted, 2 in eager mode", ""),
]


@pytest.mark.parametrize(("target", "calls", "message", "ending"), FAILING)
def test_what_fails(target: Any, calls: list[Any], message: str, ending: str) -> None:
    assert judge(target, *calls, thorough=False).ok
    failure = judge(target, *calls).failure
    assert failure is not None and failure.message.startswith(message) and not failure.code
    assert failure.message.endswith(ending)
    assert failure.call == "call 1"


REMARKED = [
    (Frozen().eval(), [(X,)], "PDT068", "the gradient of the parameter `first.weight` differs: off by"),
    (Detached(), [(X,)], "PDT068", "the result requires a gradient when scripted, and does not require one in eager"),
    (without_gradient, [(wants(X),)], "PDT068", "the result requires a gradient when scripted"),
    (append, [(X, [1])], "PDT068", "the change that the call makes to argument 2, a list, is lost when scripted"),
    (
        add_inside,
        [(X, [X], {})],
        "PDT068",
        "the change that the call makes to argument 3, a dict, is lost when scripted",
    ),
    (same_list, [([1],)], "PDT068", "the result is argument 1 itself in eager mode, and not when scripted"),
    (ignoring, [(X,)], "PDT069", "the scripted model cannot be saved: Could not export Python function call"),
]


@pytest.mark.parametrize(("target", "calls", "code", "message"), REMARKED)
def test_what_no_annotation_decides(target: Any, calls: list[Any], code: str, message: str) -> None:
    remark, *_ = unlike(judge(target, *calls))
    assert remark.failure is not None and remark.failure.message.startswith(message)
    assert remark.failure.code == code


def test_what_is_meant_for_eager_mode_alone_is_accepted_and_that_both_raise() -> None:
    assert judge(Counting(), (X,)).ok
    assert unlike(judge(asserted, (X, 1), Call((X, 3), raises=True))) == []


class Marked(nn.Linear):
    """The weight has an attribute, and if `single`, only the first instance returns a result."""

    def __init__(self, single: bool) -> None:
        super().__init__(3, 2)
        self.weight.fast, self.first = [1.0], id(self) if single else 0  # type: ignore[attr-defined]

    def forward(self, x):
        if not jit.is_scripting():
            assert self.weight.fast == [1.0] and self.first in (0, id(self))  # type: ignore[attr-defined]
        elif self.first != 0:
            raise AssertionError
        return x @ self.weight.t()


def test_a_copy_of_the_eager_model_has_the_attributes_of_its_parameters_and_must_not_raise() -> None:
    assert judge(Marked(False), (X,)).ok
    failure = judge(Marked(True), (X,)).failure
    assert failure and failure.message.startswith("a copy of the eager model raises AssertionError")
