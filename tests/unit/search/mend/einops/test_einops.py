"""Which calls of einops are changed, and how the lines look then."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.einops import RULE, equation
from pdt_annotate.values.types import TENSOR, TypeExpr

HEAD = "import einops\nimport torch\nfrom einops import rearrange, reduce, repeat\n\n\n"


def changed(folder: Path, body: str, head: str = HEAD, **types: TypeExpr) -> str:
    """What becomes of the body of a function."""
    start = head + "def f(self, x, y, h, n):\n"
    source = start + textwrap.indent(body, "    ") + "\n"
    seen = {"f": {name: (type_,) for name, type_ in types.items()}}
    made = Mended(folder, source, types=seen).apply(RULE)
    return textwrap.dedent(made.partition("h, n):\n")[2]).rstrip("\n")


@pytest.mark.parametrize(
    "body",
    [
        "return rearrange(x, h)",
        "return rearrange(x, f'b {h} -> b')",
        "return rearrange(x, 'b (h d) -> b h d', **h)",
        "return rearrange(*x)",
        "return rearrange(x, 'b (h d) -> b h d')",
        "return rearrange(x, 'b c -> c')",
        "return rearrange([x, y], 'k b -> b k')",
        "return rearrange([t for t in x], 'k b -> b k')",
        "return reduce(x, 'b c -> b', h)",
        "return reduce(x, 'b c -> b')",
        "return repeat(x + y, '... d -> b ... d', b=h)",
        "return rearrange(x, '(a b) (c d) -> d b', c=h(), a=n())",
        "return einops.einsum(*x, 'i j -> j')",
        "return einops.einsum(x, y, h)",
        "rearrange = h\nreturn rearrange(x, 'b c -> c b')",
        "return einops.layers.torch.Rearrange('b c -> c b')(x)",
    ],
)
def test_what_stays(tmp_path: Path, body: str) -> None:
    assert changed(tmp_path, body) == body


def test_what_is_not_of_einops_stays(tmp_path: Path) -> None:
    body = "return rearrange(x, 'b c -> c b')"
    assert changed(tmp_path, body, "from other import rearrange\n\n\n") == body
    assert (
        changed(tmp_path, "return reduce(x, 'b c -> c', 'sum')", "from functools import reduce\n\n\n").count("reduce")
        == 1
    )


def test_a_list_that_was_seen_stays(tmp_path: Path) -> None:
    body = "return rearrange(x, 'k b -> b k')"
    assert changed(tmp_path, body, x=TypeExpr("list", (TENSOR,))) == body
    assert changed(tmp_path, body, x=TENSOR) == "return x.permute(1, 0)"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return einops.rearrange(x, 'b c -> c b')", "return x.permute(1, 0)"),
        ("return rearrange(x + y, 'b c -> c b')", "return (x + y).permute(1, 0)"),
        ("return rearrange(x[0], 'b c -> c b') @ y", "return x[0].permute(1, 0) @ y"),
        ("return reduce(x, 'b c -> b', 'mean')", "return x.mean(dim=1)"),
        ("return reduce(x, 'b c -> b', reduction='max')", "return x.amax(dim=1)"),
        ("return repeat(self.token, '... -> b ...', b=h)", "return self.token.expand([h] + list(self.token.shape))"),
        ("return rearrange(x, '(a b) (c) -> a b c', a=h(), c=n())", None),
        ("return rearrange(rearrange(x, 'a b -> b a'), 'a b -> a b 1')", "return x.permute(1, 0).unsqueeze(2)"),
        ("return map(lambda t: rearrange(t, 'a b -> b a'), y)", "return map(lambda t: t.permute(1, 0), y)"),
        ("return einops.einsum(x, y, 'i j, k j -> i k')", "return torch.einsum('i j, k j -> i k', x, y)"),
        ('return einops.einsum(x, y, "i dim, k dim -> i k")', 'return torch.einsum("a b, c b -> a c", x, y)'),
    ],
)
def test_what_changes(tmp_path: Path, body: str, wanted: str | None) -> None:
    found = changed(tmp_path, body)
    assert found.splitlines()[-1] == (wanted or "return x.unflatten(0, (h(), -1)).unflatten(2, (n(),))")


def test_a_pattern_of_several_methods_stands_above_them(tmp_path: Path) -> None:
    body = "if h:\n    x = rearrange(x, 'b n (h d)-> b h n d', h = h)  # heads\nreturn x"
    assert changed(tmp_path, body).splitlines() == [
        "if h:",
        "    # b n (h d)-> b h n d",
        "    x = x.unflatten(2, (h, -1)).permute(0, 2, 1, 3)  # heads",
        "return x",
    ]


def test_a_pattern_that_a_statement_has_twice_stands_above_it_once(tmp_path: Path) -> None:
    body = "return rearrange(x, 'a b c -> a (c b)'), rearrange(y, 'a b c -> a (c b)')"
    assert changed(tmp_path, body).count("#") == 1


def test_no_comment_breaks_a_line_that_goes_on(tmp_path: Path) -> None:
    body = "if x: \\\n    y = rearrange(x, 'a b c -> a (c b)')\nreturn y"
    assert "#" not in changed(tmp_path, body)


def test_what_gets_too_long_is_broken_as_black_does(tmp_path: Path) -> None:
    body = "x = rearrange(x, 'b c (h p) (w q) -> b (p q) (h w) c', p=self.patch_height, q=self.patch_width)\nreturn x"
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 88\n")
    assert changed(tmp_path, body).splitlines() == [
        "# b c (h p) (w q) -> b (p q) (h w) c",
        "x = (",
        "    x.unflatten(2, (-1, self.patch_height))",
        "    .unflatten(4, (-1, self.patch_width))",
        "    .permute(0, 3, 5, 2, 4, 1)",
        "    .flatten(1, 2)",
        "    .flatten(2, 3)",
        ")",
        "return x",
    ]


def test_a_tensor_that_is_written_in_several_lines_keeps_them(tmp_path: Path) -> None:
    body = "return rearrange(\n    x\n    .abs(),\n    'a b -> b a',\n)"
    assert changed(tmp_path, body) == "return (x\n    .abs()).permute(1, 0)"


@pytest.mark.parametrize("pattern", ["i j", "i j -> k", "i -> i i", "(i j) -> i", "i 1 -> i", "i () -> i", "_ i -> i"])
def test_what_einops_refuses_is_none(pattern: str) -> None:
    assert equation(pattern) is None


def test_letters_stay() -> None:
    assert equation("b i d,b j d->b i j") == "b i d, b j d -> b i j"
    assert equation("... i, ... i -> ...") == "... i, ... i -> ..."


def test_names_become_letters() -> None:
    assert equation("batch n, n out -> batch out") == "a b, b c -> a c"


def test_what_is_summed_is_summed_in_the_order_of_appearance() -> None:
    assert equation("z y x, z y -> x") == "a b c, a b -> c"
