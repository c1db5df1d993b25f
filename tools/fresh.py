"""Says whether what the other tools write is fresh; exits 1 where something is stale.

    python tools/fresh.py

One process imports torch once for all of them.
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
    warnings.simplefilter("ignore")  # of the attributes that torch deprecates
    stale = [
        # First, because the messages on it depend on what was compiled before.
        made_page.check(findings_page.FILE, findings_page.make()),
        made_page.check(mends_page.FILE, mends_page.make()),
        made_page.check(strings_page.FILE, strings_page.make()),
        made_page.check(matrix.PAGE, matrix.page()),
        torch_operators.check(torch_operators.FILE, torch_operators.make()),
        line_links.main(["--check"]),
    ]
    sys.exit(int(any(stale)))
