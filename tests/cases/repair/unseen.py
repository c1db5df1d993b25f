"""Functions that no example runs, methods that only raise, and flags, some of which become constants."""

from repaired_module import Case

CASES = {
    "lists": Case(
        """
class Net(nn.Module):
    def lengths(self, x):
        return x.tolist()
    def groups(self, x):
        found = []
        for row in x:
            inner = [row]
            found.append(inner)
        return found
    def forward(self, x):
        if x.dim() > 5:
            sizes = x.sum(0).long().tolist()
            return x.split(sizes)[0] + self.groups(x)[0][0] + len(self.lengths(x))
        return x
""",
        "Net.lengths.return: List[int]; Net.groups.found: List[List[Tensor]]; Net.forward.sizes: List[int]",
    ),
    "branches": Case(
        """
@torch.jit.unused
def scale_of(n):
    return torch.tensor(n).float()

def scaled(x, n):
    if torch._C._get_tracing_state():
        scale = scale_of(n)
    else:
        scale = float(n) / 2
    return x * max(scale, 1.0)

def clipped(x, limits=None):
    limit = limits["high"] if limits is not None and "high" in limits else 0.5
    return x * max(limit, 1.0)

def rows(x, n=None):
    if n is not None:
        return n
    if torch.jit.is_tracing():
        return x.max() + 1
    return x.size(0)

class Net(nn.Module):
    def forward(self, x):
        if x.dim() > 5:
            x = scaled(x, 3)
        return clipped(x), rows(x)
""",
        """scale_of.n: int; scale_of.return: float; scaled.n: int; clipped.limits: Optional[Dict[str, float]];
rows.n: Optional[int]; rows.return: int""",
    ),
    "states": Case(
        """
class Layer(nn.Module):
    def start(self, n):
        return [torch.zeros(n, 2), torch.zeros(1)]
    def first(self, state):
        return state[0][:1] + state[1]
    def step(self, x, state):
        if state is None:
            state = self.start(x.size(0))
        return x + self.first(state), [x, state[1] + 1]
    def forward(self, x):
        return x + 1
    @torch.jit.export
    def infer(self, x, state):
        return self.step(x * 2, state)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(), Layer()])
        self.cache = None
    def forward(self, x, keep: bool = False):
        cache = self.cache
        if keep and cache is None:
            self.cache = (x, None)
        for layer in self.layers:
            x = layer(x)
        return x
    @torch.jit.export
    def infer(self, x, states=None):
        out = []
        for i, layer in enumerate(self.layers):
            x, state = layer.infer(x, None if states is None else states[i])
            out.append(state)
        return x, out
""",
        """Layer.start.n: int; Layer.first.state: List[Tensor]; Layer.step.state: Optional[List[Tensor]];
Layer.infer.state: Optional[List[Tensor]]; Net.cache: Optional[Tuple[Tensor, Optional[Tensor]]];
Net.infer.states: Optional[List[List[Tensor]]]; Net.infer.out: List[List[Tensor]]""",
    ),
    "ignored": Case(
        """
class Net(nn.Module):
    @torch.jit.unused
    def quartiles(self, x):
        return unknown.quantile(x, 0.25), unknown.quantile(x, 0.75)
    @torch.jit.unused
    def halves(self, x):
        parts = unknown.split(x, 2)
        return parts
    @torch.jit.ignore
    def rate(self):
        return 0.5
    @torch.jit.ignore
    def scaled(self, x, n):
        return x * n
    def forward(self, x):
        if x.dim() > 5:
            x = self.scaled(x, 3) * self.rate()
            low, high = self.quartiles(x)
            left, right = self.halves(x)
            return low + high + left + right
        return x
""",
        "Net.rate.return: float; Net.scaled.n: int",
    ),
    "abstract, overrides": Case(
        """
class Energies(NamedTuple):
    species: Tensor
    energies: Tensor

class OneTensor(nn.Module):
    def compute(self, x):
        raise NotImplementedError
    def forward(self, x):
        return self.compute(x).abs()

class OneTensorHere(OneTensor):
    def compute(self, x):
        return x

class Named(nn.Module):
    def compute(self, x):
        raise NotImplementedError
    def forward(self, x):
        return self.compute(x).energies

class NamedHere(Named):
    def compute(self, x):
        return Energies(x, x)

class Pair(nn.Module):
    def compute_pair(self, x):
        raise NotImplementedError
    def forward(self, x):
        return self.compute_pair(x)[0]

class PairHere(Pair):
    def compute_pair(self, x):
        return x, 1

class Annotated(OneTensor):
    def compute(self, x) -> Tensor:
        raise NotImplementedError

class AnnotatedHere(Annotated):
    def compute(self, x):
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.here = nn.ModuleList([OneTensorHere(), NamedHere(), PairHere(), AnnotatedHere()])
        self.never = nn.ModuleList([OneTensor(), Named(), Pair(), Annotated()])
    def forward(self, x):
        if x.size(0) > 100:
            for each in self.never:
                x = each(x)
        for each in self.here:
            x = each(x)
        return x
""",
        """OneTensor.compute.return: Tensor; Named.compute.return: Energies;
Pair.compute_pair.return: Tuple[Tensor, int]""",
    ),
    "abstract, a place that takes one type": Case(
        """
class Sparse:
    def __init__(self, n: int):
        self.n = n
    def count(self):
        raise ImportError("needs a library")
    def size(self, dim: int):
        raise ImportError("needs a library")
    def is_ordered(self):
        raise ImportError("needs a library")
    def is_dense(self):
        raise ImportError("needs a library")
    def dense(self):
        raise ImportError("needs a library")

class Net(nn.Module):
    def forward(self, x):
        return x
    @torch.jit.export
    def join(self, sparse: Sparse, weight: torch.Tensor):
        if sparse.count() == 0:
            return weight.new_zeros(sparse.size(0), weight.size(1))
        if weight.dim() == 2 and not sparse.is_ordered() and not sparse.is_dense():
            return sparse.dense().to(weight.dtype)
        return weight
""",
        """Sparse.count.return: int; Sparse.size.return: int; Sparse.is_ordered.return: bool;
Sparse.is_dense.return: bool; Sparse.dense.return: Tensor""",
    ),
    "abstract, the caller alone": Case(
        """
class Sparse:
    def __init__(self, n: int):
        self.n = n
    def parts(self):
        raise ImportError("needs a library")
    def count(self):
        raise ImportError("needs a library")

class Net(nn.Module):
    def forward(self, x):
        return x
    @torch.jit.export
    def join(self, sparse: Sparse, weight: torch.Tensor):
        row, column, value = sparse.parts()
        if value is not None:
            weight = value
        for i in range(sparse.count()):
            weight = weight + i
        return torch.stack([row, column]), weight
""",
        "Sparse.parts.return: Tuple[Tensor, Tensor, Optional[Tensor]]; Sparse.count.return: int",
    ),
    "flags, no constants": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode, self.level, self.reset, self.both = "pair", 3, True, True
    def by_mode(self, x):
        if self.mode == "pair":
            return x, x
        return x
    def by_level(self, x):
        if self.level > 2:
            return x, x
        return x
    def by_value(self, x):
        if self.both == True:
            return x, x
        return x
    def toggled(self, x):
        self.reset = not self.reset
        if self.reset:
            return x, x
        return x
    def forward(self, x):
        return self.by_mode(x), self.by_level(x), self.by_value(x), self.toggled(x)
""",
        """Net.by_level.return: Union[Tensor, Tuple[Tensor, Tensor]];
Net.by_mode.return: Union[Tensor, Tuple[Tensor, Tensor]];
Net.by_value.return: Union[Tensor, Tuple[Tensor, Tensor]];
Net.toggled.return: Union[Tensor, Tuple[Tensor, Tensor]]""",
    ),
    "flags, returns": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.both, self.single, self.listed = True, False, True
    def pair(self, x):
        if not self.single and self.both:
            return x, x
        return x
    def forward(self, x):
        y = [x] if self.listed else x
        return self.pair(x), y
""",
        "Net.both: Final[bool]; Net.single: Final[bool]; Net.listed: Final[bool]",
    ),
    "flags, what is refused": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.debug, self.loud, self.careful, self.fast = True, False, False, True
    def show(self, x):
        print(f"{x.mean().item():.3f}")
    def report(self, x):
        if self.loud:
            self.show(x)
        print(x.size(0))
    def guarded(self, x):
        try:
            return x * 2
        except RuntimeError:
            return x
    def quick(self, x):
        if self.fast:
            return x
        return super().forward(x)
    def forward(self, x):
        if self.debug:
            self.report(x)
        return self.guarded(x) if self.careful else self.quick(x)
""",
        "Net.loud: Final[bool]; Net.careful: Final[bool]; Net.fast: Final[bool]",
    ),
    "flags, inherited": Case(
        """
class Base(nn.Module):
    def __init__(self, aux):
        super().__init__()
        self.aux = aux
    def finish(self, x):
        if self.aux:
            return {"x": x}
        return x

class Mid(Base):
    pass

class Net(Mid):
    def __init__(self):
        super().__init__(False)
    def forward(self, x):
        return self.finish(x)
""",
        "Base.aux: Final[bool]",
    ),
}
