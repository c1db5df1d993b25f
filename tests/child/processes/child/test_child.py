"""Tasks in a session: mended sources, restored state, facts of modules, comparison of behaviour, lazy modules."""

import importlib
import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
import torch
from loaded import load
from profiled import write
from torch import nn

from pdt_annotate.findings.messages import code_of
from pdt_annotate.flows.from_files import annotate
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.child.apply import renew
from pdt_annotate.processes.child.isolation import keep
from pdt_annotate.processes.child.prepared import lazy_modules
from pdt_annotate.processes.tasks import PREPARE, facts, judge_behaviour, record_behaviour
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import HeldValue, LiveFacts, Variadic
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource

SOURCE = """\
class Net:
    def __init__(self):
        self.n = 1
    def run(self, x, **kwargs):
        return self.n + x
    @staticmethod
    def twice(x):
        return x * 2

def helper(x):
    return Net().run(x)
"""


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    name = f"renewed_{request.node.name}".replace("[", "_").replace("]", "")
    yield load(tmp_path / f"{name}.py", SOURCE)
    del sys.modules[name]


def sources(module: ModuleType, old: str, new: str) -> dict[str, bytes]:
    assert old in SOURCE
    return {str(module.__file__): SOURCE.replace(old, new).encode()}


def test_nothing_is_left_behind(module: ModuleType) -> None:
    before = {**vars(module)}, module.Net.run.__code__, {**vars(module.Net)}
    take_back = renew(sources(module, "class Net:\n", "import math\n\nclass Net:\n    wide: int = 3\n"))
    assert module.Net.wide == 3
    assert module.math is importlib.import_module("math")
    assert "import math" in inspect.getsource(module)
    take_back()
    assert ({**vars(module)}, module.Net.run.__code__, {**vars(module.Net)}) == before
    assert inspect.getsource(module) == SOURCE


def test_live_objects_run_the_new_code(module: ModuleType) -> None:
    net = module.Net()
    take_back = renew(sources(module, "return self.n + x", "return self.n - x"))
    assert (net.run(1), module.helper(1), module.Net.twice(2)) == (0, 0, 4)
    assert "self.n - x" in inspect.getsource(module.Net.run)
    take_back()
    assert (net.run(1), module.helper(1)) == (2, 2)


def test_lines_that_move_are_found_and_parameters_get_their_defaults(module: ModuleType) -> None:
    take_back = renew(sources(module, "        return self.n + x", "        y = x\n        return self.n + y"))
    assert inspect.getsource(module.helper) == "def helper(x):\n    return Net().run(x)\n"
    take_back()
    take_back = renew(sources(module, "x, **kwargs):\n        return self.n + x", "x, n=5):\n        return n + x"))
    assert module.Net().run(1) == 6
    take_back()
    assert module.Net().run(1, other=2) == 2


@pytest.mark.parametrize("new", ["self.n = 2", "self.n = 1\n        self.m = 2"])
def test_another_constructor_is_refused(module: ModuleType, new: str) -> None:
    with pytest.raises(UserError, match="constructor"):
        renew(sources(module, "self.n = 1", new))
    assert inspect.getsource(module) == SOURCE
    assert module.helper(1) == 2


class Box:
    def __init__(self) -> None:
        self.count = 0


class Keeping(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
        self.seen: list[Any] = [[1], {"a": 2}]
        self.alias = self.seen
        self.last = deque([1], maxlen=2)
        self.names = {"x"}
        self.pair = ([0], 1)
        self.box = Box()
        self.last_shape: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(x.shape)
        self.seen[0].append(3)
        self.seen[1]["b"] = 3
        self.last.extend([2, 3])
        self.names.add("y")
        self.pair[0].append(1)
        self.box.count += 1
        self.last_shape = x.shape
        self.new = True
        return self.norm(x)


def test_a_module_that_no_call_changed_is_not_written_to() -> None:
    module = Keeping()
    version = module.norm.weight._version
    keep(module)()
    assert module.norm.weight._version == version


def test_everything_that_a_call_changes_is_put_back_in_place() -> None:
    module = Keeping()
    seen, inner, mean = module.seen, module.seen[0], module.norm.running_mean
    put_back = keep(module.forward)  # the state of the module of a method is restored; for a function, there is none
    for _ in range(2):
        module(torch.randn(3, 2)).sum().backward()
        put_back()
    keep(len)()
    assert module.seen is seen is module.alias and seen[0] is inner
    assert seen == [[1], {"a": 2}]
    assert (list(module.last), module.names, module.pair, module.box.count) == ([1], {"x"}, ([0], 1), 0)
    assert module.last_shape is None and not hasattr(module, "new")
    assert module.norm.running_mean is mean and mean is not None and mean.eq(0).all()
    assert module.norm.num_batches_tracked is not None and int(module.norm.num_batches_tracked) == 0
    assert module.norm.weight.grad is None


FACTS = """
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Base(nn.Module):
        def forward(self, x, *args, **kwargs):
            self.calls = self.calls + len(self.sizes)
            return self.act(x)

    class Block(Base):
        def __init__(self, act, down):
            super().__init__()
            self.act = act
            self.norm = "batch"
            self.calls = 0
            self.sizes = [1, 2]
            if down:
                self.down = nn.Sequential(nn.Linear(2, 2))
        def extra(self, x):
            return x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = Block(F.relu, True)
            self.two = Block(nn.GELU(), False)
        def forward(self, x, scale=None):
            assert scale is None
            options = {"rate": 2}
            return self.two(self.one(x, 1, 2, mask=None), mask=None, **options)
"""

FACTS_SPEC = """
    import torch

    example_inputs = [(torch.ones(1, 2),)]
"""


@pytest.fixture(scope="module")
def shown(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, LiveFacts]:
    folder = tmp_path_factory.mktemp("facts")
    (folder / "model.py").write_text(dedent(FACTS))
    (folder / "inputs.py").write_text(dedent(FACTS_SPEC))
    spec = SpecSource(file=str(folder / "inputs.py"))
    session = zygote.session(PREPARE, parse(f"{folder}/model.py:Net"), spec, str(folder), {})
    return str(folder / "model.py"), facts(session)


def test_values_of_a_class_and_its_bases_are_described_together(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    held = facts.held[file, "Block"]
    assert held["norm"].literal == "'batch'"
    relu, gelu = held["act"].values
    assert relu.name == "torch.nn.functional.relu"
    assert gelu.type == "torch.nn.modules.activation.GELU"
    assert (held["sizes"].values[0].length, held["sizes"].values[0].items) == (2, ("builtins.int",))
    assert [held[name].values[0].is_module for name in ("sizes", "act", "down")] == [False, False, True]
    assert facts.held[file, "Base"]["norm"] == held["norm"]
    file, facts = shown
    held = facts.held[file, "Block"]
    assert held["down"].lacking
    assert not held["norm"].lacking
    assert held["calls"].changes
    assert held["calls"].literal == ""
    assert HeldValue("builtins.int", literal="0") in held["calls"].values


def test_variadic_arguments_and_values_of_expressions_are_those_of_all_calls(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    assert facts.variadic == {(file, "Base.forward"): Variadic(2, ("mask", "rate"))}
    values = facts.expressions[file, "Base.forward"]
    assert values["len(self.sizes)"] == (HeldValue("builtins.int", literal="2"),)
    assert values["self.sizes"] == (HeldValue("builtins.list", length=2, items=("builtins.int",)),)
    assert values["self.act(x)"] == (HeldValue("torch.Tensor"),)
    assert [value.literal for value in values["self.calls"]] == ["0", "2"]  # in the first call and in later calls
    values = facts.expressions[file, "Net.forward"]
    assert [value.literal for value in values["scale is None"]] == ["True"]
    assert values["**options"] == (HeldValue("builtins.dict", length=1, items=("builtins.int",), keys=("rate",)),)


BEHAVING = """
    import inspect
    from typing import NamedTuple, Optional, get_type_hints

    import torch
    from torch import nn

    class Parameter(NamedTuple):
        name: str
        type: type
        spelling: str

    def describe(method):
        given = inspect.signature(method).parameters.values()
        return [Parameter(each.name, each.annotation, str(each.annotation)) for each in given]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            signature = inspect.signature(self.forward)
            self.signature = signature
            self.shown = str(signature)
            self.hints = get_type_hints(self.forward)
            self.hint_of_x = self.hints.get("x")
            self.types = {"forward": list(self.hints.values())}
            self.kinds = list(signature.parameters.items())
            self.described = {"forward": describe(self.forward)}
            self.source = inspect.getsource(type(self).forward)
            self.count = 0
            self.mode = "mean"
            self.activation = (nn.ReLU, "relu")
            self.norm = nn.BatchNorm1d(2)
            self.seen = []
            self.same = lambda x: x
        def forward(self, x, found):
            self.seen.append(len(found))
            found.append(1)
            if x.sum() < 0:
                raise ValueError("negative")
            return {"out": self.norm(x), "pair": (x, [2.5])}
"""

BEHAVING_SPEC = """
    import torch

    example_inputs = [(torch.ones(3, 2), []), (-torch.ones(3, 2), [0])]
"""

Judge = Callable[[str, str], list[str]]


@pytest.fixture(scope="module")
def judge(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """The verdict on the model if one text is replaced by another; "" if it behaves as before."""
    folder = tmp_path_factory.mktemp("behaviour")
    file = folder / "model.py"
    file.write_text(dedent(BEHAVING))
    (folder / "inputs.py").write_text(dedent(BEHAVING_SPEC))
    target, spec = parse(f"{file}:Net"), SpecSource(file=str(folder / "inputs.py"))
    recorded = record_behaviour(zygote.session(PREPARE, target, spec, str(folder), {}))

    def judge(old: str, new: str) -> list[str]:
        sources = {str(file): dedent(BEHAVING).replace(old, new).encode()}
        verdicts = judge_behaviour(zygote.session(PREPARE, target, spec, str(folder), sources), recorded)
        assert len(verdicts) == 2
        return [verdict.failure.message for verdict in verdicts if verdict.failure]

    return judge


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return {", "return {  # the same\n            "),
        ("self.seen = []", "self.seen = []\n        self.more = 1"),
        ('"negative"', '"less than nothing"'),
        ("(self, x, found)", "(self, x: torch.Tensor, found: list[int])"),
        ("(self, x, found)", "(self, x: torch.Tensor, found: Optional[list]) -> dict"),
        ("def forward", "attribute: int\n\n    def forward"),
        ("lambda x: x", "nn.Identity()"),
    ],
)
def test_what_nobody_sees_is_no_difference(judge: Judge, old: str, new: str) -> None:
    assert judge(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[2.5]", "[2.75]", "the result"),
        ("(x, [2.5])", "[x, [2.5]]", "the result"),
        ('"pair"', '"two"', "the keys"),
        ("found.append(1)", "pass", "after the call, argument 2"),
        ("found.append(1)", "found.append(1)\n        x.zero_()", "the result"),
        ("self.seen.append(len(found))", "self.seen.append(0)", "`seen`"),
        ("self.norm(x)", "self.norm(x + 1)", "norm.running_mean"),
        ("ValueError", "TypeError", "raises TypeError with the changes, ValueError before"),
        ("self.seen = []", "self.had = self.seen = []\n        del self.had", None),
        ("self.seen", "self.had", "`seen` no longer exists"),
        ("self.count = 0", "self.count = len(self.hints) + 1", "`count`"),
        ('"mean"', '"sum"', "`mode`"),
        ('"relu"', '"gelu"', "`activation`"),
        ("self.hints.get", "len(self.hints) and self.hints.get", "`hint_of_x`"),
        ("inspect.getsource(type(self).forward)", "inspect.getsource(describe)", "`source`"),
    ],
)
def test_what_a_caller_sees_is_one(judge: Judge, old: str, new: str, said: str | None) -> None:
    messages = judge(old, new)
    assert bool(messages) is (said is not None)
    assert said is None or any(said in message for message in messages), messages
    assert not any("scripted" in message or "eager" in message for message in messages)


LAZY = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.LazyConv2d(4, 3)
        self.norm = nn.LazyBatchNorm2d()
        self.proj = nn.LazyLinear(5)
    def forward(self, x, scale=None):
        x = self.proj(self.norm(self.conv(x)).flatten(1))
        return x if scale is None else x * scale

class Unreached(Net):
    def forward(self, x, scale=None):
        return x

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.ran = torch.zeros(1)
    def forward(self, x, scale=None):
        self.ran += 1
        return x * self.ran
"""
LAZY_SPEC = "import torch\ncalls = [(torch.ones(2, 3, 8, 8), 2), (torch.ones(2, 3, 8, 8),)]\n"


@pytest.fixture
def run(zygote: Zygote, tmp_path: Path) -> Callable[[str], Outcome]:
    write(tmp_path, {"model.py": LAZY, "spec.py": LAZY_SPEC})

    def run(name: str) -> Outcome:
        target, spec = parse(f"{tmp_path}/model.py:{name}"), spec_source(str(tmp_path / "spec.py"), ())
        return annotate(Options((target,), spec, str(tmp_path), no_probe=True), zygote)

    return run


class Fast(nn.Linear):
    def parameters(self):  # type: ignore[override]
        return [self.weight]


@pytest.mark.parametrize("model", [3, nn.Linear(2, 2), Fast(2, 2), nn.LazyLinear, nn.Sequential(nn.ReLU())])
def test_what_waits_for_no_call(model: object) -> None:
    assert lazy_modules(model) == ()


def test_what_waits_for_a_call() -> None:
    net = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 3))
    assert lazy_modules(net) == ("0 (LazyLinear)",)
    assert lazy_modules(net[0]) == ("the model (LazyLinear)",)
    net(torch.ones(1, 2))
    assert lazy_modules(net) == ()


def codes(outcome: Outcome) -> set[str]:
    return {finding.code for finding in outcome.findings}


def test_the_call_is_made_ahead_and_told_and_nothing_is_said_of_other_models(run: Callable[[str], Outcome]) -> None:
    outcome = run("Plain")
    assert outcome.verified and "PDT059" not in codes(outcome)
    outcome = run("Net")
    (told,) = (finding.message for finding in outcome.findings if finding.code == "PDT059")
    assert outcome.verified and "conv (LazyConv2d), norm (LazyBatchNorm2d), proj (LazyLinear)" in told
    assert b"scale: Optional[int] = None" in outcome.changes[0].after


def test_modules_that_no_call_fills_are_told_to_be_so(run: Callable[[str], Outcome]) -> None:
    outcome = run("Unreached")
    assert not outcome.verified and {code_of(each) for each in outcome.verdicts if not each.ok} == {"PDT059"}
