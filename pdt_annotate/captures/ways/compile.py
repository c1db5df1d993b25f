"""`torch.compile`, without a compiler behind it: what dynamo captures is run as it was captured.

It captures anew where a call does not meet what it assumed of those before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters

from pdt_annotate.captures.subject import Capturable, Captured
from pdt_annotate.verify.judges.clones import clone


def capture_whole(subject: Capturable) -> Captured:
    """Capture all of the program as one graph, or refuse."""
    return _capture(subject, fullgraph=True)


def capture(subject: Capturable) -> Captured:
    """Capture what can be captured, and leave what is between to Python."""
    return _capture(subject, fullgraph=False)


def _capture(subject: Capturable, fullgraph: bool) -> Captured:
    graphs: list[torch.fx.Graph] = []

    def keep(module: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        graphs.append(module.graph)
        return module.forward

    compiled: Any = torch.compile(subject.callee, fullgraph=fullgraph, backend=keep)
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    compiled(*args, **kwargs)
    return Captured(
        compiled,
        lambda: tuple(graphs),
        whole=lambda: bool(graphs) and not _breaks(),
        holders=(subject.callee,),
        made_from=(subject.first.name,),
    )


def _breaks() -> int:
    """How often dynamo has left something to Python in this process."""
    return sum(counters["graph_break"].values())
