"""What dynamo captures, in how many graphs, and whether they are all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters
from torch_differences import holds

from pdt_annotate.captures.subject import Capturable, Captured
from pdt_annotate.captures.ways import compile
from pdt_annotate.values.runs import Call

X = torch.ones(3)


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """What happens in a process of its own elsewhere."""
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


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


def capture(function: Callable[..., Any], way: Callable[[Capturable], Captured] = compile.capture) -> Captured:
    return way(Capturable(function, (Call((X,)),), "", lambda: function))


def test_a_program_without_breaks_is_one_graph() -> None:
    captured = capture(straight)
    assert torch.equal(captured.run(X), straight(X))
    assert len(captured.graphs()) == 1 and captured.whole()


def test_a_call_that_does_not_fit_makes_another_graph_of_the_whole() -> None:
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
    assert capture(straight, compile.capture_whole).whole()
    with pytest.raises(Exception, match="print"):
        capture(broken, compile.capture_whole)
