"""From the compiler's message to the next change of code to try; one rewrite a file."""

from __future__ import annotations

from pdt_annotate.search.mend import (
    bare_declarations,
    joint_assignments,
    missing_layers,
    none_parameters,
    none_tests,
    unknown_annotations,
    wide_annotations,
)
from pdt_annotate.search.mend import einops, missing_layers, none_tests
from pdt_annotate.search.mend import constant_tests, missing_layers, none_tests
from pdt_annotate.search.mend.rule import MendRule

MEND_RULES: tuple[MendRule, ...] = (
    unknown_annotations.RULE,
    bare_declarations.RULE,
    joint_assignments.RULE,
    none_tests.RULE,
    einops.RULE,
from pdt_annotate.search.mend import local_functions, maps, missing_layers, none_helpers, none_tests, variadics
from pdt_annotate.search.mend.rule import MendRule

MEND_RULES: tuple[MendRule, ...] = (
    none_helpers.RULE,
    maps.RULE,
    local_functions.RULE,
    none_tests.RULE,
    variadics.RULE,
    missing_layers.RULE,
    wide_annotations.RULE,
    none_parameters.RULE,
    constant_tests.RULE,
)
"""Smallest first: in this order they are tried, and of two that overlap the first is made."""
