"""Differences that the examples do not show: known traps of TorchScript, and drawn calls that answered differently."""

from __future__ import annotations

from dataclasses import dataclass

from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner


@dataclass(frozen=True)
class Trap:
    """A place where TorchScript silently differs from Python.

    `code` is an entry of the catalogue, from PDT100 on. `owner` is the compiled function that contains it. A `doubtful`
    trap differs only on odd values, and is reported only if a call shows the difference.
    """

    code: str
    message: str
    place: Place
    owner: Owner | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Counterexample:
    """A drawn call that answers differently when scripted, made as small as possible.

    Args:
        call: a line that a spec takes, such as `Call((f32(2, 3), None))`.
        message: the difference.
        place: where the difference begins, as far as known.
        confirms: the traps that the call runs into.
        is_mild: eager mode raises, or only the class of a number differs.
    """

    call: str
    message: str
    place: Place
    confirms: tuple[Trap, ...] = ()
    is_mild: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether a known trap makes the scripted answer differ from the eager one."""
        return bool(self.confirms) and not self.is_mild


@dataclass(frozen=True)
class Further:
    """The traps of a target that verifies, and the drawn calls on which it differs.

    `unseen` lists impossible checks, with reasons: the target is too odd for one of our methods. `undrawn` is the
    number of calls for which no processor time was left.
    """

    traps: tuple[Trap, ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()
    unseen: tuple[str, ...] = ()
    undrawn: int = 0

    def __or__(self, other: Further) -> Further:
        more = (self.traps + other.traps, self.counterexamples + other.counterexamples, self.unseen + other.unseen)
        return Further(*more, self.undrawn + other.undrawn)


NOTHING_FURTHER = Further()
