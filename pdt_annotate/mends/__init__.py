"""Changes of code that answer messages of the compiler: ten moves, each with its rules. The search is in `search`.

moves        a folder for each move, a file for each rule; `MEND_RULES` below orders the rules
kit          what rules share: `context` has the site of a rule (`FunctionContext`) and `MendRule`
mended       makes mends that do not overlap, and undoes them
patch_stack  a file from which any change can be removed again
judge        the judges of mends that need no compiler; a child compares behaviour (`processes/child/behaviour.py`)
"""

from __future__ import annotations

from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.mends.moves.bind import passed_dicts as passed_dicts
from pdt_annotate.mends.moves.bind import plain_parameters as plain_parameters
from pdt_annotate.mends.moves.bind import variadics as variadics
from pdt_annotate.mends.moves.decide import none_tests as none_tests
from pdt_annotate.mends.moves.decide import type_tests as type_tests
from pdt_annotate.mends.moves.declare import called_modules as called_modules
from pdt_annotate.mends.moves.declare import missing_layers as missing_layers
from pdt_annotate.mends.moves.declare import refined_values as refined_values
from pdt_annotate.mends.moves.declare import unknown_annotations as unknown_annotations
from pdt_annotate.mends.moves.declare import unset_attributes as unset_attributes
from pdt_annotate.mends.moves.declare import unset_names as unset_names
from pdt_annotate.mends.moves.declare import wide_annotations as wide_annotations
from pdt_annotate.mends.moves.guard import eager_checks as eager_checks
from pdt_annotate.mends.moves.hoist import class_functions as class_functions
from pdt_annotate.mends.moves.hoist import configuration as configuration
from pdt_annotate.mends.moves.hoist import global_constants as global_constants
from pdt_annotate.mends.moves.hoist import inner_functions as inner_functions
from pdt_annotate.mends.moves.inline import autograd_functions as autograd_functions
from pdt_annotate.mends.moves.inline import inline_layers as inline_layers
from pdt_annotate.mends.moves.inline import kept_functions as kept_functions
from pdt_annotate.mends.moves.inline import local_callables as local_callables
from pdt_annotate.mends.moves.inline import local_functions as local_functions
from pdt_annotate.mends.moves.inline import none_helpers as none_helpers
from pdt_annotate.mends.moves.inline import passed_layers as passed_layers
from pdt_annotate.mends.moves.inline import super_calls as super_calls
from pdt_annotate.mends.moves.inline import weight_hooks as weight_hooks
from pdt_annotate.mends.moves.inline import wrapped_functions as wrapped_functions
from pdt_annotate.mends.moves.leave_out import dead_branches as dead_branches
from pdt_annotate.mends.moves.leave_out import untaken_branches as untaken_branches
from pdt_annotate.mends.moves.leave_out import unused_functions as unused_functions
from pdt_annotate.mends.moves.leave_out import unused_properties as unused_properties
from pdt_annotate.mends.moves.spell import einops as einops
from pdt_annotate.mends.moves.spell import torch_arguments as torch_arguments
from pdt_annotate.mends.moves.spell import tuples as tuples
from pdt_annotate.mends.moves.spell import words as words
from pdt_annotate.mends.moves.split import split_names as split_names
from pdt_annotate.mends.moves.unroll import chosen_layers as chosen_layers
from pdt_annotate.mends.moves.unroll import comprehension_tests as comprehension_tests
from pdt_annotate.mends.moves.unroll import walked_layers as walked_layers

MEND_RULES: tuple[MendRule, ...] = (
    unknown_annotations.RULE,
    called_modules.RULE,
    split_names.RULE,
    global_constants.RULE,
    class_functions.RULE,
    torch_arguments.RULE,
    words.RULE,
    inline_layers.RULE,
    einops.RULE,
    tuples.RULE,
    super_calls.RULE,
    weight_hooks.RULE,
    autograd_functions.RULE,
    wrapped_functions.RULE,
    local_functions.RULE,
    none_helpers.RULE,
    inner_functions.RULE,
    passed_layers.RULE,
    local_callables.RULE,
    comprehension_tests.RULE,
    none_tests.RULE,
    unset_attributes.RULE,
    unset_names.RULE,
    refined_values.RULE,
    untaken_branches.RULE,
    walked_layers.RULE,
    chosen_layers.RULE,
    passed_dicts.RULE,
    variadics.RULE,
    plain_parameters.RULE,
    missing_layers.RULE,
    kept_functions.RULE,
    configuration.RULE,
    type_tests.RULE,
    eager_checks.RULE,
    unused_properties.RULE,
    unused_functions.RULE,
    wide_annotations.RULE,
    dead_branches.RULE,
)
"""Smallest first: in this order they are tried, and of two that overlap the first is made."""
