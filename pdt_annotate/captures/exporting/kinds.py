"""What calls are alike in, whatever their sizes and ints."""

from __future__ import annotations

from pdt_annotate.captures.exporting.sizes import leaves, numbers_of, sizes_of
from pdt_annotate.values.exports import CallSeen, ConstantSeen, NestSeen, Path, Seen, TensorSeen, Where


def kind_of(call: CallSeen, fixed: frozenset[Where]) -> tuple[object, ...]:
    """What is equal in all calls that one program serves, whatever their sizes."""
    found = leaves(call.arguments)
    sizes = {axis: size for axis, size in sizes_of(call).items() if axis in fixed}
    numbers = {path: value for path, value in numbers_of(call).items() if path in fixed}
    nests = tuple(_structure(call.arguments[name]) for name in sorted(call.arguments))
    return (
        call.mode,
        frozenset(call.arguments),
        nests,
        frozenset((path, _leaf_kind(seen)) for path, seen in found.items()),
        frozenset(sizes.items()),
        frozenset(numbers.items()),
    )


def tensors_of(call: CallSeen) -> frozenset[tuple[Path, object]]:
    """The tensors of a call, by where they are, without their sizes."""
    found = leaves(call.arguments)
    return frozenset((path, _leaf_kind(seen)) for path, seen in found.items() if isinstance(seen, TensorSeen))


def _structure(seen: Seen) -> object:
    return (seen.kind, seen.keys, tuple(map(_structure, seen.parts))) if isinstance(seen, NestSeen) else None


def _leaf_kind(seen: Seen) -> object:
    if isinstance(seen, TensorSeen):
        return seen.kind, len(seen.shape)
    return seen.text if isinstance(seen, ConstantSeen) else None
