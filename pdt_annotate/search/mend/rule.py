"""What a row of the table of mends is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure


@dataclass(frozen=True)
class MendRule:
    """One rewrite of code.

    Args:
        name: the file in `search/mend` that has it; its docstring says what it does, for docs/mends.md.
        kind: what its mends promise, unless one of them says otherwise.
        is_asked_for: whether a failure's message is one that it answers.
        find: all places in a function where its preconditions are met, in source order; it looks at no message.
        sweeps: the compiler refuses what it changes wherever it reads it: all functions in reach are changed at once.
    """

    name: str
    kind: MendKind
    is_asked_for: Callable[[Failure], bool]
    find: Callable[[MendSite], Iterator[Mend]]
    sweeps: bool = True
