"""An observed type → a TorchScript-legal type, or the reason why it has none: an ordered table of rule functions.

`rule_context` is the input of the rules: the kind of slot and the known classes. `user_classes` also refuses the types
that TorchScript lacks, such as sets, arrays and functions. The rules were tried on the compiler; the tests repeat that.
"""

from collections.abc import Mapping

from pdt_annotate.choose.legalize import containers, numbers, torch_values, unions, user_classes
from pdt_annotate.choose.legalize.rule_context import Context, Rule
from pdt_annotate.values.slots import ClassInfo, Illegal, Legal, SlotKind
from pdt_annotate.values.types import TypeExpr

# The first rule that applies decides; the last always applies.
RULES = (
    Rule("none", unions.legalize_none),
    Rule("optional", unions.legalize_optional),
    # Unions: the special ones before the general one.
    Rule("numbers", numbers.legalize_numbers),
    Rule("device-names", unions.legalize_device_names),
    Rule("sequences", containers.legalize_sequences),
    Rule("union", unions.legalize_union),
    # Values that TorchScript knows. PackedSequence is a namedtuple and numpy.float64 a float: both before the classes.
    Rule("tensor", torch_values.legalize_tensor),
    Rule("scalar", numbers.legalize_scalar),
    Rule("torch-value", torch_values.legalize_torch_value),
    Rule("size", torch_values.legalize_size),
    Rule("future", torch_values.legalize_future),
    # Containers.
    Rule("empty", containers.legalize_empty),
    Rule("list", containers.legalize_list),
    Rule("dict", containers.legalize_dict),
    Rule("tuple", containers.legalize_tuple),
    # Values that it does not know, then classes.
    Rule("module", user_classes.legalize_module),
    Rule("refused", user_classes.legalize_refused),
    Rule("unnameable", user_classes.legalize_unnameable),
    Rule("namedtuple", user_classes.legalize_namedtuple),
    Rule("enum", user_classes.legalize_enum),
    Rule("dataclass", user_classes.legalize_dataclass),
    Rule("user-class", user_classes.legalize_user_class),
)


def legalize(type: TypeExpr, kind: SlotKind, classes: Mapping[str, ClassInfo]) -> Legal | Illegal:
    """The legal type for such a value in such a slot, or the reason why it has none.

    The kind of slot matters because TorchScript converts values on entry, and not elsewhere.
    """
    return Context(kind, classes, RULES).legalize(type)
