"""An observed type → a TorchScript-legal type, or the reason why it has none: an ordered table of rule functions.

`rule_context` is the input of the rules: the kind of slot and the known classes. `user_classes` also refuses the types
that TorchScript lacks, such as sets, arrays and functions. The rules were tried on the compiler; the tests repeat that.
"""

from collections.abc import Mapping

from pdt_annotate.choose.legalize import containers, numbers, torch_values, unions, user_classes
from pdt_annotate.choose.legalize.rule_context import Context, Rule
from pdt_annotate.values.slots import Classes, Illegal, Legal, SlotKind
from pdt_annotate.values.types import TypeExpr

# The first rule that applies decides; the last always applies.
RULES: Mapping[str, Rule] = {
    "none": unions.legalize_none,
    "optional": unions.legalize_optional,
    # Unions: the special ones before the general one.
    "numbers": numbers.legalize_numbers,
    "device-names": unions.legalize_device_names,
    "sequences": containers.legalize_sequences,
    "union": unions.legalize_union,
    # Values that TorchScript knows. PackedSequence is a namedtuple and numpy.float64 a float: both before the classes.
    "tensor": torch_values.legalize_tensor,
    "scalar": numbers.legalize_scalar,
    "torch-value": torch_values.legalize_torch_value,
    "size": torch_values.legalize_size,
    "future": torch_values.legalize_future,
    # Containers.
    "empty": containers.legalize_empty,
    "list": containers.legalize_list,
    "dict": containers.legalize_dict,
    "tuple": containers.legalize_tuple,
    # Values that it does not know, then classes.
    "module": user_classes.legalize_module,
    "refused": user_classes.legalize_refused,
    "unnameable": user_classes.legalize_unnameable,
    "namedtuple": user_classes.legalize_namedtuple,
    "enum": user_classes.legalize_enum,
    "dataclass": user_classes.legalize_dataclass,
    "user-class": user_classes.legalize_user_class,
}


def legalize(type: TypeExpr, kind: SlotKind, classes: Classes) -> Legal | Illegal:
    """The legal type for such a value in such a slot, or the reason why it has none.

    The kind of slot matters because TorchScript converts values on entry, and not elsewhere.
    """
    return Context(kind, classes, RULES).legalize(type)
