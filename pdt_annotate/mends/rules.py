"""All rules, in the order in which they are tried."""

from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.mends.moves.bind import passed_dicts, plain_parameters, variadics
from pdt_annotate.mends.moves.decide import layer_classes, none_tests, type_tests
from pdt_annotate.mends.moves.declare import (
    forwards,
    missing_layers,
    none_lists,
    refined_values,
    unknown_annotations,
    unset_attributes,
    unset_names,
    wide_annotations,
)
from pdt_annotate.mends.moves.guard import eager_checks
from pdt_annotate.mends.moves.hoist import class_functions, configuration, global_constants, imports, inner_functions
from pdt_annotate.mends.moves.inline import (
    autograd_functions,
    chosen_functions,
    context_decorators,
    inline_layers,
    kept_functions,
    local_callables,
    local_functions,
    none_helpers,
    passed_layers,
    super_calls,
    weight_hooks,
    wrapped_functions,
)
from pdt_annotate.mends.moves.leave_out import (
    dead_branches,
    open_ends,
    unraised_errors,
    untaken_branches,
    unused_functions,
    unused_properties,
)
from pdt_annotate.mends.moves.spell import assignments, einops, own_lines, torch_arguments, tuples, type_comments, words
from pdt_annotate.mends.moves.split import comprehension_names, split_names
from pdt_annotate.mends.moves.unroll import (
    chosen_layers,
    comprehension_tests,
    growing_lists,
    listed_fields,
    products,
    sliced_layers,
    walked_layers,
)

MEND_RULES: tuple[MendRule, ...] = (
    unknown_annotations.RULE,
    type_comments.RULE,
    layer_classes.RULE,
    forwards.RULE,
    split_names.RULE,
    comprehension_names.RULE,
    global_constants.RULE,
    class_functions.RULE,
    torch_arguments.RULE,
    assignments.RULE,
    words.RULE,
    inline_layers.RULE,
    einops.RULE,
    tuples.RULE,
    super_calls.RULE,
    weight_hooks.RULE,
    autograd_functions.RULE,
    context_decorators.RULE,
    wrapped_functions.RULE,
    local_functions.RULE,
    none_helpers.RULE,
    imports.RULE,
    inner_functions.RULE,
    passed_layers.RULE,
    local_callables.RULE,
    products.RULE,
    comprehension_tests.RULE,
    growing_lists.RULE,
    open_ends.RULE,
    none_tests.RULE,
    unset_attributes.RULE,
    unset_names.RULE,
    none_lists.RULE,
    refined_values.RULE,
    walked_layers.RULE,
    sliced_layers.RULE,
    chosen_layers.RULE,
    unraised_errors.RULE,
    untaken_branches.RULE,
    passed_dicts.RULE,
    variadics.RULE,
    plain_parameters.RULE,
    missing_layers.RULE,
    kept_functions.RULE,
    chosen_functions.RULE,
    listed_fields.RULE,
    configuration.RULE,
    type_tests.RULE,
    eager_checks.RULE,
    unused_properties.RULE,
    unused_functions.RULE,
    wide_annotations.RULE,
    dead_branches.RULE,
    own_lines.RULE,
)
"""Smallest first: in this order they are tried, and of two that overlap the first is made."""
