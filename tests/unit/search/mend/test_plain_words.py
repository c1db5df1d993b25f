"""Sets, f-strings and `reversed`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.plain_words import RULE
from pdt_annotate.values.types import TypeExpr

HEAD = "import torch\n\n\ndef f(x, y, n):\n    "


def mend(folder: Path, body: str) -> str:
    types = {"f": {"y": (TypeExpr("list", (TypeExpr("int"),)),)}}
    return Mended(folder, f"{HEAD}{body}\n", types=types).apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    "body",
    [
        "return {1, 2}",
        "return len({1, 2})",
        "return x in {y, n}",  # may be what cannot be hashed
        "return x in {*y}",
        "return {1} in x",
        "return f'{x}'",
        "return f'{x=}'",
        "return f'{x:{n}}'",
        "return list(reversed(x))",
        "return reversed([x])",
        "return list(reversed(range(1, n)))",
        "reversed = n\n    return list(reversed([x]))",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('return x in {"a", "b"}', 'return x in ("a", "b")'),
        ("return x not in {1}", "return x not in (1,)"),
        ("return x in {torch.half, torch.float}", "return x in (torch.half, torch.float)"),
        ('raise E(f"no {x!r} in {{{n}}}")', 'raise E("no {!r} in {{{}}}".format(x, n))'),
        ("return f'{x:.2f} {n}' + y", "return '{:.2f} {}'.format(x, n) + y"),
        ("return list(reversed(y))", "return list(y[::-1])"),
        ("return enumerate(reversed([x, n]))", "return enumerate([x, n][::-1])"),
        ("return zip(reversed(x[:n]), y)", "return zip(x[:n][::-1], y)"),
        ("return [a for a in reversed(range(n))]", "return [a for a in range(n - 1, -1, -1)]"),
        ("return list(reversed(range(n + 1)))", "return list(range((n + 1) - 1, -1, -1))"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


PARTS = st.sampled_from(["{x!r}", "{x!s}", "{n:>4}", "{n:.2f}", "{{", "}}", "a'b", ": ", "{x}", "\\n", "{n + 1!r:5}"])


@settings(max_examples=40, deadline=None)
@given(parts=st.lists(PARTS, max_size=5), quote=st.sampled_from(['"', '"""']))
def test_messages_say_the_same(tmp_path_factory: pytest.TempPathFactory, parts: list[str], quote: str) -> None:
    source = f"def f(x, n):\n    return f{quote}{''.join(parts)}{quote}\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old: dict[str, object] = {}
    new: dict[str, object] = {}
    exec(source, old)
    exec(after, new)
    assert old["f"]("'it'", 3) == new["f"]("'it'", 3)  # type: ignore[operator]
