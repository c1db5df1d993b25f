"""Lines in what torch keeps of a node's source."""

from __future__ import annotations

from pdt_annotate.graphs.read.plain import place_in_stack, place_of
from pdt_annotate.values.places import NO_PLACE, Place

COMPILED = '  File "{}", line {}\n    x = f(x)\n        ~ <--- HERE\n'
TRACED = "/lib/torch/conv.py(560): _conv\n/root/net.py(12): forward\n/root/net.py(30): outer\n"


def test_without_a_line_there_is_no_place() -> None:
    assert place_of(["", "in a builtin"], "/root") == NO_PLACE
    assert place_of(['  File "<string>", line 3\n'], "/root") == NO_PLACE


def test_the_innermost_below_the_root() -> None:
    ranges = [COMPILED.format("/lib/torch/functional.py", 9), COMPILED.format("/root/net.py", 4)]
    assert place_of([*ranges, COMPILED.format("/root/net.py", 8)], "/root") == Place("/root/net.py", 4)
    assert place_of(ranges, "/elsewhere") == Place("/lib/torch/functional.py", 9)
    assert place_of([TRACED], "/root") == Place("/root/net.py", 12)


def test_in_a_stack_of_python_the_innermost_comes_last() -> None:
    stack = 'File "/root/net.py", line 1, in outer\n    f()\n  File "/root/net.py", line 2, in f\n    g()\n'
    assert place_in_stack(stack, "/root") == Place("/root/net.py", 2)
