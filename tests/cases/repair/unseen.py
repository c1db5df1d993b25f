"""What no example enters: results of `tolist`, branches that differ, missing states."""

from __future__ import annotations

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
}
