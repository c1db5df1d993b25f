"""Does the new source parse?"""

from __future__ import annotations

import ast

from pdt_annotate.ir import Failure, FileChange, Verdict

JUDGE = "parses"


def judge(changes: tuple[FileChange, ...]) -> Verdict:
    """Parse every changed file."""
    for change in changes:
        try:
            ast.parse(change.after, filename=change.file)
        except SyntaxError as error:
            failure = Failure(str(error), "SyntaxError", change.file, error.lineno or 0)
            return Verdict(JUDGE, False, failure)
    return Verdict(JUDGE, True)
