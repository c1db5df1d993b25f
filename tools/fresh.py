"""Check whether the files that the other tools write are fresh; exits with 1 if one is stale.

    python tools/fresh.py

All checks run in one process, which imports torch once.
"""

from __future__ import annotations

import sys
import warnings

import findings_page
import line_links
import made_page
import matrix
import mends_page
import strings_page
import torch_operators

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the warnings about deprecated attributes of torch
    stale = [
        # This check is first, because the messages on the page depend on earlier compilations.
        made_page.check(findings_page.FILE, findings_page.make()),
        made_page.check(mends_page.FILE, mends_page.make()),
        made_page.check(strings_page.FILE, strings_page.make()),
        made_page.check(matrix.PAGE, matrix.page()),
        torch_operators.check(torch_operators.FILE, torch_operators.make()),
        line_links.main(["--check"]),
    ]
    sys.exit(int(any(stale)))
