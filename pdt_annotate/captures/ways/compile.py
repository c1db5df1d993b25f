"""`torch.compile` without a compiler: the graphs that dynamo captures are run unchanged.

It captures again if a call does not meet its assumptions from earlier calls.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch._dynamo.eval_frame import check_if_dynamo_supported
from torch._dynamo.utils import counters

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured
from pdt_annotate.verify.judges.clones import clone

BROKEN = ("graph_break", "unimplemented", "resumes")  # dynamo's counters of code that it left to Python


def capture(subject: Capturable, fullgraph: bool = False) -> Captured:
    """Capture as much as possible, and leave the rest to Python; with `fullgraph`, capture all or refuse."""
    try:
        check_if_dynamo_supported()
    except RuntimeError as error:
        raise AbsentError(str(error)) from error
    runs = _Runs(subject.callee, fullgraph)
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    runs(*args, **kwargs)
    holders = (subject.callee,)
    return Captured(runs, lambda: tuple(runs.graphs), lambda: runs.are_whole, holders, made_from=(subject.first.name,))


capture_whole = partial(capture, fullgraph=True)


class _Runs:
    def __init__(self, callee: Any, fullgraph: bool) -> None:
        self.graphs: list[torch.fx.Graph] = []
        self.are_whole = True
        self._fullgraph = fullgraph
        self._ran = 0
        self._compiled: Any = torch.compile(callee, fullgraph=fullgraph, backend=self._keep)

    def _keep(self, module: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        """The backend: nothing is compiled."""
        self.graphs.append(module.graph)

        def run(*args: Any) -> Any:
            self._ran += 1
            return module.forward(*args)

        return run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._ran = 0
        result = self._compiled(*args, **kwargs)
        # One graph that ran is not all: a frame may be left to Python with a call in it captured.
        is_whole = self._fullgraph or (self._ran == 1 and not any(counters[each] for each in BROKEN))
        self.are_whole = self.are_whole and is_whole
        return result
