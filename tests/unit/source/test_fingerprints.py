"""Fingerprints: what they outlive, and what they tell apart."""

from __future__ import annotations

from pdt_annotate.source.fingerprints import Fingerprints, Matter

SOURCE = """\
class Net:
    def forward(self, x, mask=None):
        y = x * 2
        return y


def other(x, mask=None):
    y = x * 2
    y = x * 2
    return y
"""

FILE = "/project/model.py"


def prints(source: str, *matters: Matter, name: str = "model.py") -> list[str]:
    return list(Fingerprints({FILE: source.encode()}).of(matters, lambda file: name))


def matter(line: int, name: str = "", code: str = "PDT037") -> Matter:
    return Matter(code, FILE, line, name)


def test_lines_that_move_change_nothing() -> None:
    moved = "import torch\n\n\n" + SOURCE
    assert prints(SOURCE, matter(2), matter(3), matter(9)) == prints(moved, matter(5), matter(6), matter(12))


def test_annotations_of_a_header_change_nothing() -> None:
    annotated = SOURCE.replace(
        "(self, x, mask=None)", "(\n        self, x: Tensor, mask: Optional[Tensor] = None\n    )"
    )
    assert prints(SOURCE, matter(2), matter(2, "mask")) == prints(annotated, matter(2), matter(3, "mask"))


def test_code_file_function_slot_and_text_tell_apart() -> None:
    matters = [matter(2, code="PDT038"), matter(2, "x"), matter(2, "mask"), *map(matter, (2, 3, 4, 7, 8, 9))]
    found = [*prints(SOURCE, *matters), *prints(SOURCE, matter(2), name="other.py")]
    assert len(set(found)) == len(found)


def test_the_same_line_once_more_in_a_function_is_counted() -> None:
    first, second = prints(SOURCE, matter(8), matter(9))
    assert (first.partition(":")[0], first[-2:], second[-2:]) == (second.partition(":")[0], ":1", ":2")


def test_what_has_no_place_or_does_not_parse_is_known_by_its_message() -> None:
    nowhere = [Matter("PDT059", "", 0, message=message) for message in ("one", "two", "one")]
    one, two, again = prints(SOURCE, *nowhere)
    assert one != two and one.endswith(":1") and again == one[:-1] + "2"
    broken = [Matter("PDT059", FILE, 3, message=message) for message in ("one", "two")]
    assert len(set(prints("def f(", *broken))) == 2
