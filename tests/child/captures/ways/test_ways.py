"""Each way of capturing, alone."""

import copy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from loaded import load
from repository import ROOT
from torch import nn
from torch_differences import holds

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured
from pdt_annotate.captures.examine import find_capture
from pdt_annotate.captures.table import BY_NAME
from pdt_annotate.captures.ways import fx, jit
from pdt_annotate.captures.ways.trace_mixed import MixError
from pdt_annotate.captures.ways.trace_mixed import capture as mixed
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.torch_releases import FREE_INTS, release_of

X = torch.ones(3)


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Reset the state that a separate process would not have."""
    from torch._dynamo import reset  # noqa: PLC0415  (it takes seconds to import, and every worker collects this file)
    from torch._dynamo.utils import counters  # noqa: PLC0415

    reset()
    counters.clear()
    yield
    reset()


def straight(x: Any) -> Any:
    return x * 2 + 1


def broken(x: Any) -> Any:
    y = x * 2
    print(end="")
    return y + 1


def broken_ahead(x: Any) -> Any:
    print(end="")
    return x + 1


def caught(x: Any) -> Any:
    try:
        return torch.nn.GRU(3, 3)(straight(x)[None])[0]
    except ValueError:
        return x


def capture(function: Callable[..., Any], way: str = "compile-breaks") -> Captured:
    return find_capture(BY_NAME[way])(Capturable(function, (Call((X,)),), "", lambda: function))


def test_a_program_without_breaks_is_one_graph_and_another_call_makes_another() -> None:
    captured = capture(straight)
    assert torch.equal(captured.run(X), straight(X))
    assert len(captured.graphs()) == 1 and captured.whole()
    captured = capture(straight)
    captured.run(X.double())
    assert len(captured.graphs()) == 2 and captured.whole()


PARTS = [(broken, 2), (broken_ahead, 1)]
if holds("has dynamo count every frame that it gives up"):
    PARTS.append((caught, 1))


@pytest.mark.parametrize(("function", "graphs"), PARTS)
def test_what_is_left_to_python_is_no_part_of_the_graphs(function: Callable[..., Any], graphs: int) -> None:
    captured = capture(function)
    assert len(captured.graphs()) == graphs and not captured.whole()


def test_all_of_the_program_or_nothing() -> None:
    assert capture(straight, "compile").whole()
    with pytest.raises(Exception, match="print"):
        capture(broken, "compile")


class Summing(torch.nn.Module):
    def forward(self, batch: Any, *rest: Any, times: Any = 2) -> Any:
        return {"y": batch["x"] * times + sum(rest)}


def exportable(*calls: Call) -> Capturable:
    return Capturable(Summing(), calls, "", Summing)


def of_rows(rows: int, name: str = "", **kwargs: Any) -> Call:
    return Call(({"x": torch.ones(rows, 3)}, torch.ones(3)), kwargs, name=name)


def test_dynamic_sizes_are_free_in_dicts_and_behind_stars_and_numbers_too() -> None:
    captured = fx.capture_dynamic(exportable(of_rows(2, times=3)))
    times = 7 if release_of(torch.__version__) >= FREE_INTS else 3
    asked = of_rows(5, times=times)
    assert torch.equal(captured.run(*asked.args, **asked.kwargs)["y"], torch.full((5, 3), times + 1.0))


def test_the_call_is_taken_whose_sizes_torch_does_not_take_for_fixed() -> None:
    calls = (of_rows(1, "one"), of_rows(4, "four"), of_rows(5, "named", times=3))
    assert fx.capture_dynamic(exportable(*calls)).made_from == ("four",)
    assert fx.capture_export(exportable(*calls)).made_from == ("one",)


pytestmark = pytest.mark.usefixtures("one_thread")

MODELS = ROOT / "tests" / "helpers" / "data" / "captured"


def shown(name: str, calls: slice) -> Capturable:
    """The last module class of a file, with some of its calls that are not held back."""
    module = load(MODELS / f"{name}.py")
    classes = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
    shown: list[Call] = [call for call in module.example_inputs if not call.held_back][calls]

    def build() -> Any:
        torch.manual_seed(0)
        return classes[-1]().eval()

    return Capturable(build(), tuple(shown), str(MODELS), build)


def told(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    """The codes, each with its line."""
    return {
        (each.code, Path(each.place.file).read_text().splitlines()[each.place.line - 1].strip()) for each in findings
    }


ROUNDS = ("PDT082", 'while x.abs().max() > options.get("limit", 1.0):')


@pytest.mark.forks
@pytest.mark.parametrize("calls", [slice(1), slice(None)], ids=["one call", "all calls"])
def test_a_branch_that_is_compiled_is_not_suspected(calls: slice) -> None:
    assert jit.capture(shown("script_if", calls)).findings() == ()


def test_rich_results_and_keywords_are_traced_through_an_adapter() -> None:
    traced = jit.trace(torch.nn.Bilinear(2, 3, 4), Call((torch.ones(1, 2),), {"input2": torch.ones(1, 3)}))
    assert traced(torch.ones(5, 2), torch.ones(5, 3)).shape == (5, 4)
    captured = jit.capture_adapted(shown("dict_in_out", slice(None)))
    batch = {"x": torch.randn(7, 4), "weight": torch.rand(7, 1)}
    assert {name: each.shape for name, each in captured.run(batch).items()} == {"low": (7, 2), "high": (7, 3)}
    assert captured.findings() == ()


def test_what_is_no_tensor_is_told_and_that_the_examples_differ_in_it() -> None:
    first, second, third = jit.capture_adapted(shown("kwargs_while", slice(None))).findings()
    assert told((first, second, third)) == {ROUNDS, ("PDT086", "def forward(self, x, **options):")}
    assert second.message.endswith("in 'four rounds' options['limit'] is 2.0, but was not passed")
    assert third.message.startswith("arguments that are baked into the trace: options['shift'] = 0.5; ")


SOURCE = """\
from torch import nn

class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x

class Repeat(nn.Module):
    def forward(self, x, n: int):
        for i in range(n):
            x = x + i
        return x

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.repeat = Repeat()
    def forward(self, x):
        return self.repeat(x, x.size(0))

class Lambda(nn.Module):
    def forward(self, x):
        return (lambda y: y * 2)(x) if x.sum() > 0 else x
"""

CALLS = (Call((torch.ones(3, 2),), name="a"), Call((-torch.ones(5, 2),), name="b"))
UNSEEN = torch.full((7, 2), -1.0)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("mixed") / "mixed_models.py", SOURCE)


def mix(module: nn.Module) -> Captured:
    root = str(Path(sys.modules["mixed_models"].__file__ or "").parent)
    kept = copy.deepcopy(module)
    return mixed(Capturable(module, CALLS, root, lambda: copy.deepcopy(kept)))


def test_where_nothing_can_be_mixed_it_says_so(models: ModuleType) -> None:
    scripted: Any = torch.jit.script(models.Gate())
    callees: tuple[Any, ...] = (nn.Linear(2, 2), nn.Sequential(scripted), torch.relu)  # no stored values; a function
    for callee in callees:
        with pytest.raises(AbsentError):
            mix(callee)


def test_the_smallest_submodule_is_scripted_and_told(models: ModuleType) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(models.Gate()))
    eager = copy.deepcopy(model)
    captured = mix(model)
    assert torch.equal(captured.run(UNSEEN), eager(UNSEEN))
    (finding,) = captured.findings()
    assert finding.code == "PDT089" and finding.place.line == 5
    assert '`model.set_submodule("1.0", torch.jit.script(model.get_submodule("1.0")))`' in finding.message


@pytest.mark.forks
def test_where_a_number_is_passed_the_module_around_is_scripted(models: ModuleType) -> None:
    model = nn.Sequential()
    model.block = models.Block()
    captured = mix(model)
    assert torch.equal(captured.run(UNSEEN), models.Block()(UNSEEN))
    assert "`model.block = torch.jit.script(model.block)`" in captured.findings()[0].message


def test_what_cannot_be_scripted_is_named(models: ModuleType) -> None:
    with pytest.raises(MixError, match=r"come from the target itself, not from a submodule$"):
        mix(models.Gate())
    with pytest.raises(MixError, match=r"`0` does not script \(Lambda"):
        mix(nn.Sequential(models.Lambda()))
