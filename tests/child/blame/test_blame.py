"""Blame, with the real compiler: working parts, the parts at fault, and all faults at once."""

import linecache
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
import torch
from torch import nn

from pdt_annotate.blame import modules
from pdt_annotate.flows import verify as flow
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs import Spec
from pdt_annotate.inputs.target import parse
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import ALLOWANCES, Allowance
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import Call, Candidate, SpecSource
from pdt_annotate.values.verdicts import Answers, Part, Trial, Verdict

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
    """Verifies targets, by default "Net", in a source with the names of torch and typing."""

    def run(source: str, *targets: str, spec: str = SPEC) -> Outcome:
        (tmp_path / "model.py").write_text(PRELUDE + dedent(source).strip() + "\n")
        (tmp_path / "spec.py").write_text(spec)
        parsed = tuple(parse(f"{tmp_path}/model.py:{name}") for name in targets or ("Net",))
        options = Options(parsed, SpecSource(str(tmp_path / "spec.py")), str(tmp_path), no_probe=True)
        return flow.verify(options, zygote)

    return run


def parts_of(outcome: Outcome) -> dict[str, Part]:
    (blame,) = outcome.blame
    return {part.path: part for part in blame.parts}


def faults(part: Part) -> list[tuple[str, int]]:
    """Codes, and lines of the source after the prelude."""
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
    assert faults(parts[""]) == [("PDT001", 19)]
    assert parts[""].blamed == ()


FAULTS = {
    "every fault of a function and of what it calls": """
        class Net(nn.Module):
            extra: Optional[Tensor]
            def __init__(self):
                super().__init__()
                self.extra = None
            def forward(self, x, *, flag: bool = False):  # PDT002
                names = {"a"}  # PDT004
                y = x + self.extra if self.extra is not None else x  # PDT045
                path = os.path.join("a", "b")  # PDT006
                with open(os.devnull) as file:  # PDT004
                    file.read()
                z = self.double(x, **{})  # PDT004
                return helper(x) if flag else x
            def double(self, x):
                yield x  # PDT004

        def helper(x):
            try:  # PDT004
                return x.no_such_method()  # PDT054
            except ValueError:
                return x
    """,
    "what follows from a fault is none": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.seen = []
                self.last = None
            def forward(self, x):
                sizes = []
                for i in range(x.size(0)):
                    sizes.append(i)  # PDT040
                    sizes.append(i + 1)
                self.last = x  # PDT043
                self.last = x + 1
                return pad(sizes), self.sum(x)
            def sum(self, x):
                self.last = x
                return x

        def pad(sizes: List[int]):
            return len(sizes)
    """,
    "missing annotations hide nothing": """
        def pick(x, mode):  # PDT039
            return x if mode == "a" else x + 1

        class Net(nn.Module):
            def forward(self, x, n=2, mask=None):  # PDT039
                names = {"a"}  # PDT004
                for i in range(n):
                    x = pick(x, "a")
                if mask is not None:
                    x = x * mask
                return x
    """,
    "a library is blamed once, where it is called": """
        import collections
        import statistics

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(3, 3)
            def forward(self, x):
                self.rnn.flatten_parameters()  # PDT056
                point = collections.namedtuple("point", ["x"])  # PDT056
                return self.mean(x), {len(statistics.quantiles([1.0, 2.0], n=2))}  # PDT004 PDT056
            def mean(self, x):
                return x * statistics.mean([1.0])  # PDT056
    """,
    "static methods are read without self": """
        class Net(nn.Module):
            @staticmethod
            def size(x):
                return x.shape[0]
            @staticmethod
            def bad(x):
                return x.shape[0], {1}  # PDT004
            def forward(self, x):
                names = {self.size(x), self.bad(x)[0]}  # PDT004
                return x
    """,
    "what is defined where it is refused is no second fault": """
        class Net(nn.Module):
            def forward(self, x):
                import math  # PDT004
                def double(t):  # PDT004
                    return t * 2
                return double(x) * math.pi
    """,
    "an annotation that is no type hides nothing": """
        class Net(nn.Module):
            def forward(
                self,
                x,
                cache: Optional[dict] = None,  # PDT008
            ):
                if cache is not None:
                    x = x + cache["x"]
                return x, {1}  # PDT004
    """,
    "a part that fails has a fault with a place": """
        class Net(nn.Module):  # PDT051
            def __init__(self):
                super().__init__()
                self.conv = nn.utils.weight_norm(nn.Linear(3, 3))
            def forward(self, x):
                return self.conv(x)
    """,
    "modules of one class differ by their flags": """
        class Layer(nn.Module):
            fancy: Final[bool]
            def __init__(self, fancy):
                super().__init__()
                self.fancy = fancy
            def forward(self, x):
                if self.fancy:
                    return x.no_such_method()  # b: PDT054
                return x

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = Layer(False), Layer(True)
            def forward(self, x):
                return self.a(x)
    """,
    "an annotation in a class body has a place and hides nothing": """
        class Sub(nn.Module):
            inner: nn.Linear  # sub: PDT050
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(3, 3)
            def forward(self, x):
                return self.inner(x), {1}  # sub: PDT004

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.sub = Sub()
            def forward(self, x):
                return self.sub(x)[0], {2}  # PDT004
    """,
    "callers are not blamed for returns that differ": """
        class Part(nn.Module):
            def forward(self, x):
                if x.size(0) > 9:
                    return x
                return x, x  # part: PDT042

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()
            def forward(self, x):
                a, b = self.part(x)
                return a + b, {1}  # PDT004
    """,
}
"""Sources by name. A comment has the name of the faulty part, and the codes of the faults in its line."""

SAID = {
    "what follows from a fault is none": "List[int]",
    "missing annotations hide nothing": "Net.forward(n: int, mask: Optional[Tensor])",
    "a library is blamed once, where it is called": "namedtuple of collections: Compiled functions can't take",
    "an annotation that is no type hides nothing": "<class 'dict'> could not be resolved",
}
"""Words of a message, or of advice."""

EXPECTED = re.compile(r"  # (?:(\w+): )?((?: ?PDT\d+)+)$")


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, verify: Verify) -> None:
    expected: dict[str, list[tuple[str, int]]] = {"": []}
    for number, line in enumerate(dedent(FAULTS[name]).strip().splitlines(), 1):
        if found := EXPECTED.search(line):
            expected.setdefault(found[1] or "", []).extend((code, number) for code in found[2].split())
    unsound = {path: part for path, part in parts_of(verify(FAULTS[name])).items() if not part.is_sound}
    assert {path: faults(part) for path, part in unsound.items()} == expected
    assert {part.hidden for part in unsound.values()} == {name == "a part that fails has a fault with a place"}
    told = str([part.faults for part in unsound.values()])
    assert SAID.get(name, "") in told and "0x" not in told


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
            self.layers[1].gate = Plain()
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x + 0
"""


@pytest.mark.spawned
def test_the_deepest_that_answers_wrong_is_at_fault(verify: Verify) -> None:
    parts = parts_of(verify(TREE.replace("GATE", "x + 100 if isinstance(True, int) else x")))
    assert {path: part.answers for path, part in parts.items()} == {
        "": Answers.DIFFER,
        "layers.0": Answers.DIFFER,
        "layers.0.gate": Answers.DIFFER,
        "layers.0.plain": Answers.ALIKE,
        "layers.1": Answers.ALIKE,
    }
    assert parts[""].blamed == ("layers.0",)
    assert parts["layers.0"].blamed == ("layers.0.gate",)
    assert parts[""].faults == parts["layers.0"].faults == ()
    assert [fault.code for fault in parts["layers.0.gate"].faults] == ["PDT060"]
    assert parts["layers.1"].size == 3


def test_the_deepest_that_does_not_script_is_at_fault(verify: Verify) -> None:
    source = TREE.replace("GATE", "x if {1} else x").replace("return x + 0", "return x if {2} else x")
    parts = parts_of(verify(source.replace("self.layers[1].gate = Plain()", "self.number = 1")))
    unsound = {path: (faults(part), part.blamed) for path, part in parts.items() if not part.is_sound}
    assert unsound == {
        "": ([("PDT004", 24)], ("layers.0", "layers.1")),
        "layers.0": ([], ("layers.0.gate",)),
        "layers.0.gate": ([("PDT004", 3)], ()),
        "layers.1": ([], ("layers.1.gate",)),
        "layers.1.gate": ([("PDT004", 3)], ()),
    }


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
    assert "a trace is right on its 2 recorded calls" in parts["straight"].faults[0].advice[1]
    assert len(parts["branch"].faults[0].advice) == 1
    (fault,) = parts[""].faults
    assert "No example call runs debug. If the scripted model does not need" in fault.advice[1]


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
    assert faults(function.parts[0]) == [("PDT004", 5)]
    assert faults(method.parts[0]) == [("PDT004", 12)]
    assert not outcome.verified


METHODS = """
    class Good(nn.Module):
        def forward(self, x):
            return x
        def decode(self, x):
            return x + 1

    class Bad(Good):
        def decode(self, x):
            return {x}

    class Wrong(Good):
        def decode(self, x):
            return x + 1 if isinstance(True, int) else x
"""


def test_methods_that_calls_name_are_compiled_and_compared(verify: Verify) -> None:
    spec = SPEC.replace("[(torch", "[Call((torch.ones(2),), method='decode'), (torch")
    outcome = verify(METHODS, "Good", "Bad", "Wrong", spec=f"from pdt_annotate import Call\n{spec}")
    good, bad, wrong = (blame.parts[0] for blame in outcome.blame)
    assert good.is_sound
    assert faults(bad) == [("PDT004", 9)]
    assert [fault.code for fault in wrong.faults] == ["PDT060"]


class Bad(nn.Module):
    def forward(self, x):
        try:
            return x
        except ValueError:
            return x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Bad()
        self.second = nn.Sequential(Bad())

    def forward(self, x):
        return self.second(self.first(x))


@pytest.mark.usefixtures("one_thread")
def test_modules_without_time_are_named_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    prepared = Prepared(".", subject_of(net, lambda: net), net, Spec((Call((torch.ones(2),)),)), Store())
    failed = Trial((Verdict("scripts", False),))
    for seconds, left in ((ALLOWANCES["module tree"].seconds, []), (0.0, ["first", "second.0"])):
        monkeypatch.setitem(ALLOWANCES, "module tree", Allowance(seconds=seconds))
        parts = modules.blame(prepared, Candidate(), failed, {}, Candidate())
        assert [part.path for part in parts if part.answers is Answers.NOT_JUDGED] == left
        assert [part.path for part in parts] == ["", "first", "second.0"]


def test_columns_count_from_the_margin_in_methods_as_well(verify: Verify) -> None:
    outcome = verify(
        """
        import statistics
        from typing import TypeVar

        T = TypeVar("T")

        class Net(nn.Module):
            def forward(self, x, n: int = 1, other: T = None):
                y = {len(statistics.quantiles([1.0, 2.0], n=2))}
                return x
        """
    )
    part = parts_of(outcome)[""]
    places = [fault.failure.place for fault in part.faults]
    lines = [linecache.getline(place.file, place.line)[place.column - 1 :] for place in places]
    assert [line[:15].strip() for line in lines] == ["T = None):", "{len(statistics", "statistics.quan"]
    assert not part.hidden
