"""What is captured and what capturing gives, as the ways in `ways` see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding


@dataclass(frozen=True)
class Capturable:
    """Something that is called as `callee(*args, **kwargs)`, and what it is captured from.

    Args:
        callee: a module that was never run, a method of one, or a function.
        calls: the example calls that are not held back, one at least; whoever makes one copies its tensors first.
        root: the directory whose files are the user's.
        renew: a second callee in the state in which this one was built, each time it is asked.
    """

    callee: Any
    calls: tuple[Call, ...]
    root: str
    renew: Callable[[], Any]

    @property
    def first(self) -> Call:
        """The call of which the ways that record one call make their record."""
        return self.calls[0]


@dataclass(frozen=True)
class Captured:
    """What a way made.

    Args:
        run: called as the callee is.
        graphs: the graphs, `torch._C.Graph`, `torch.fx.Graph` or `CountedGraph`; asked for once all calls were made, as
            some ways capture on the way.
        whole: asked then as well, whether they are all of the program.
        holders: the modules that it runs on, for a call to put them into its mode.
        findings: what is suspicious; asked for at the end, since looking takes longer than capturing.
        made_from: the names of the calls that it was made from; none where it was made from the source.
    """

    run: Callable[..., Any]
    graphs: Callable[[], tuple[Any, ...]]
    whole: Callable[[], bool] = lambda: True
    holders: tuple[Any, ...] = ()
    findings: Callable[[], tuple[Finding, ...]] = tuple
    made_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountedGraph:
    """A graph that torch keeps to itself: how often each operator stands in it."""

    operators: Mapping[str, int]


class AbsentError(Exception):
    """This torch, or this machine, has no such way; the message says why, for people."""
