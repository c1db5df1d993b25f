"""From the compiler's message to the next change of code to try; one rewrite a file."""

from __future__ import annotations

from pdt_annotate.search.mend import bare_declarations as bare_declarations
from pdt_annotate.search.mend import chosen_layers as chosen_layers
from pdt_annotate.search.mend import comprehension_tests as comprehension_tests
from pdt_annotate.search.mend import config_fields as config_fields
from pdt_annotate.search.mend import constant_tests as constant_tests
from pdt_annotate.search.mend import dead_branches as dead_branches
from pdt_annotate.search.mend import eager_checks as eager_checks
from pdt_annotate.search.mend import einops as einops
from pdt_annotate.search.mend import flatten_parameters as flatten_parameters
from pdt_annotate.search.mend import global_constants as global_constants
from pdt_annotate.search.mend import indexed_layers as indexed_layers
from pdt_annotate.search.mend import inline_layers as inline_layers
from pdt_annotate.search.mend import inner_functions as inner_functions
from pdt_annotate.search.mend import inner_tuples as inner_tuples
from pdt_annotate.search.mend import joint_assignments as joint_assignments
from pdt_annotate.search.mend import kept_functions as kept_functions
from pdt_annotate.search.mend import keyword_lookups as keyword_lookups
from pdt_annotate.search.mend import keyword_only as keyword_only
from pdt_annotate.search.mend import legacy_tensors as legacy_tensors
from pdt_annotate.search.mend import local_callables as local_callables
from pdt_annotate.search.mend import local_functions as local_functions
from pdt_annotate.search.mend import loop_names as loop_names
from pdt_annotate.search.mend import maps as maps
from pdt_annotate.search.mend import missing_layers as missing_layers
from pdt_annotate.search.mend import none_helpers as none_helpers
from pdt_annotate.search.mend import none_parameters as none_parameters
from pdt_annotate.search.mend import none_shortcuts as none_shortcuts
from pdt_annotate.search.mend import none_tests as none_tests
from pdt_annotate.search.mend import plain_words as plain_words
from pdt_annotate.search.mend import returned_tuples as returned_tuples
from pdt_annotate.search.mend import star_unpacking as star_unpacking
from pdt_annotate.search.mend import super_calls as super_calls
from pdt_annotate.search.mend import tensor_items as tensor_items
from pdt_annotate.search.mend import torch_words as torch_words
from pdt_annotate.search.mend import unknown_annotations as unknown_annotations
from pdt_annotate.search.mend import unpacked_layers as unpacked_layers
from pdt_annotate.search.mend import unset_names as unset_names
from pdt_annotate.search.mend import untaken_returns as untaken_returns
from pdt_annotate.search.mend import unused_functions as unused_functions
from pdt_annotate.search.mend import unused_properties as unused_properties
from pdt_annotate.search.mend import variadics as variadics
from pdt_annotate.search.mend import whole_floats as whole_floats
from pdt_annotate.search.mend import whole_rounds as whole_rounds
from pdt_annotate.search.mend import wide_annotations as wide_annotations
from pdt_annotate.search.mend.site import MendRule

MEND_RULES: tuple[MendRule, ...] = (
    unknown_annotations.RULE,
    bare_declarations.RULE,
    joint_assignments.RULE,
    global_constants.RULE,
    whole_floats.RULE,
    whole_rounds.RULE,
    tensor_items.RULE,
    torch_words.RULE,
    legacy_tensors.RULE,
    flatten_parameters.RULE,
    inline_layers.RULE,
    einops.RULE,
    plain_words.RULE,
    star_unpacking.RULE,
    returned_tuples.RULE,
    super_calls.RULE,
    local_functions.RULE,
    maps.RULE,
    none_helpers.RULE,
    inner_functions.RULE,
    inner_tuples.RULE,
    local_callables.RULE,
    comprehension_tests.RULE,
    keyword_only.RULE,
    keyword_lookups.RULE,
    none_tests.RULE,
    unset_names.RULE,
    loop_names.RULE,
    unpacked_layers.RULE,
    indexed_layers.RULE,
    chosen_layers.RULE,
    variadics.RULE,
    missing_layers.RULE,
    kept_functions.RULE,
    config_fields.RULE,
    constant_tests.RULE,
    eager_checks.RULE,
    unused_properties.RULE,
    unused_functions.RULE,
    wide_annotations.RULE,
    untaken_returns.RULE,
    none_parameters.RULE,
    none_shortcuts.RULE,
    dead_branches.RULE,
)
"""Smallest first: in this order they are tried, and of two that overlap the first is made."""
