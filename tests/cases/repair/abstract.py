"""Methods that only raise: what their overrides, or their callers, say of what they return."""

from __future__ import annotations

from repaired_module import Case

CASES = {
    "overrides": Case(
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
    "a place that takes one type": Case(
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
    "the caller alone": Case(
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
}
