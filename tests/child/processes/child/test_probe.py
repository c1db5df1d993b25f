"""Generated calls: none is reported for models without traps; otherwise the smallest call that differs is."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import probe_task
import pytest

from pdt_annotate.flows.from_files import annotate
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.child.probe import FEWEST
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import PREPARE, attempt, look_further
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.runs import Candidate, SpecSource
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import Further, Trap

pytestmark = pytest.mark.forks

Prepare = Callable[[str, str], Session]

HEAD = """
    from enum import Enum
    from typing import Dict, List, NamedTuple, Optional, Tuple, Union

    import torch
    from torch import nn
    from torch.nn import functional as F
"""

QUIET = {
    "a convolution with statistics of the batch": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
            def forward(self, x):
                return F.relu(self.norm(self.conv(x)))
        """,
        "[(torch.randn(2, 3, 8, 8),)]",
    ),
    "checks that both make": (
        """
        def target(x, n: int, mode: str):
            assert n > 0, "positive"
            if mode not in ("mean", "sum"):
                raise ValueError("mode " + mode)
            return (x.mean() if mode == "mean" else x.sum()) / n
        """,
        '[(torch.randn(2, 4), 3, "mean"), (torch.randn(2, 4), 1, "sum")]',
    ),
    "random numbers of Python in another mode": (
        """
        import random

        class Net(nn.Module):
            def forward(self, x):
                drawn = float(torch.rand(())) if torch.jit.is_scripting() else random.random()
                return x * drawn if self.training else x
        """,
        "[(torch.randn(2, 3),)]",
    ),
    "random numbers": (
        """
        def target(x, p: float):
            return x * torch.rand_like(x) * p + torch.randn(x.size(0), 1)
        """,
        "[(torch.randn(2, 4), 0.5)]",
    ),
    "a cache that grows from call to call": (
        """
        class Net(nn.Module):
            keys: List[torch.Tensor]
            def __init__(self):
                super().__init__()
                self.keys, self.linear = [], nn.Linear(4, 4)
                self.register_buffer("steps", torch.zeros(()))
            def forward(self, x):
                self.keys.append(self.linear(x))
                self.steps += 1
                return torch.cat(self.keys, 1) * self.steps
        """,
        "[(torch.randn(2, 1, 4),)]",
    ),
    "a quotient that is infinite for 0": (
        """
        def target(x, n: int):
            return x / n + 1 / n
        """,
        "[(torch.randn(2), 3)]",
    ),
    "a nan for a nan": (
        """
        def target(y: float, xs: List[float]):
            return (min(y, max(xs)) if len(xs) > 0 else y) // 2.0
        """,
        "[(3.0, [1.0, 2.0])]",
    ),
    "what a rounding error decides": (
        """
        def target(x):
            return (x * 1e9).round() % 7
        """,
        "[(torch.randn(2, 4),)]",
    ),
    "an int for a float, as everybody passes it": (
        """
        def target(x, scale: float):
            return x * scale, scale
        """,
        "[(torch.randn(2), 0.5)]",
    ),
    "what is answered on purpose when scripted": (
        """
        def target(x, flag: bool):
            if torch.jit.is_scripting() and flag:
                return x + 1
            return x
        """,
        "[(torch.randn(2), False)]",
    ),
}

DRAWN = {"checks that both make", "random numbers", "a nan for a nan", "an int for a float, as everybody passes it"}
"""For these programs, random calls are generated, too, because there is time for them."""

SHIFT = (
    "def target(x, n: int):\n    return x + float(1 << max(n, 0))\n",
    "[(torch.randn(2), 3)]",
    "(torch.zeros(2), 63)",
)

TOLD = {
    "a number as a text": ("def target(f: float):\n    return str(f)\n", "[(0.5,)]", "(2,)"),
    "letters beyond ASCII": ("def target(s: str):\n    return s.upper()\n", '[("ab",)]', '("é",)'),
    "the length of a union": (
        "def target(x, k: Union[str, List[int]]):\n    return x * len(k)\n",
        '[(torch.randn(2), "a"), (torch.randn(2), [1])]',
        '(torch.ones(2), "")',
    ),
    "an empty list": (
        "def target(x, sizes: List[float]):\n    return sum(sizes)\n",
        "[(torch.randn(2), [0.5, 1.0])]",
        "(torch.zeros(2), [])",
    ),
}


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A zygote whose sessions have imported hypothesis."""
    with Zygote(timeout=120) as zygote:
        zygote.import_libraries(("pdt_annotate.processes.child.probe", "pdt_annotate.processes.child.probes.drafts"))
        yield zygote


@pytest.fixture
def prepare(zygote: Zygote, tmp_path: Path) -> Prepare:
    """Opens a session of a target, whose file was written before."""

    def prepare(source: str, calls: str) -> Session:
        write(tmp_path, source)
        task = f"import sys\nsys.path.append({os.path.dirname(probe_task.__file__)!r})\n"
        spec = tmp_path / "spec.py"
        spec.write_text(f"{task}import pdt_annotate\nimport torch\nexample_inputs = {calls}\n")
        return open_session(zygote, spec, "Net" if "class Net" in source else "target")

    return prepare


def write(folder: Path, source: str) -> list[str]:
    """Write the model, and return its lines."""
    text = dedent(HEAD) + dedent(source)
    (folder / "model.py").write_text(text)
    return text.splitlines()


def open_session(zygote: Zygote, spec: Path, name: str) -> Session:
    target = parse(f"{spec.parent}/model.py:{name}")
    return zygote.session(PREPARE, target, SpecSource(str(spec)), str(spec.parent), {}, with_libraries=True)


def draw(session: Session, *traps: Trap, seconds: float = 12.0) -> Further:
    found: Further = session.run("probe_task:probe_compiled", traps, seconds, gives=Further)
    return found


@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_told(name: str, prepare: Prepare) -> None:
    assert draw(prepare(*QUIET[name]), seconds=12.0 if name in DRAWN else 0.9).counterexamples == ()


@pytest.mark.parametrize("name", TOLD)
def test_the_smallest_call_is_told(name: str, prepare: Prepare) -> None:
    """The result is the same in every run."""
    source, calls, expected = TOLD[name]
    assert "\n".join(each.call for each in draw(prepare(source, calls)).counterexamples) == expected


def test_a_slow_machine_comes_to_the_same(prepare: Prepare) -> None:
    """A waiting call uses no processor time, just as a call on a busy machine."""
    if "coverage" in sys.modules:
        pytest.skip("coverage takes the processor time of calls: run without COVERAGE")
    source, calls, expected = SHIFT
    slowly = "    if not torch.jit.is_scripting():\n        time.sleep(0.03)\n    return"
    found = draw(prepare("import time\n" + source.replace("    return", slowly), calls), seconds=2.0)
    assert [each.call for each in found.counterexamples] == [expected] and found.undrawn == 0


def test_calls_without_time_are_counted_and_one_that_never_ends_is_left_behind(prepare: Prepare) -> None:
    session = prepare("def target(x, n: int):\n    return x * n\n", "[(torch.ones(2), 3)]")
    assert draw(session, seconds=0.0001).undrawn > 0
    source = "def target(x, n: int):\n    while n != 3:\n        n += 1\n    return x * n\n"
    assert draw(prepare(source, "[(torch.ones(2), 3)]"), seconds=0.5).counterexamples == ()


def test_a_call_of_many_operations_is_varied_less(prepare: Prepare) -> None:
    source = "def target(x, n: int):\n    return (x @ x) * n\n"
    small, large = (prepare(source, f"[(torch.ones({size}, {size}), 3)]") for size in (2, 1600))
    assert draw(large, seconds=0.0001).undrawn == FEWEST < draw(small, seconds=0.0001).undrawn


def test_calls_that_change_only_buffers_share_a_process(prepare: Prepare, tmp_path: Path) -> None:
    source = f"""
        import os

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm1d(4)
                self.register_buffer("calls", torch.zeros(()))

            def forward(self, x):
                if not torch.jit.is_scripting():
                    with open({str(tmp_path / "numbers")!r}, "a") as file:
                        file.write(str(os.getpid()) + "\\n")
                self.calls += 1
                return self.norm(x) * self.calls
    """
    assert draw(prepare(source, "[(torch.randn(2, 4),)]")).counterexamples == ()
    numbers = (tmp_path / "numbers").read_text().split()
    most = max(map(numbers.count, numbers))
    assert most > FEWEST and len(set(numbers)) < most


def trap_at(tmp_path: Path, source: str, text: str) -> Trap:
    line = next(n for n, each in enumerate(write(tmp_path, source), start=1) if text in each)
    return Trap("PDT100", "a trap", Place(str(tmp_path / "model.py"), line, 1))


def test_a_trap_on_a_line_that_runs_is_confirmed(prepare: Prepare, tmp_path: Path) -> None:
    source, calls = QUIET["what is answered on purpose when scripted"]
    met, missed = (trap_at(tmp_path, source, text) for text in ("is_scripting", "x + 1"))
    (told,) = draw(prepare(source, calls), met, missed).counterexamples
    assert told.confirms == (met,) and told.place == met.place


def test_a_module_is_put_into_another_mode(prepare: Prepare, tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.eval()

            def forward(self, x):
                if self.training and not torch.jit.is_scripting():
                    return x + 2
                return x
    """
    trap = trap_at(tmp_path, source, "is_scripting")
    (told,) = draw(prepare(source, "[(torch.randn(2),)]"), trap).counterexamples
    assert told.call == 'pdt_annotate.Call((torch.zeros(2),), mode="train")'


def test_a_nan_confirms_no_trap_and_without_an_example_nothing_is_drawn(prepare: Prepare, tmp_path: Path) -> None:
    source = "def target(f: float):\n    return int(f)\n"
    told = draw(prepare(source, "[(0.5,)]"), trap_at(tmp_path, source, "int(f)")).counterexamples
    assert [each.call for each in told] == ['pdt_annotate.Call((float("nan"),), raises=True)', "(1e+30,)"]
    assert not any(each.confirms for each in told)
    assert draw(prepare("def target():\n    return 1\n", "[()]")).counterexamples == ()


def fails_with(zygote: Zygote, spec: Path, line: str) -> str:
    """The failure on the example calls after one more call is added to their file."""
    with spec.open("a") as file:
        file.write(line)
    failure = attempt(open_session(zygote, spec, "target"), Candidate()).failure
    return failure.message if failure else ""


def test_the_line_is_pasted_into_a_spec_of_yaml(prepare: Prepare, zygote: Zygote, tmp_path: Path) -> None:
    prepare(*SHIFT[:2])
    spec = tmp_path / "spec.yaml"
    spec.write_text("calls:\n- {args: [{tensor: [2]}, 3]}\n")
    (told,) = look_further(open_session(zygote, spec, "target"), Candidate(), 12.0).counterexamples
    assert "differs" in fails_with(zygote, spec, f"{told.call}\n")


def test_the_run_fails_with_the_line_that_the_spec_gets(prepare: Prepare, zygote: Zygote, tmp_path: Path) -> None:
    source, calls, expected = SHIFT
    prepare(source, calls)
    spec = tmp_path / "spec.py"
    options = Options((parse(f"{tmp_path}/model.py:target"),), SpecSource(str(spec)), str(tmp_path))
    verdict = annotate(options, zygote).verdicts[-1]
    assert verdict.judge == "probes" and verdict.failure and verdict.failure.message.endswith(f"the spec: {expected}")
    assert "differs" in fails_with(zygote, spec, f"example_inputs.append({expected})\n")


VERIFIED = """
    import functools
    from typing import List, Optional

    from torch import Tensor, nn

    def halved(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) / 2
        return wrapper

    class Net(nn.Module):
        def forward(self, x, sizes=None):
            return self.decode(x) * len(sizes)
        @halved
        def decode(self, x):
            return x
"""


def test_traps_with_the_types_of_a_candidate(tmp_path: Path, zygote: Zygote) -> None:
    file, spec = tmp_path / "model.py", tmp_path / "inputs.py"
    file.write_text(dedent(VERIFIED))
    spec.write_text("import torch\n\nexample_inputs = [(torch.ones(1), [1])]\n")
    session = open_session(zygote, spec, "Net")
    # For a Tensor, `len` is right.
    assert [trap.code for trap in look_further(session, Candidate(), 0).traps] == ["PDT100"]

    annotated = file.read_text().replace("sizes=None", "sizes: Optional[List[int]] = None")
    wrapper, length = look_further(session, Candidate(sources={str(file): annotated.encode()}), 0).traps
    lines = annotated.splitlines()
    assert (wrapper.code, wrapper.place) == ("PDT100", Place(str(file), lines.index("    @halved") + 1, 6))
    assert (length.code, length.place.line) == ("PDT110", wrapper.place.line - 1)
    assert length.owner is not None and length.owner.qualname == "Net.forward"
