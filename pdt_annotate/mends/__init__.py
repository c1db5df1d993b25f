"""Changes of code that answer messages of the compiler: ten moves, each with its rules. The search is in `search`.

moves        a folder for each move, a file for each rule
rules        `MEND_RULES`, all rules in the order in which they are tried
kit          what rules share: `context` has the site of a rule (`FunctionContext`) and `MendRule`
mended       applies mends that do not overlap, and undoes them
patch_stack  a file from which any change can be removed again
judge        the judges of mends that need no compiler; a child compares behaviour (`processes/child/behaviour.py`)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdt_annotate.mends.kit.context import MendRule


def all_rules() -> "tuple[MendRule, ...]":
    from pdt_annotate.mends.rules import MEND_RULES  # noqa: PLC0415 - not for runs in which annotations suffice

    return MEND_RULES
