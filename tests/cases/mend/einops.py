"""Which calls of einops are changed, and how the lines look then."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

DOCUMENTED = Form(
    """\
from einops import rearrange, reduce, repeat


class Net(nn.Module):
    def forward(self, x, q):
        {}
"""
)
FORM = Form("""\
import einops
import torch
from einops import rearrange, reduce, repeat


def f(self, x, y, h, n):
    {}
""")
FORM_2 = Form("{}\n")

COMPILED = Form(IMPORTS + "from einops import rearrange, reduce, repeat\nimport einops\n\n\ndef f(x):\n    return {}\n")

CASES = [
    *FORM.alone(
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
    ),
    *FORM.alone("return rearrange(x, 'k b -> b k')", types={"f.x": ("List[Tensor]",)}),
    *FORM.mends(("return rearrange(x, 'k b -> b k')", "return x.permute(1, 0)"), types={"f.x": ("Tensor",)}),
    *FORM.mends(
        ("return einops.rearrange(x, 'b c -> c b')", "return x.permute(1, 0)"),
        ("return rearrange(x + y, 'b c -> c b')", "return (x + y).permute(1, 0)"),
        ("return rearrange(x[0], 'b c -> c b') @ y", "return x[0].permute(1, 0) @ y"),
        ("return reduce(x, 'b c -> b', 'mean')", "return x.mean(dim=1)"),
        ("return reduce(x, 'b c -> b', reduction='max')", "return x.amax(dim=1)"),
        ("return repeat(self.token, '... -> b ...', b=h)", "return self.token.expand([h] + list(self.token.shape))"),
        (
            "return rearrange(x, '(a b) (c) -> a b c', a=h(), c=n())",
            "# (a b) (c) -> a b c\nreturn x.unflatten(0, (h(), -1)).unflatten(2, (n(),))",
        ),
        ("return rearrange(rearrange(x, 'a b -> b a'), 'a b -> a b 1')", "return x.permute(1, 0).unsqueeze(2)"),
        ("return map(lambda t: rearrange(t, 'a b -> b a'), y)", "return map(lambda t: t.permute(1, 0), y)"),
        ("return einops.einsum(x, y, 'i j, k j -> i k')", "return torch.einsum('i j, k j -> i k', x, y)"),
        ('return einops.einsum(x, y, "i dim, k dim -> i k")', 'return torch.einsum("a b, c b -> a c", x, y)'),
        (
            "if h:\n    x = rearrange(x, 'b n (h d)-> b h n d', h = h)  # heads\nreturn x",
            (
                "if h:\n    # b n (h d)-> b h n d\n"
                "    x = x.unflatten(2, (h, -1)).permute(0, 2, 1, 3)  # heads\nreturn x"
            ),
        ),
        (
            "return rearrange(x, 'a b c -> a (c b)'), rearrange(y, 'a b c -> a (c b)')",
            "# a b c -> a (c b)\nreturn x.permute(0, 2, 1).flatten(1), y.permute(0, 2, 1).flatten(1)",
        ),
        (
            "if x: \\\n    y = rearrange(x, 'a b c -> a (c b)')\nreturn y",
            "if x: \\\n    y = x.permute(0, 2, 1).flatten(1)\nreturn y",
        ),
        (
            (
                "x = rearrange(x, 'b c (h p) (w q) -> b (p q) (h w) c', p=self.patch_height, q=self.patch_width)\n"
                "return x"
            ),
            (
                "# b c (h p) (w q) -> b (p q) (h w) c\nx = (\n    x.unflatten(2, (-1, self.patch_height))\n"
                "    .unflatten(4, (-1, self.patch_width))\n    .permute(0, 3, 5, 2, 4, 1)\n    .flatten(1, 2)\n"
                "    .flatten(2, 3)\n)\nreturn x"
            ),
        ),
        ("return rearrange(\n    x\n    .abs(),\n    'a b -> b a',\n)", "return (x\n    .abs()).permute(1, 0)"),
    ),
    *FORM_2.alone(
        "from other import rearrange\n\n\ndef f(self, x, y, h, n):\n    return rearrange(x, 'b c -> c b')",
        "from functools import reduce\n\n\ndef f(self, x, y, h, n):\n    return reduce(x, 'b c -> c', 'sum')",
    ),
    *COMPILED.compiles(
        "rearrange(x, 'a b -> b a')",
        "einops.rearrange(x, 'a b -> b a')",
        "repeat(x, 'a b -> a b 2')",
        "reduce(x, 'a b -> a', 'sum')",
        "einops.einsum(x, 'a b -> b')",
        "[rearrange(t, 'a b -> b a') for t in (x, x)][0]",
    ),
]
