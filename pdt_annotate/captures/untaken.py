"""The branches that no example call takes: a trace lacks them, and in a compiled program nothing proves them."""

import ast
import contextlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from pdt_annotate.observers.files import make_file_filter
from pdt_annotate.source.module import load_function
from pdt_annotate.source.scopes import names_in, names_inside, statements
from pdt_annotate.values.slots import Finding, Owner, Place


@contextlib.contextmanager
def counting_lines(root: str) -> Iterator[dict[CodeType, Counter[int]]]:
    """Count, by function, how often each line of the user's code begins to run inside the block, in this thread."""
    is_ours = make_file_filter(root)
    counts: dict[CodeType, Counter[int]] = defaultdict(Counter)

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        if not is_ours(frame.f_code.co_filename):
            return None
        count = counts[frame.f_code]

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                count[frame.f_lineno] += 1
            return note

        return note

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield counts
    finally:
        sys.settrace(before)


def find_untaken(counts: dict[CodeType, Counter[int]]) -> Iterator[Finding]:
    """A finding for each `if` that reads values of a call, and was always true or always false."""
    for code, count in counts.items():
        function = load_function(Owner.of(code))
        if function is None:  # made by `exec`, or a lambda
            continue
        names = names_inside(function.node) - {function.receiver}  # a test of configuration alone is never otherwise
        for node in (each.node for each in statements(function.node.body)):
            read = names_in(node.test) if isinstance(node, ast.If) else ()
            if not isinstance(node, ast.If) or names.isdisjoint(read):
                continue
            tested, taken = count[node.lineno], count[node.body[0].lineno]
            if tested and taken in (0, tested):
                said = f"`if {' '.join(ast.unparse(node.test).split())}`: the condition is {bool(taken)} in every call"
                place = Place(code.co_filename, node.lineno, node.col_offset + 1)
                yield Finding("PDT099", f"{said}, so the other branch is not tested", place)
