"""From the compiler's message to the next change of code to try; one rewrite a file."""

from __future__ import annotations

from pdt_annotate.search.mend import constant_tests, missing_layers, none_tests
from pdt_annotate.search.mend.rule import MendRule

MEND_RULES: tuple[MendRule, ...] = (
    none_tests.RULE,
    missing_layers.RULE,
    constant_tests.RULE,
)
"""Smallest first: in this order they are tried, and of two that overlap the first is made."""
