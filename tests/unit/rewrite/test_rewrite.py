"""The whole rewrite, and what the other tests of the package write their cases with."""

from __future__ import annotations

import pytest
from rewrite_case import FILE, LIST, MODULE, Case

from pdt_annotate.rewrite import rewrite
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.types import TENSOR


@pytest.mark.parametrize("source", ["def f(x): return x\n", ""])
def test_nothing_wanted_changes_nothing(source: str) -> None:
    Case(source).stays()


def test_no_python_is_the_users_error_with_its_file() -> None:
    with pytest.raises(UserError) as caught:
        rewrite(b"def f(:\n", [], file=FILE, module=MODULE, classes={})
    assert caught.value.file == FILE


def test_of_two_annotations_for_one_slot_the_first_counts() -> None:
    result = Case("def f(x«: int»): pass\n").param("f", "x").param("f", "x", TENSOR).becomes()
    assert len(result.written) == 1


def test_reports_what_was_written_and_what_it_needs() -> None:
    case = Case("def f(x, y: int): pass\n").param("f", "x", LIST).param("f", "y", LIST)
    result = case.run()
    assert result.written == (case.annotations[0],)
    assert result.refused == ()
    assert result.imports == ("from typing import List",)


def test_a_finding_knows_its_slot_and_line() -> None:
    case = Case("\ndef f(*args): pass\n").param("f", "args")
    (finding,) = case.run().refused
    assert (finding.code, finding.place.file, finding.place.line) == ("PDT036", FILE, 2)
    assert finding.slot == case.annotations[0].slot


def test_without_imports_every_line_keeps_its_number() -> None:
    case = Case("""\
        class A:
            y = 3
            def f(self, x«: List[int]»):
                z«: List[int]» = []
                return x
        """)
    case.attribute("A", "y").attribute("A", "q").param("A.f", "x", LIST).local("A.f", "z", 4, LIST)
    result = case.becomes(imports=False)
    assert result.imports == ("from typing import List",)
    assert result.refused == ()
