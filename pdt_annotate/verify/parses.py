"""Does the new source parse?"""

from __future__ import annotations

from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.verdicts import Failure, Verdict

JUDGE = "parses"


def judge(changes: tuple[FileChange, ...]) -> Verdict:
    """Compile every changed file, which finds what a syntax tree lets pass, such as a late future import."""
    for change in changes:
        try:
            compile(change.after, change.file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: a null byte
            failure = Failure(str(error), type(error).__name__, change.file, getattr(error, "lineno", 0) or 0)
            return Verdict(JUDGE, False, failure)
    return Verdict(JUDGE, True)
