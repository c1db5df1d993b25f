"""What the arguments of calls are, without torch."""

from __future__ import annotations

from seen_calls import call, tensor

from pdt_annotate.captures.exporting.seen import leaves, sizes_of
from pdt_annotate.values.exports import ConstantSeen, NestSeen


def test_sizes_of_nested_arguments() -> None:
    rest = NestSeen("State", (".n", ".m"), (ConstantSeen("4"), ConstantSeen("None")))
    nest = NestSeen("dict", ("ids", "rest"), (tensor(2, 3), rest))
    seen = call(0, batch=nest)
    assert sizes_of(seen) == {(("batch", "ids"), 0): 2, (("batch", "ids"), 1): 3}
    paths = [path for path, _ in leaves(seen.arguments)]
    assert paths == [("batch", "ids"), ("batch", "rest", ".n"), ("batch", "rest", ".m")]
