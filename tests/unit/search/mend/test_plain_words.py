"""Sets, f-strings and `reversed`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.plain_words import RULE

PARTS = st.sampled_from(["{x!r}", "{x!s}", "{n:>4}", "{n:.2f}", "{{", "}}", "a'b", ": ", "{x}", "\\n", "{n + 1!r:5}"])


@settings(max_examples=40, deadline=None)
@given(parts=st.lists(PARTS, max_size=5), quote=st.sampled_from(['"', '"""']))
def test_messages_say_the_same(tmp_path_factory: pytest.TempPathFactory, parts: list[str], quote: str) -> None:
    source = f"def f(x, n):\n    return f{quote}{''.join(parts)}{quote}\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old, new = defined(source), defined(after)
    assert old("'it'", 3) == new("'it'", 3)
