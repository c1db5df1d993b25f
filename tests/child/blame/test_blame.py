"""Who is at fault, by the real compiler: parts that are sound, whose fault it is, and all faults at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows import verify as flow
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.verdicts import Answers, Part

PRELUDE = """
import os
from typing import Dict, Final, List, Optional

import torch
from torch import Tensor, nn

"""
FIRST = PRELUDE.count("\n")
SPEC = """
import torch

example_inputs = [(torch.ones(2, 3),), (torch.ones(4, 3),)]
"""

Verify = Callable[..., Outcome]


@pytest.fixture
def verify(zygote: Zygote, tmp_path: Path) -> Verify:
    """Verifies targets, "Net" if none is named, in a source that has torch and typing's names."""

    def run(source: str, *targets: str, spec: str = SPEC) -> Outcome:
        (tmp_path / "model.py").write_text(PRELUDE + dedent(source).strip() + "\n")
        (tmp_path / "spec.py").write_text(spec)
        parsed = tuple(parse(f"{tmp_path}/model.py:{name}") for name in targets or ("Net",))
        options = Options(parsed, spec_source(str(tmp_path / "spec.py"), ()), str(tmp_path), no_probe=True)
        return flow.verify(options, zygote)

    return run


def parts_of(outcome: Outcome) -> dict[str, Part]:
    (blame,) = outcome.blame
    return {part.path: part for part in blame.parts}


def faults(part: Part) -> list[tuple[str, int]]:
    """Codes, and lines of the source behind the prelude."""
    return [(fault.code, fault.failure.place.line - FIRST if fault.failure.place.line else 0) for fault in part.faults]


SOUND = """
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def forward(self, x):
            self.count += 1
            return x * self.count


    class Odd(nn.Module):
        def forward(self, x):
            if torch.jit.is_scripting():
                return x + 1
            return x


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.counter, self.odd, self.idle = Counter(), Odd(), Counter()

        def forward(self, x):
            return self.odd(self.counter(x))
"""


def test_nobody_is_to_blame_where_all_is_well(verify: Verify) -> None:
    outcome = verify(SOUND)
    assert outcome.verified
    assert (outcome.blame, outcome.changes, outcome.annotations) == ((), (), ())


@pytest.mark.spawned
def test_sound_parts_keep_state_and_purpose(verify: Verify) -> None:
    parts = parts_of(verify(SOUND.replace("x):\n            return self.odd", "x, *_):\n            return self.odd")))
    assert [(path, part.is_sound, part.answers, part.calls) for path, part in parts.items()] == [
        ("", False, Answers.UNKNOWN, 0),
        ("counter", True, Answers.ALIKE, 2),
        ("odd", True, Answers.ALIKE, 2),
        ("idle", True, Answers.NOT_CALLED, 0),
    ]
    assert faults(parts[""]) == [("PDT001", 23)]
    assert parts[""].blamed == ()


FAULTS: dict[str, tuple[str, list[tuple[str, int]], tuple[int, str]]] = {
    "every fault of a function and of what it calls": (
        """
        class Net(nn.Module):
            extra: Optional[Tensor]

            def __init__(self):
                super().__init__()
                self.extra = None

            def forward(self, x, *, flag: bool = False):
                names = {"a"}
                y = x + self.extra if self.extra is not None else x
                path = os.path.join("a", "b")
                with open(os.devnull) as file:
                    file.read()
                z = self.double(x, **{})
                return helper(x) if flag else x

            def double(self, x):
                yield x


        def helper(x):
            try:
                return x.no_such_method()
            except ValueError:
                return x
        """,
        [("PDT002", 8), ("PDT004", 9), ("PDT045", 10), ("PDT006", 11),
         ("PDT004", 12), ("PDT004", 14), ("PDT004", 18), ("PDT004", 22), ("PDT054", 23)],
        (0, ""),
    ),
    "what follows from a fault is none": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.seen = []
                self.last = None

            def forward(self, x):
                sizes = []
                for i in range(x.size(0)):
                    sizes.append(i)
                    sizes.append(i + 1)
                self.last = x
                self.last = x + 1
                return pad(sizes), self.sum(x)

            def sum(self, x):
                self.last = x
                return x


        def pad(sizes: List[int]):
            return len(sizes)
        """,
        [("PDT040", 10), ("PDT043", 12)],
        (0, "List[int]"),
    ),
    "missing annotations hide nothing": (
        """
        def pick(x, mode):
            return x if mode == "a" else x + 1


        class Net(nn.Module):
            def forward(self, x, n=2, mask=None):
                names = {"a"}
                for i in range(n):
                    x = pick(x, "a")
                if mask is not None:
                    x = x * mask
                return x
        """,
        [("PDT039", 1), ("PDT039", 6), ("PDT004", 7)],
        (1, "Net.forward(n: int, mask: Optional[Tensor])"),
    ),
    "a library is blamed once, where it is called": (
        """
        import collections
        import statistics


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(3, 3)

            def forward(self, x):
                self.rnn.flatten_parameters()
                point = collections.namedtuple("point", ["x"])
                return self.mean(x), {len(statistics.quantiles([1.0, 2.0], n=2))}

            def mean(self, x):
                return x * statistics.mean([1.0])
        """,
        [("PDT056", 11), ("PDT056", 12), ("PDT004", 13), ("PDT056", 13), ("PDT056", 16)],
        (1, "namedtuple of collections: Compiled functions can't take"),
    ),
    "static methods are read without self": (
        """
        class Net(nn.Module):
            @staticmethod
            def size(x):
                return x.shape[0]

            @staticmethod
            def bad(x):
                return x.shape[0], {1}

            def forward(self, x):
                names = {self.size(x), self.bad(x)[0]}
                return x
        """,
        [("PDT004", 8), ("PDT004", 11)],
        (0, ""),
    ),
    "what is defined where it is refused is no second fault": (
        """
        class Net(nn.Module):
            def forward(self, x):
                import math
                def double(t):
                    return t * 2
                return double(x) * math.pi
        """,
        [("PDT004", 3), ("PDT004", 4)],
        (0, ""),
    ),
    "an annotation that is no type hides nothing": (
        """
        class Net(nn.Module):
            def forward(
                self,
                x,
                cache: Optional[dict] = None,
            ):
                if cache is not None:
                    x = x + cache["x"]
                return x, {1}
        """,
        [("PDT008", 5), ("PDT004", 9)],
        (0, "<class 'dict'> could not be resolved"),
    ),
    "a part that fails has a fault with a place": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.utils.weight_norm(nn.Linear(3, 3))

            def forward(self, x):
                return self.conv(x)
        """,
        [("PDT051", 1)],
        (0, ""),
    ),
}  # fmt: skip
"""By name: a source, the faults of its only part, and for one of those words of its message or its advice."""


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, verify: Verify) -> None:
    source, expected, said = FAULTS[name]
    (part,) = parts_of(verify(source)).values()
    assert faults(part) == expected
    assert part.hidden == (name == "a part that fails has a fault with a place")
    assert "0x" not in str(part.faults)
    fault = part.faults[said[0]]
    assert said[1] in fault.failure.message or said[1] in " ".join(fault.advice)


TREE = """
    class Gate(nn.Module):
        def forward(self, x):
            return GATE


    class Plain(nn.Module):
        def forward(self, x):
            return x


    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.fc, self.plain = Gate(), nn.Linear(3, 3), Plain()

        def forward(self, x):
            return self.plain(self.fc(self.gate(x)))


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Layer(), Layer()])
            self.tail = nn.Sequential(nn.Linear(3, 3), Layer())
            self.tail[1].gate = Plain()

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.tail(x)
"""


@pytest.mark.spawned
def test_the_deepest_that_answers_wrong_is_at_fault(verify: Verify) -> None:
    parts = parts_of(verify(TREE.replace("GATE", "x + 100 if isinstance(True, int) else x")))
    assert {path: part.answers for path, part in parts.items()} == {
        "": Answers.DIFFER,
        "layers.0": Answers.DIFFER,
        "layers.0.gate": Answers.DIFFER,
        "layers.0.plain": Answers.ALIKE,
        "layers.1": Answers.DIFFER,
        "layers.1.gate": Answers.DIFFER,
        "layers.1.plain": Answers.ALIKE,
        "tail.1": Answers.ALIKE,
    }
    assert parts[""].blamed == ("layers.0", "layers.1")
    assert parts["layers.0"].blamed == ("layers.0.gate",)
    assert parts[""].faults == parts["layers.0"].faults == ()
    assert [fault.code for fault in parts["layers.0.gate"].faults] == ["PDT060"]
    assert parts["tail.1"].size == 3


def test_the_deepest_that_does_not_script_is_at_fault(verify: Verify) -> None:
    source = TREE.replace("GATE", "x if {1} else x").replace("return self.tail(x)", "return self.tail(x if {2} else x)")
    parts = parts_of(verify(source))
    unsound = {path: (faults(part), part.blamed) for path, part in parts.items() if not part.is_sound}
    assert unsound == {
        "": ([("PDT004", 30)], ("layers.0", "layers.1")),
        "layers.0": ([], ("layers.0.gate",)),
        "layers.0.gate": ([("PDT004", 3)], ()),
        "layers.1": ([], ("layers.1.gate",)),
        "layers.1.gate": ([("PDT004", 3)], ()),
    }


def test_modules_of_one_class_differ_by_their_flags(verify: Verify) -> None:
    parts = parts_of(
        verify(
            """
            class Layer(nn.Module):
                fancy: Final[bool]

                def __init__(self, fancy):
                    super().__init__()
                    self.fancy = fancy

                def forward(self, x):
                    if self.fancy:
                        return x.no_such_method()
                    return x


            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a, self.b = Layer(False), Layer(True)

                def forward(self, x):
                    return self.a(x)
            """
        )
    )
    assert (parts["a"].is_sound, parts["b"].is_sound, parts[""].blamed) == (True, False, ("b",))
    assert faults(parts["b"]) == [("PDT054", 10)]


def test_an_annotation_in_a_class_body_has_a_place_and_hides_nothing(verify: Verify) -> None:
    parts = parts_of(
        verify(
            """
            class Sub(nn.Module):
                inner: nn.Linear

                def __init__(self):
                    super().__init__()
                    self.inner = nn.Linear(3, 3)

                def forward(self, x):
                    return self.inner(x), {1}


            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.sub = Sub()

                def forward(self, x):
                    return self.sub(x)[0], {2}
            """
        )
    )
    assert faults(parts["sub"]) == [("PDT050", 2), ("PDT004", 9)]
    assert faults(parts[""]) == [("PDT004", 18)]


def test_remedies_fit_the_part(verify: Verify) -> None:
    outcome = verify(
        """
        class Act(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = lambda t: t * 2

            def forward(self, x):
                return self.act(x)


        class Branch(Act):
            def forward(self, x):
                return self.act(x) if bool(x.sum() > 1e9) else x


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.straight, self.branch = Act(), Branch()

            def forward(self, x):
                if x.size(0) > 100:
                    return debug(x)
                return self.branch(self.straight(x))


        def debug(x):
            return [x for x in {1, 2}]
        """
    )
    parts = parts_of(outcome)
    assert (parts["straight"].traces, parts["branch"].traces) == (True, False)
    assert "torch.jit.trace answers alike on its 2 recorded calls" in parts["straight"].faults[0].advice[1]
    assert len(parts["branch"].faults[0].advice) == 1
    (fault,) = parts[""].faults
    assert "No example call enters debug: @torch.jit.unused" in fault.advice[1]


def test_functions_and_methods_are_targets_too(verify: Verify) -> None:
    outcome = verify(
        """
        def double(x):
            return x * 2


        def f(x):
            print(*[x])
            return double(x)


        class Net(nn.Module):
            def forward(self, x):
                return x

            def encode(self, x):
                return {x}
        """,
        "double",
        "f",
        "Net.encode",
    )
    double, function, method = outcome.blame
    assert [part.is_sound for part in double.parts] == [True]
    assert faults(function.parts[0]) == [("PDT004", 6)]
    assert faults(method.parts[0]) == [("PDT004", 15)]
    assert not outcome.verified


METHODS = """
    class Net(nn.Module):
        def forward(self, x):
            return x

        def decode(self, x):
            return BODY
"""
DECODE = """
import torch
from pdt_annotate import Call

example_inputs = [Call((torch.ones(2),)), Call((torch.ones(2),), method="decode")]
"""


def test_methods_that_calls_name_are_compiled_and_compared(verify: Verify) -> None:
    good, bad, wrong = (
        verify(METHODS.replace("BODY", body), spec=DECODE)
        for body in ("x + 1", "{x}", "x + 1 if isinstance(True, int) else x")
    )
    assert good.verified
    assert faults(parts_of(bad)[""]) == [("PDT004", 6)]
    assert [fault.code for fault in parts_of(wrong)[""].faults] == ["PDT060"]


def test_callers_are_not_blamed_for_returns_that_differ(verify: Verify) -> None:
    outcome = verify(
        """
        class Part(nn.Module):
            def forward(self, x):
                if x.size(0) > 9:
                    return x
                return x, x


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()

            def forward(self, x):
                a, b = self.part(x)
                return a + b, {1}
        """
    )
    parts = parts_of(outcome)
    assert (faults(parts["part"]), faults(parts[""])) == ([("PDT042", 5)], [("PDT004", 15)])
