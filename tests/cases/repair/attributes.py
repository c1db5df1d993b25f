"""Attributes: the class that declares them, and code that does not change."""

from repaired_module import TWICE, Case

FUTURE = """\
from __future__ import annotations

from typing import List

import torch
from torch import nn
"""

CASES = {
    "left alone": Case(
        """
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
""",
        "",
        TWICE,
    ),
    "constants": Case(
        """
class Base(nn.Module):
    K = 3
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
            x = x * self.K
        x, self.last = x, x
        return x.to(self.KIND)
""",
        """Net.SCALES: Final[List[int]]; Net.NESTED: Final[Tuple[Tuple[int, float], Tuple[()]]]; Net.NAME: Final[str];
Net.K: Final[int]; Net.KIND: Final[dtype]; Net.last: Optional[Tensor]""",
        "(torch.ones(2, 2), 'net'), (torch.ones(2, 2), 'x')",
    ),
    "mentioned": Case(
        """
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
""",
        "Shaped.point: Point; Net.sigma: float; Net.stats: List[Optional[Tensor]]; Net.area.point: Point",
        TWICE,
    ),
    "guessed": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.extra = []
        self.offset = {}
    def forward(self, x):
        for each in self.extra:
            x = x + each
        return x + self.offset["a"] if "a" in self.offset else x
""",
        "Net.extra: List[Tensor]; Net.offset: Dict[str, Tensor]",
        TWICE,
    ),
    "inherited": Case(
        """
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
""",
        """Base.memory: List[Tensor]; Base.last: Optional[Tensor]; Own.counts: Dict[str, int]; Own.memory: List[Tensor];
Own.last: Optional[Tensor]; Mixed.state: Optional[Tensor]""",
        TWICE,
    ),
    "two in one assignment": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.h, self.c = None, None
    def forward(self, x):
        self.h, self.c = x + 1, x * 2
        return x
""",
        "Net.h: Optional[Tensor]; Net.c: Optional[Tensor]",
        TWICE,
    ),
    "quoted": Case(
        """
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
""",
        "Net.mode: Mode; Net.items: List[int]; Net.last: Optional[Tensor]",
        TWICE,
        head=FUTURE,
    ),
    "script classes": Case(
        """
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
""",
        """Meter.__init__.self.sizes: List[int]; Meter.__init__.self.names: Dict[int, int];
Counter.__init__.self.seen: List[int]; Cache.__init__.self.items: Dict[int, Tensor];
Cache.__init__.self.rows: Dict[str, List[int]]; Cache.get.key: int; Cache.put.key: int;
Counter.count.n: int; Meter.__init__.n: int""",
        TWICE,
    ),
    "hooks": Case(
        """
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
""",
        "double.return: Tuple[Tensor]; double.args: Tuple[Tensor]; total.args: Tuple[Tensor]",
        TWICE,
    ),
    "ignored functions": Case(
        """
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
""",
        "Net.steps.return: int; Net.table.return: Dict[str, int]; Net.steps.n: int; Net.table.keys: List[str]",
        "(torch.ones(2, 2), ['ab', 'c'])",
    ),
    "overloads": Case(
        """
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
""",
        """Net.merge.x: List[Tensor]; Net.merge.x: Union[List[Tensor], Tensor]; crop.center: bool;
crop.center: bool; crop.center: bool; crop.size: Tuple[int, int]; crop.size: Union[int, Tuple[int, int]];
crop.size: int""",
        TWICE,
    ),
}
