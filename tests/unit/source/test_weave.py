"""Changes upon changes of a text, and each of them left out."""

from __future__ import annotations

from pdt_annotate.source.text import Text, decode
from pdt_annotate.source.weave import Weave
from pdt_annotate.values.edits import Edit

TEXT = Text(b"one two three\n")


def put(weave: Weave, number: int, old: str, new: str) -> Weave:
    """Text in place of other text, as the change of that number."""
    offset = weave.body.index(old.encode())
    return weave.change(number, [Edit(offset, new, removed=len(old.encode()))])


class TestWeave:
    def test_a_text_that_nothing_changes_stays(self) -> None:
        weave = Weave.of(TEXT)
        assert weave.body == TEXT.body
        assert weave.edits == ()

    def test_all_left_out_gives_the_file(self) -> None:
        weave = put(put(put(Weave.of(TEXT), 0, "two", "2 + 2"), 1, "2 +", "4 -"), 2, "one ", "")
        assert weave.body == b"4 - 2 three\n"
        assert weave.without({0, 1, 2}).body == TEXT.body

    def test_one_of_two_apart_is_left_out(self) -> None:
        weave = put(put(Weave.of(TEXT), 0, "one", "1"), 1, "three", "3")
        assert weave.without({0}).body == b"one two 3\n"
        assert weave.without({1}).body == b"1 two three\n"

    def test_what_changes_a_change_goes_with_it(self) -> None:
        weave = put(put(Weave.of(TEXT), 0, "two", "f(two)"), 1, "f(two", "g(two")
        assert weave.dependent({0}) == {0, 1}
        assert weave.without({0}).body == TEXT.body
        assert weave.without({1}).body == b"one f(two) three\n"

    def test_what_is_put_inside_a_change_goes_with_it(self) -> None:
        first = put(Weave.of(TEXT), 0, "two", "f(two)")
        weave = first.change(1, [Edit(first.body.index(b"two"), "x, ")])
        assert weave.body == b"one f(x, two) three\n"
        assert weave.without({0}).body == TEXT.body

    def test_a_change_around_a_change_needs_it(self) -> None:
        weave = put(put(Weave.of(TEXT), 0, "two", "2"), 1, "one 2 three", "all")
        assert weave.without({1}).body == b"one 2 three\n"
        assert weave.without({0}).body == TEXT.body

    def test_edits_make_of_the_file_what_is_seen(self) -> None:
        weave = put(put(put(Weave.of(TEXT), 0, "two", "2 + 2"), 1, "2 +", "4 -"), 2, "one ", "")
        assert TEXT.edit(weave.edits) == weave.body

    def test_edits_are_told_with_the_change_that_makes_them(self) -> None:
        weave = put(put(Weave.of(TEXT), 3, "two", "2"), 7, "three", "")
        told = [(number, edit.text, edit.removed) for number, edit in weave.numbered]
        assert told == [(3, "", 3), (3, "2", 0), (7, "", 5)]

    def test_edits_keep_their_order_at_one_place(self) -> None:
        weave = Weave.of(TEXT).change_all([(0, Edit(4, "a")), (1, Edit(4, "b", removed=3))])
        assert weave.body == b"one ab three\n"
        assert TEXT.edit(weave.edits) == weave.body

    def test_places_are_traced_to_the_file(self) -> None:
        weave = put(Weave.of(TEXT), 0, "one", "a much longer one")
        assert weave.trace(weave.body.index(b"two")) == TEXT.body.index(b"two")
        assert weave.trace(3) == TEXT.body.index(b" two")
        assert weave.trace(10_000) == len(TEXT.body)

    def test_other_encodings_come_back(self) -> None:
        source = "# coding: latin-1\nx = 'ä'\n".encode("latin-1")
        weave = put(Weave.of(decode(source)), 0, "x", "y")
        assert weave.source == source.replace(b"x =", b"y =")

    def test_what_is_put_where_a_change_took_something_away_goes_with_it(self) -> None:
        first = put(Weave.of(TEXT), 0, " two", "")
        weave = first.change(1, [Edit(first.body.index(b" three"), ": new")])
        assert weave.body == b"one: new three\n"
        assert weave.without({0}).body == TEXT.body

    def test_whole_lines_stand_by_themselves(self) -> None:
        weave = Weave.of(TEXT).change(0, [Edit(0, "zero\n")]).change(1, [Edit(0, "less\n")])
        assert weave.without({0}).body == b"less\n" + TEXT.body
