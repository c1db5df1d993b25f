"""The words for mends that emitters share."""

from __future__ import annotations

from collections.abc import Iterable

from pdt_annotate.emit.words import plural
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import MendAdvice
from pdt_annotate.values.verdicts import Failure


def by_message(mends: Iterable[Mend]) -> dict[str, list[Mend]]:
    """The mends by the message that asked for them, in order of appearance; those of one by place."""
    groups: dict[str, list[Mend]] = {}
    for mend in mends:
        groups.setdefault(mend.because.strip(), []).append(mend)
    return {message: sorted(group, key=lambda mend: mend.place) for message, group in groups.items()}


def reason(mend: Mend) -> str:
    """The line of the message that says what the compiler met; "" where no message asked for it."""
    return telling_line(Failure(mend.because)) if mend.because else ""


def standing(mend: Mend) -> str:
    """ "exact, none_tests": what it promises, and the section of docs/mends.md."""
    return f"{mend.kind.value}, {mend.rewrite}"


def promise(advised: MendAdvice) -> str:
    """What would have helped, and how much that changes."""
    files = {file for mend in advised.mends for file in mend.edits}
    changes = f"{plural(len(advised.mends), 'change')} of code in {plural(len(files), 'file')}"
    return f"{changes}, +{advised.added} -{advised.removed} lines with the annotations"
