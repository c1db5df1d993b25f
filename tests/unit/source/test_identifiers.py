from __future__ import annotations

import pytest

from pdt_annotate.source.identifiers import mentions


@pytest.mark.parametrize(
    ("source", "name", "is_there"),
    [
        ("self.field", "field", True),
        ("self.ﬁeld", "field", True),
        ("self.ﬁeld", "ﬁeld", True),
        ("self.ﬁeld", "fold", False),
        ("self.field", "ﬁeld", False),  # Python knows no such name: ask for the normal one
    ],
)
def test_mentions(source: str, name: str, is_there: bool) -> None:
    assert mentions(source.encode(), name) is is_there
