"""One module for each repairer. Every function in it has a different fault."""

from repaired_module import TWICE, Case

CASES = {
    "left alone": Case(
        """
class Base(nn.Module):
    last: Optional[Tensor]
    def __init__(self):
        super().__init__()
        self.last = None
        self.unused = []
        self.seen = {1, 2}
        self.weight = torch.ones(1)

def pick(x, flag: bool):
    if flag:
        return None
    return x

def gather(x):
    items = []
    for row in x:
        items.append(row)
    counts = {}
    counts["rows"] = x
    first = [1]
    first.append(2)
    done: List[int] = []
    done.append(3)
    return torch.stack(items), counts, first, done

class Net(Base):
    @property
    def names(self):
        return ["a", "b"]
    def forward(self, x, flag: bool = True):
        last = self.last
        if last is not None:
            x = x + last * self.weight
        self.last = x
        return gather(x)[0], pick(x, flag)
""",
        "",
    ),
    "defaults": Case(
        """
LIMIT = 3

def literals(x, n=3, p=0.5, flag=True, mode="sum", size=(1, 2)):
    return x.new_zeros(size) * n * p if flag and mode == "sum" else x

def constants(x, n=LIMIT, p=math.inf, kind=torch.float32):
    return x[:n].to(kind).clamp(max=p)

def nothing(x, targets=None):
    total = x.sum()
    if targets is not None:
        for target in targets:
            total = total + target["boxes"].sum()
    return total

class Net(nn.Module):
    def replaced(self, x, n=None):
        if n is None:
            n = 3
        return x[:n]
    def forward(self, x):
        if x.size(0) > 100:
            x = literals(x)
            x = constants(x)
            x = nothing(x)
        return self.replaced(x)
""",
        """literals.n: int; literals.p: float; literals.flag: bool; literals.mode: str; literals.size: Tuple[int, int];
constants.n: int; constants.p: float; constants.kind: dtype; nothing.targets: Optional[List[Dict[str, Tensor]]];
Net.replaced.n: Optional[int]""",
    ),
    "arguments": Case(
        """
def unreached(x, n, scale, name, flag, device):
    if flag and name == "a":
        return x.to(device) * n
    return x[:n] * scale

def widen(x, p):
    return x * p

def resize(x, size):
    h, w = size[0], size[1]
    return x.new_zeros(h, w)

def maybe(x, mask):
    return x if mask is None else x * mask

def turned(x, pair):
    size = [pair[1], pair[0]]
    return x.new_zeros(size)

class Net(nn.Module):
    @torch.jit.ignore
    def log(self, x, step, name):
        return x
    def forward(self, x, p, mask=None):
        x = self.log(x, 1, "a")
        if x.size(0) > 100:
            x = unreached(x, 3, 0.5, "b", False, x.device)
            x = widen(x, 3)
            x = resize(x, [1, 2])
            x = turned(x, [1, 2])
        x = resize(x, (2, 2))
        return maybe(widen(x, p), mask)
""",
        """unreached.n: int; unreached.scale: float; unreached.name: str; unreached.flag: bool;
unreached.device: device; widen.p: Union[int, float]; resize.size: List[int];
maybe.mask: Optional[Tensor]; turned.pair: List[int]; Net.forward.mask: Optional[Tensor];
Net.forward.p: float; Net.log.name: str; Net.log.step: int""",
        "(torch.ones(2, 2), 0.5, torch.ones(2, 2))",
    ),
    "variables and containers": Case(
        """
def ints(x):
    found = []
    for i in range(x.size(0)):
        found.append(i)
    return x[found]

def pairs(x):
    found = []
    for i in range(x.size(0)):
        found.append((i, x))
    return found[0][1]

def lists(x):
    one = {}
    two = {}
    table = []
    for i in range(x.size(0)):
        row = []
        for j in range(x.size(1)):
            row.append(j)
        table.append(row)
        one[i], two[i] = x, x
    return x[table[0]] + one[0] + two[0]

def counts(x):
    table = {}
    for i in range(x.size(0)):
        table[i] = 2 * i
    return x * table[0]

def previous(x):
    last = None
    for i in range(x.size(0)):
        if last is not None:
            x = x + last
        last = x[i]
    return x

class Net(nn.Module):
    def forward(self, x):
        return ints(x) + counts(x), pairs(x), lists(x), previous(x)
""",
        """ints.found: List[int]; pairs.found: List[Tuple[int, Tensor]]; lists.table: List[List[int]];
lists.row: List[int]; lists.one: Dict[int, Tensor]; lists.two: Dict[int, Tensor]; counts.table: Dict[int, int];
previous.last: Optional[Tensor]""",
    ),
    "returns": Case(
        """
def number(x, flag: bool):
    if flag:
        return 1
    return x

def pair(x, flag: bool):
    if flag:
        return x, x
    return x

def point(x, flag: bool):
    if flag:
        return None
    return Point(x, 1)

def search(x, n: int):
    for i in range(x.size(0)):
        if i == n:
            return i
    return None

class Net(nn.Module):
    def forward(self, x, flag: bool, n: int):
        found = point(x, flag)
        i = search(x, n)
        return number(x, flag), pair(x, flag), x if found is None else found.x, x if i is None else x[i]
""",
        "number.return: Union[int, Tensor]; pair.return: Union[Tensor, Tuple[Tensor, Tensor]]",
        "(torch.ones(2, 2), True, 1), (torch.ones(2, 2), False, 7)",
    ),
    "attributes": Case(
        """
class Base(nn.Module):
    extra: Optional[Tensor]
    def __init__(self):
        super().__init__()
        self.extra = None

class Net(Base):
    def __init__(self):
        super().__init__()
        self.items = []
        self.table = {}
        self.total = 0
        self.scales = [1, 2.5]
        self.width = np.int64(2)
        self.ratio = np.float32(0.5)
        self.register_buffer("seen", None)
    def forward(self, x):
        extra, seen = self.extra, self.seen
        if extra is not None:
            x = x + extra
        self.extra = x
        self.seen = x if seen is None else x + seen
        self.items.append(x.size(0))
        self.table["rows"] = x.size(0)
        self.total = self.total + 0.5
        for scale in self.scales:
            x = x * scale
        x = x * len(self.items) * self.table["rows"] * self.total
        return x[: self.width] * self.ratio
""",
        """Net.extra: Optional[Tensor]; Net.items: List[int]; Net.table: Dict[str, int]; Net.total: float;
Net.scales: List[float]; Net.width: int; Net.ratio: float; Net.seen: Optional[Tensor]""",
        TWICE,
    ),
    "what nothing calls": Case(
        """
class Net(nn.Module):
    @torch.jit.export
    def choose(self, x, n, names):
        for name in names:
            if name == "a":
                x = x * n
        return x
    @torch.jit.export
    def times(self, x, n=2):
        return x.repeat(n)
    @torch.jit.export
    def combine(self, x, table):
        for key, value in table.items():
            x = x + value
        return x
    def forward(self, x):
        return x
""",
        "Net.choose.names: List[str]; Net.times.n: int; Net.combine.table: Dict[str, Tensor]",
    ),
    "neighbours": Case(
        """
def drop(x, p):
    return nn.functional.dropout(x, p, False)

class Net(nn.Module):
    def forward(self, x, p):
        return drop(x, p)
""",
        "drop.p: Union[int, float, complex]; Net.forward.p: Union[int, float]",
        "(torch.ones(2, 2), 0.5), (torch.ones(2, 2), 1)",
    ),
    "answers": Case(
        """
def known(x, n):
    if isinstance(n, bool):
        return x + 5
    return x * n

class Net(nn.Module):
    def forward(self, x, n):
        return known(x, n)
""",
        "known.n: Union[int, bool]; Net.forward.n: Union[int, bool]",
        "(torch.ones(2, 2), True), (torch.ones(2, 2), 3)",
    ),
}
