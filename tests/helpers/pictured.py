"""Graphs of live modules, captured in this process; and modules that are difficult to convert to Python."""

# The compiler reads these classes: a `from __future__` import would hide their annotations from it.
# ruff: noqa: UP006, UP031, UP032, UP035, UP045

import copy
from pathlib import Path
from typing import Any, List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pdt_annotate.captures.picture import picture
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs import RunSettings, Spec
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.graphs import Graph, GraphNode
from pdt_annotate.values.runs import Call

ROOT = str(Path(__file__).parent)


def picture_of(target: Any, *calls: Any, of: str = "frozen", call: str = "", no_grad: bool = False) -> Graph:
    """The graph of a copy of a module, or of a function. The calls are tuples of arguments, or have names."""
    built = copy.deepcopy(target) if isinstance(target, nn.Module) else target
    made = tuple(each if isinstance(each, Call) else Call(each) for each in calls)
    spec = Spec(made, None, RunSettings(no_grad=no_grad))
    return picture(Prepared(ROOT, subject_of(built, lambda: built), built, spec, Store()), of, call)


def node_of(graph: Graph, kind: str, index: int = 0) -> GraphNode:
    return [node for node in graph.walk() if node.kind == kind][index]


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.norm(self.conv(x)) + x)


class Blocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.blocks = nn.ModuleList([Block(4), Block(4)])
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=(2, 3)))


class Gate(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x * 2
        return x - 1


class Loops(nn.Module):
    """A loop over a shape, a loop with `break`, a loop with a condition, and lists that grow."""

    def forward(self, x: Tensor, times: int = 2, extra: Optional[Tensor] = None) -> List[Tensor]:
        if x.dim() != 2:
            raise ValueError("two dimensions, not %d" % x.dim())
        parts = [x]
        for row in range(x.shape[0]):
            if row == times:
                break
            parts.append(x[row] * row)
        left = times
        while left > 0:
            left -= 2
            parts[0] = parts[0] + left
        if extra is not None:
            parts.append(extra)
        return parts


class Kinds(nn.Module):
    """Numbers that represent dtypes, containers, several results of one operator, strings."""

    def forward(self, x: Tensor, mode: str = "sum"):
        first, second = torch.chunk(x, 2, -1)
        values, where = torch.max(first[..., :2], -1)
        like = torch.zeros([x.shape[0], 2], dtype=x.dtype, device=x.device)
        like[:, where] = like[:, where] + 1
        kept = x.to(torch.float64) if x.dtype == torch.float32 else x
        named = {"like": like + values.unsqueeze(1), "second": second.clamp(min=0.5)}
        return named, kept, (where, torch.arange(3, dtype=torch.int32)), len(mode.upper() + "{}".format(x.size(0)))


class Counting(nn.Module):
    """State of all kinds: an attribute and a buffer that `forward` sets, one that is not saved, numbered parameters."""

    count: int
    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.count = 3
        self.register_buffer("total", torch.zeros(()))
        self.register_buffer("steps", torch.arange(4.0), persistent=False)
        self.scales = nn.ParameterList([nn.Parameter(torch.full((4,), 2.0)), nn.Parameter(torch.full((4,), 3.0))])
        self.named = nn.ModuleDict({"0": nn.Linear(4, 4), "last": nn.Sequential(nn.Sequential(nn.Linear(4, 4)))})

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        self.total += x.sum()
        for scale in self.scales:
            x = x * scale
        return self.named["last"](self.named["0"](x * self.count)) + self.total + self.steps


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 6)
        self.lstm = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True)

    def forward(self, x: Tensor):
        y, (hidden, cell) = self.lstm(self.embed(x))
        return y, hidden, cell


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.heads(x, x, x, need_weights=False)
        b, t, _ = x.shape
        q = self.norm(y).view(b, t, 2, 4).transpose(1, 2)
        return F.gelu(F.scaled_dot_product_attention(q, q, q, is_causal=True), approximate="tanh")
