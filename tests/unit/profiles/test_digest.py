"""A digest says whether a function is still the same: not whether it was annotated, moved or formatted."""

from __future__ import annotations

import ast
import textwrap

import pytest

from pdt_annotate.profiles.digest import digest_of, statement_lines

PLAIN = """
def f(x, mask=None, *, scale=1.5):
    acc = []
    for i in range(3):
        acc.append(x * i if mask is None else -x)
    return f"{scale:>{3}} done", acc
"""

SAME = {
    "annotated": """
        def f(x: Tensor, mask: Optional[Tensor] = None, *, scale: float = 1.5) -> Tuple[str, List[Tensor]]:
            acc: List[Tensor] = []
            for i in range(3):
                acc.append(x * i if mask is None else -x)
            return f"{scale:>{3}} done", acc
        """,
    "formatted, commented and documented": '''
        def f(
            x,
            mask=None,  # may be left out
            *,
            scale=1.5,
        ):
            """What it does."""

            acc = []
            for i in range(3):
                # one more
                acc.append((x * i) if mask is None else -x)
            return f'{scale:>{3}} ' 'done', acc
        ''',
    "declared first": """
        def f(x, mask=None, *, scale=1.5):
            acc: List[Tensor]
            acc = []
            for i in range(3):
                pass
                acc.append(x * i if mask is None else -x)
            return f"{scale:>{3}} done", acc
        """,
}

OTHER = {
    "a parameter": PLAIN.replace("scale=1.5", "scale=1.5, bias=None"),
    "a default": PLAIN.replace("1.5", "2.5"),
    "the type of a default": PLAIN.replace("range(3)", "range(3.0)"),
    "an operator": PLAIN.replace("x * i", "x + i"),
    "a name": PLAIN.replace("acc", "out"),
    "a constant": PLAIN.replace("done", "Done"),
    "a decorator": f"@torch.jit.ignore{PLAIN}",
    "where a statement stands": PLAIN.replace("    return f", "        return f"),
    "what a string is": PLAIN.replace("mask is None", "mask is 'None'"),
}


def parse(source: str) -> ast.FunctionDef:
    node = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_what_keeps_the_digest(source: str) -> None:
    assert digest_of(parse(source)) == digest_of(parse(PLAIN))


@pytest.mark.parametrize("source", OTHER.values(), ids=OTHER)
def test_what_changes_the_digest(source: str) -> None:
    assert digest_of(parse(source)) != digest_of(parse(PLAIN))


def test_the_digest_is_the_same_on_every_python() -> None:
    """The values are those of Python 3.11; a profile made there must match everywhere."""
    assert digest_of(parse(PLAIN)) == "4842545efc67b0be8c747cf9ae701da4"
    body = "\n".join(
        (
            "    async def g(*a, **k): yield {**k, 1: 2j, 'é': b'x', 0xfff: ...}",
            "    class C(B, metaclass=M): x = 'a' 'b'",
            "    try: from a import b as c",
            "    except* E as e: raise X from e",
            "    match x:",
            "        case {'a': [1, *r], **q} if y: del x[1:2, ::3]",
            "        case None | C(k=v): global n",
            "    return lambda a, /, b=u'x': not (a < b <= 1) and (z := [i async for i in a if i])",
        )
    )
    assert digest_of(parse(f"def f():\n{body}\n")) == "500f57a9dd57145e70cb85d191839518"


def test_constants_that_are_equal_are_told_apart() -> None:
    texts = ("1", "1.0", "True", "1j", "'1'", "b'1'", "None", "...", "'None'", "-1")
    assert len({digest_of(parse(f"def f(): return {text}")) for text in texts}) == len(texts)


def test_deep_nesting_and_long_numbers_are_no_problem() -> None:
    deep = "+".join(["x"] * 2500)
    assert digest_of(parse(f"def f(x): return {deep}")) != digest_of(parse(f"def f(x): return {deep}+x"))
    assert digest_of(parse(f"def f(): return 0x{'f' * 6000}"))


@pytest.mark.parametrize("name", ["annotated", "formatted, commented and documented", "declared first"])
def test_a_statement_keeps_its_number(name: str) -> None:
    """The number of `acc = []` and of the call in the loop lead to their lines in any form of the function."""
    before, after = PLAIN.splitlines(), textwrap.dedent(SAME[name]).splitlines()
    numbers, lines = statement_lines(parse(PLAIN)), statement_lines(parse(SAME[name]))
    assert len(numbers) == len(lines)
    for text in ("= []", "acc.append("):
        line = next(number for number, each in enumerate(before, start=1) if text in each)
        assert text in after[lines[numbers.index(line)] - 1]
