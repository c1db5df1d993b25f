"""What the examples do not show: where TorchScript is known to differ from Python, and calls on which it did."""

from __future__ import annotations

from dataclasses import dataclass

from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner


@dataclass(frozen=True)
class Trap:
    """A place where TorchScript silently differs from Python.

    `code` is an entry of the catalogue, from PDT100 on. `owner` is the compiled function in which it lies.
    A doubtful one differs for odd values alone, and is told only where a call shows that it does.
    """

    code: str
    message: str
    place: Place
    owner: Owner | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Counterexample:
    """A call that no example made and that answers otherwise when scripted, as small as could be.

    Args:
        call: a line that a spec takes, `Call((f32(2, 3), None))` or the like.
        message: what differs.
        place: where the difference begins, as far as is known.
        confirms: the traps that the call runs into.
        is_mild: eager mode raises instead, or what differs is the class of numbers alone.
    """

    call: str
    message: str
    place: Place
    confirms: tuple[Trap, ...] = ()
    is_mild: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether a known trap gives another answer than eager mode gives."""
        return bool(self.confirms) and not self.is_mild


@dataclass(frozen=True)
class Further:
    """The traps of a target that verifies, and the calls that were drawn and found to differ.

    `unseen` says what could not be looked at, and why: a way of ours that a target is too odd for. `undrawn` counts the
    calls for which there was no processor time left.
    """

    traps: tuple[Trap, ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()
    unseen: tuple[str, ...] = ()
    undrawn: int = 0

    def __or__(self, other: Further) -> Further:
        more = (self.traps + other.traps, self.counterexamples + other.counterexamples, self.unseen + other.unseen)
        return Further(*more, self.undrawn + other.undrawn)


NOTHING_FURTHER = Further()
