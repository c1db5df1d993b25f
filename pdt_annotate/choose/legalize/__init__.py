"""An observed type → a TorchScript-legal type, or the reason why there is none: one rule a file, in an ordered table.

Rules and what the compiler does with each type were tried on the compiler; the tests repeat the trials.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize import (
    dataclass,
    device_names,
    dicts,
    empty,
    enums,
    futures,
    lists,
    modules,
    namedtuples,
    none,
    numbers,
    optional,
    refused,
    scalars,
    sequences,
    size,
    tensor,
    torch_values,
    tuples,
    unions,
    unnameable,
    user_classes,
)
from pdt_annotate.choose.legalize.context import Context, Rule
from pdt_annotate.values.slots import ClassInfo, Illegal, Legal, SlotKind
from pdt_annotate.values.types import TypeExpr

RULES = (
    Rule("none", none.legalize),
    Rule("optional", optional.legalize),
    # Unions: the special ones before the general one.
    Rule("numbers", numbers.legalize),
    Rule("device-names", device_names.legalize),
    Rule("sequences", sequences.legalize),
    Rule("union", unions.legalize),
    # Values that TorchScript knows. PackedSequence is a namedtuple and numpy.float64 a float: both before the classes.
    Rule("tensor", tensor.legalize),
    Rule("scalar", scalars.legalize),
    Rule("torch-value", torch_values.legalize),
    Rule("size", size.legalize),
    Rule("future", futures.legalize),
    # Containers.
    Rule("empty", empty.legalize),
    Rule("list", lists.legalize),
    Rule("dict", dicts.legalize),
    Rule("tuple", tuples.legalize),
    # Values that it does not know, then classes.
    Rule("module", modules.legalize),
    Rule("refused", refused.legalize),
    Rule("unnameable", unnameable.legalize),
    Rule("namedtuple", namedtuples.legalize),
    Rule("enum", enums.legalize),
    Rule("dataclass", dataclass.legalize),
    Rule("user-class", user_classes.legalize),
)
"""The first rule that answers decides; the last answers always."""


def legalize(type: TypeExpr, kind: SlotKind, classes: Mapping[str, ClassInfo]) -> Legal | Illegal:
    """The legal type for such a value in such a slot, or why there is none.

    Args:
        type: one consolidated type.
        kind: what carries the annotation; what TorchScript converts on entry it does not convert elsewhere.
        classes: what is known of the observed classes, by dotted name.
    """
    return Context(kind, classes, RULES).legalize(type)
