"""What is captured and what capturing gives, as the ways in `ways` see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding


@dataclass(frozen=True)
class Capturable:
    """Something that is called as `callee(*args, **kwargs)`, and what it is captured from.

    Args:
        callee: a module that was never run, or a function.
        calls: the example calls that are not held back, one at least; whoever makes one copies its tensors first.
        root: the directory whose files are the user's.
        renew: a second callee in the state in which this one was built, each time it is asked.
    """

    callee: Any
    calls: tuple[Call, ...]
    root: str
    renew: Callable[[], Any]


@dataclass(frozen=True)
class Captured:
    """What a way made.

    Args:
        run: called as the callee is.
        graphs: the graphs, `torch._C.Graph` or `torch.fx.Graph`; asked for once all calls were made, as some ways
            capture on the way.
        whole: asked then as well, whether they are all of the program.
        holders: the modules whose buffers and parameters it runs on, for it to begin from fresh state.
        findings: what is suspicious; asked for at the end, since looking takes longer than capturing.
    """

    run: Callable[..., Any]
    graphs: Callable[[], tuple[Any, ...]]
    whole: Callable[[], bool] = lambda: True
    holders: tuple[Any, ...] = ()
    findings: Callable[[], tuple[Finding, ...]] = tuple


class AbsentError(Exception):
    """This torch, or this machine, has no such way; the message says why, for people."""
