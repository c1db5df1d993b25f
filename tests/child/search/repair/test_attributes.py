"""Attributes against the real compiler: which class says what they are, and what is left as it stands.

One run for each group, because a run costs a second; every class in it has a fault of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from repaired_module import HEAD, annotate, describe

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Origin, SlotKind

LEFT_ALONE = """
    from typing import Final

    class Kind:
        def __init__(self, n: int):
            self.n = n
            self.items: List[int] = []

        def put(self, i: int):
            self.items.append(i)
            return self.n

    class Net(nn.Module):
        WIDTH: Final[int] = 2
        UNUSED = 3
        TABLE = {"a": 1}

        def __init__(self):
            super().__init__()
            self.point = Point(torch.ones(1), 1)
            self.kind = Kind(2)
            self.mode = "sum"
            self.level = 3
            self.flag = True
            self.pair = (1, 2.5)
            self.act = nn.functional.relu

        def forward(self, x):
            if self.mode == "sum" and self.level > 2:
                x = x + self.pair[1]
            if self.flag:
                x = self.act(x)
            return x * self.WIDTH * self.kind.put(1)
"""

CONSTANTS = """
    class Base(nn.Module):
        DEPTH = 2
        KIND = torch.float64

    class Net(Base):
        SCALES = [1, 2]
        NESTED = ((1, 0.5), ())
        NAME = "net"

        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x, name: str):
            for scale in self.SCALES:
                x = x * scale + self.NESTED[0][1]
            if name == self.NAME:
                x = x * self.DEPTH
            self.last = x
            return x.to(self.KIND)
"""

MENTIONED = """
    def blur(x: Tensor, sigma: float) -> Tensor:
        return x / sigma

    class Shaped(nn.Module):
        def __init__(self):
            super().__init__()
            self.point = Point(torch.ones(1), 2)

        def forward(self, x):
            point = self.point
            return x * point.x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.shaped = Shaped()
            self.sigma = 2
            self.stats = [None, None]

        def area(self, point):
            return point.n

        def forward(self, x):
            self.stats[0] = x
            return blur(self.shaped(x), self.sigma) * self.area(self.shaped.point)
"""

GUESSED = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.extra = []
            self.offset = {}

        def forward(self, x):
            for each in self.extra:
                x = x + each
            return x + self.offset["a"] if "a" in self.offset else x
"""

INHERITED = """
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.memory = []
            self.last = None

        def remember(self, x):
            self.memory.append(x)
            last = self.last
            self.last = x
            return x if last is None else x + last

    class Plain(Base):
        def forward(self, x):
            return self.remember(x)

    class Mid(Base):
        pass

    class Own(Mid):
        def __init__(self):
            super().__init__()
            self.counts = {}

        def forward(self, x):
            x = self.remember(x)
            self.counts["n"] = 1
            return x * self.counts["n"]

    class Mixin:
        def advance(self, x):
            self.state = x
            return x

    class Mixed(nn.Module, Mixin):
        def __init__(self):
            super().__init__()
            self.state = None

        def forward(self, x):
            return self.advance(x)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain, self.own, self.mixed = Plain(), Own(), Mixed()

        def forward(self, x):
            return self.mixed(self.own(self.plain(x)))
"""

QUOTED = """
    import enum

    class Mode(enum.Enum):
        SUM = "sum"
        MEAN = "mean"

    class Base(nn.Module):
        scale: float

        def __init__(self):
            super().__init__()
            self.scale = 0.5

    class Net(Base):
        items: List[int]
        mode: Mode

        def __init__(self):
            super().__init__()
            self.mode = Mode.SUM
            self.items = []
            self.last = None

        def forward(self, x):
            self.items.append(1)
            self.last = x
            return x * self.scale if self.mode == Mode.SUM else x
"""

SCRIPT_CLASSES = """
    class Meter:
        def __init__(self, n):
            self.n = n
            self.sizes = []
            self.names = {}
            self.first = []

        def update(self, x):
            self.sizes.append(x.size(0))
            self.names[x.size(0)] = self.n
            self.first.append(x)
            return len(self.sizes)

    class Counter:
        def __init__(self):
            self.seen = []

        def count(self, n):
            self.seen.append(n)
            return len(self.seen)

    class Cache:
        def __init__(self):
            self.items = dict()
            self.rows = {}

        def put(self, key, value):
            self.items[key] = value
            self.rows[str(key)] = [value.size(0), 1]

        def get(self, key):
            return self.items[key] * self.rows[str(key)][1]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.meter = Meter(2)

        def forward(self, x):
            counter, cache = Counter(), Cache()
            cache.put(4, x)
            return x * self.meter.update(x) * counter.count(3) + cache.get(4)
"""

HOOKS = """
    def double(self, args):
        return (args[0] * 2,)

    def total(module, args, output):
        return output + args[0].sum()

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(2, 2)
            self.lin.register_forward_pre_hook(double)
            self.lin.register_forward_hook(total)

        def forward(self, x):
            return self.lin(x)
"""

IGNORED = """
    class Net(nn.Module):
        @torch.jit.ignore
        def steps(self, n):
            return n % 3

        @torch.jit.ignore
        def table(self, keys):
            return {key: len(key) for key in keys}

        @torch.jit.ignore
        def scaled(self, x):
            return x * 2

        @torch.jit.unused
        def heavy(self, x):
            return [x]

        def forward(self, x, names: List[str]):
            for _ in range(self.steps(x.size(0))):
                x = x + self.table(names)["ab"]
            if not torch.jit.is_scripting():
                x = self.heavy(x)[0]
            return self.scaled(x)
"""

OVERLOADS = """
    @torch.jit._overload
    def crop(x, size, center=True):
        ...

    @torch.jit._overload
    def crop(x, size, center=True):
        ...

    def crop(x, size, center=True):
        if isinstance(size, int):
            return x[:size] if center else x
        else:
            return x[: size[0]]

    class Net(nn.Module):
        @torch.jit._overload_method
        def merge(self, x: Tensor) -> Tensor:
            pass

        @torch.jit._overload_method
        def merge(self, x):
            pass

        def merge(self, x):
            if isinstance(x, Tensor):
                return x
            else:
                return x[0]

        def forward(self, x):
            return self.merge([crop(x, 2), crop(x, (1, 1), False)]) + self.merge(x)
"""

X = "torch.ones(2, 2)"
TWICE = f"({X},), ({X},)"

MODULES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "left alone": (LEFT_ALONE, TWICE, {}),
    "constants": (
        CONSTANTS,
        f"({X}, 'net'), ({X}, 'x')",
        {
            "Net.SCALES": "Final[List[int]]",
            "Net.NESTED": "Final[Tuple[Tuple[int, float], Tuple[()]]]",
            "Net.NAME": "Final[str]",
            "Net.DEPTH": "Final[int]",
            "Net.KIND": "Final[dtype]",
            "Net.last": "Optional[Tensor]",
        },
    ),
    "mentioned": (
        MENTIONED,
        TWICE,
        {
            "Shaped.point": "Point",
            "Net.sigma": "float",
            "Net.stats": "List[Optional[Tensor]]",
        },
    ),
    "guessed": (GUESSED, TWICE, {"Net.extra": "List[Tensor]", "Net.offset": "Dict[str, Tensor]"}),
    "inherited": (
        INHERITED,
        TWICE,
        {
            "Base.memory": "List[Tensor]",
            "Base.last": "Optional[Tensor]",
            "Own.counts": "Dict[str, int]",
            "Own.memory": "List[Tensor]",
            "Own.last": "Optional[Tensor]",
            "Mixed.state": "Optional[Tensor]",
        },
    ),
    "quoted": (
        QUOTED,
        TWICE,
        {
            "Net.mode": "Mode",
            "Net.items": "List[int]",
            "Net.last": "Optional[Tensor]",
        },
    ),
    "script classes": (
        SCRIPT_CLASSES,
        TWICE,
        {
            "Meter.__init__.self.sizes": "List[int]",
            "Meter.__init__.self.names": "Dict[int, int]",
            "Counter.__init__.self.seen": "List[int]",
            "Cache.__init__.self.items": "Dict[int, Tensor]",
            "Cache.__init__.self.rows": "Dict[str, List[int]]",
        },
    ),
    "hooks": (HOOKS, TWICE, {"double.return": "Tuple[Tensor]"}),
    "ignored functions": (
        IGNORED,
        f"({X}, ['ab', 'c'])",
        {"Net.steps.return": "int", "Net.table.return": "Dict[str, int]"},
    ),
    "overloads": (OVERLOADS, TWICE, {}),
}
FUTURE = """\
from __future__ import annotations

from typing import List

import torch
from torch import nn
"""


@pytest.fixture(scope="module")
def run(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Outcome]:
    """What annotating a module by name gives; each runs once."""

    @functools.cache
    def run(name: str) -> Outcome:
        source, calls, _ = MODULES[name]
        head = HEAD if name != "quoted" else FUTURE
        return annotate(zygote, tmp_path_factory.mktemp("model"), source, calls, head)

    return run


@pytest.mark.parametrize("name", MODULES)
def test_attributes(name: str, run: Callable[[str], Outcome]) -> None:
    outcome = run(name)
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts if not verdict.ok]
    written = [a for a in outcome.annotations if a.slot.kind is not SlotKind.PARAMETER]
    assert dict(map(describe, written)) == MODULES[name][2]


def test_a_class_with_text_for_annotations_gets_one_table_of_them(run: Callable[[str], Outcome]) -> None:
    (change,) = run("quoted").changes
    assert b"    __annotations__ = {" in change.after and change.after.count(b"__annotations__") == 1


def test_a_constructor_says_what_a_plain_class_holds(run: Callable[[str], Outcome]) -> None:
    (change,) = run("script classes").changes
    assert b"        self.sizes: List[int] = []\n" in change.after and b"        self.first = []\n" in change.after


def test_what_was_never_filled_is_a_guess_and_said_so(run: Callable[[str], Outcome]) -> None:
    outcome = run("guessed")
    origins = {a.slot.name: a.origin for a in outcome.annotations if a.slot.kind is SlotKind.ATTRIBUTE}
    assert origins == {"extra": Origin.GUESS, "offset": Origin.GUESS}
    assert [f.code for f in outcome.findings] == ["PDT031", "PDT031"]


def test_each_stub_of_an_overload_takes_its_share(run: Callable[[str], Outcome]) -> None:
    outcome = run("overloads")
    by_line = {(a.slot.owner.line, a.slot.name): str(a.type) for a in outcome.annotations}
    sizes = [type_ for (_, name), type_ in sorted(by_line.items()) if name == "size"]
    assert sorted(sizes[:2]) == ["Tuple[int, int]", "int"] and sizes[2] == "Union[int, Tuple[int, int]]"
    assert [type_ for (_, name), type_ in sorted(by_line.items()) if name == "x"][3:5] == [
        "List[Tensor]",
        "Union[List[Tensor], Tensor]",
    ]
    assert outcome.unreached == () and outcome.findings == ()


def test_a_hook_needs_nothing_for_the_module_that_it_is_handed(run: Callable[[str], Outcome]) -> None:
    assert run("hooks").findings == ()


def test_files_apart_with_one_class_name(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(
        HEAD
        + dedent("""
            class Block(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.items = []

                def forward(self, x):
                    self.items.append("a")
                    return x
        """)
    )
    source = """
        import other

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.items = []

            def forward(self, x):
                self.items.append(1)
                return x

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = Block(), other.Block()

            def forward(self, x):
                return self.two(self.one(x))
    """
    outcome = annotate(zygote, tmp_path, source, TWICE)
    types = {a.slot.owner.file: str(a.type) for a in outcome.annotations if a.slot.kind is SlotKind.ATTRIBUTE}
    assert types == {str(tmp_path / "model.py"): "List[int]", str(tmp_path / "other.py"): "List[str]"}
