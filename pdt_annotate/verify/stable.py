"""Does a second run change nothing?"""

from __future__ import annotations

from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.verdicts import Failure, Verdict

JUDGE = "stable"


def judge(again: tuple[FileChange, ...]) -> Verdict:
    """Compare each rewritten file with what rewriting it once more gave."""
    for change in again:
        if change.before != change.after:
            return Verdict(JUDGE, False, Failure("a second rewrite would change the file again", "", change.file))
    return Verdict(JUDGE, True)
