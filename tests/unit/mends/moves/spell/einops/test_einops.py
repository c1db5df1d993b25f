"""Patterns of einops, the equivalent calls that a person would write, and the axes of patterns."""

import pytest

from pdt_annotate.mends.moves.spell.einops import equation
from pdt_annotate.mends.moves.spell.einops.axis_patterns import parse, parse_side, plan
from pdt_annotate.mends.moves.spell.einops.chain import Chain

REFUSED = ["i j", "i j -> k", "i -> i i", "(i j) -> i", "i 1 -> i", "i () -> i", "_ i -> i"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        *((pattern, None) for pattern in REFUSED),
        ("b i d,b j d->b i j", "b i d, b j d -> b i j"),
        ("... i, ... i -> ...", "... i, ... i -> ..."),
        ("batch n, n out -> batch out", "b n, n o -> b o"),
        ("z y x, z y -> x", "a b c, a b -> c"),  # axes are summed in the order in which they appear
    ],
)
def test_the_equation_of_torch(pattern: str, expected: str | None) -> None:
    assert equation(pattern) == expected


class TestChain:
    def test_dimensions_behind_the_ellipsis_are_counted_from_the_back(self) -> None:
        chain = Chain(["a", "...", "b", "c"])
        assert [chain.dim(axis) for axis in "abc"] == [0, -2, -1]

    def test_what_changes_nothing_is_not_called(self) -> None:
        chain = Chain(["a", "b"])
        chain.permute(["a", "b"])
        chain.squeeze([])
        chain.insert(["a", "b"])
        chain.flatten(["a"])
        assert chain.calls == []

    @pytest.mark.parametrize(
        ("axes", "call"),
        [
            (["b", "a", "...", "c"], ".transpose(0, 1)"),
            (["c", "a", "b", "..."], ".movedim(-1, 0)"),
            (["b", "...", "c", "a"], ".movedim(0, -1)"),
            (["...", "c", "b", "a"], ".movedim((0, 1), (-1, -2))"),
        ],
    )
    def test_with_an_ellipsis_as_few_axes_move_as_can(self, axes: list[str], call: str) -> None:
        chain = Chain(["a", "b", "...", "c"])
        chain.permute(axes)
        assert (chain.calls, chain.axes) == ([call], axes)

    def test_later_calls_count_what_earlier_ones_made(self) -> None:
        chain = Chain(["a b", "c", "d"])
        chain.unflatten("a b", ["a", "b"], ["2", "-1"])
        chain.flatten(["c", "d"])
        chain.flatten(["a", "b"])
        chain.insert(["a b", "1@0", "c d"])
        assert chain.calls == [".unflatten(0, (2, -1))", ".flatten(2)", ".flatten(0, 1)", ".unsqueeze(1)"]

    @pytest.mark.parametrize(
        ("axes", "longer", "call"),
        [("a b", "x a y b", "[None, :, None, :]"), ("a ... b", "a ... x b y", "[..., None, :, None]")],
    )
    def test_several_new_axes_are_one_index(self, axes: str, longer: str, call: str) -> None:
        chain = Chain(axes.split())
        chain.insert(longer.split())
        assert chain.calls == [call]


def calls(operation: str, text: str, given: str = "") -> str | None:
    pattern = parse(text)
    assert pattern
    made = plan(pattern, operation, {name: name for name in given.split()}, "x")
    return "x" + "".join(made.calls) if made else None


@pytest.mark.parametrize(
    ("operation", "text", "given"),
    [
        ("rearrange", "b c -> b", ""),
        ("rearrange", "b -> b c", ""),
        ("rearrange", "b 3 -> b 3", ""),
        ("rearrange", "... -> b", ""),
        ("rearrange", "b -> b ...", ""),
        ("rearrange", "(b c) -> b c", ""),
        ("rearrange", "b c -> c b", "d"),
        ("repeat", "b -> b c", ""),
        ("repeat", "b c -> b", ""),
        ("repeat", "b 2 -> b 2", ""),
        ("sum", "b -> b c", "c"),
        ("sum", "b -> b 2", ""),
        ("logsumexp", "b c -> b", ""),
        ("mean", "b ... -> b", ""),
    ],
)
def test_what_einops_refuses_has_no_plan(operation: str, text: str, given: str) -> None:
    assert calls(operation, text, given) is None


@pytest.mark.parametrize(
    ("operation", "text", "given", "wanted"),
    [
        ("rearrange", "b c n -> b n c", "", "x.permute(0, 2, 1)"),
        ("rearrange", "b n (h d) -> b h n d", "h", "x.unflatten(2, (h, -1)).permute(0, 2, 1, 3)"),
        ("rearrange", "b h n d -> b n (h d)", "", "x.permute(0, 2, 1, 3).flatten(2)"),
        ("rearrange", "b h w c -> b (h w) c", "", "x.flatten(1, 2)"),
        ("rearrange", "b n -> (b n)", "", "x.flatten()"),
        ("rearrange", "(b x y) ... -> b x y ...", "x y", "x.unflatten(0, (-1, x, y))"),
        ("rearrange", "b (n) -> b n", "n", "x"),
        ("rearrange", "b h n d -> b n (h d)", "h", "x.permute(0, 2, 1, 3).flatten(2)"),
        ("rearrange", "i -> i ()", "", "x.unsqueeze(1)"),
        ("rearrange", "b j -> b () () j", "", "x[:, None, None, :]"),
        ("rearrange", "b n 1 -> b n", "", "x.squeeze(2)"),
        ("rearrange", "... () () -> ...", "", "x.squeeze((-2, -1))"),
        ("rearrange", "b t ... -> b ... t", "", "x.movedim(1, -1)"),
        ("rearrange", "... i j -> ... j i", "", "x.transpose(-2, -1)"),
        ("rearrange", "... k -> ... 1 k", "", "x.unsqueeze(-2)"),
        ("rearrange", "... d -> (...) d", "", "x.unsqueeze(0).flatten(0, -2)"),
        ("rearrange", "b n d -> b n d", "", "x"),
        ("repeat", "() n d -> b n d", "b", "x.expand(b, -1, -1)"),
        ("repeat", "n d -> b n d", "b", "x.expand(b, -1, -1)"),
        ("repeat", "d -> b 1 d", "b", "x.expand(b, 1, -1)"),
        ("repeat", "b 1 d -> b 3 d", "", "x.expand(-1, 3, -1)"),
        ("repeat", "b n d -> b n (d j)", "j", "x.unsqueeze(3).expand(-1, -1, -1, j).flatten(2)"),
        ("repeat", "h i j -> (b h) 1 i j", "b", "x.expand(b, -1, -1, -1).flatten(0, 1).unsqueeze(1)"),
        ("repeat", "... d -> b ... d", "b", "x.expand([b] + list(x.shape))"),
        ("repeat", "... n -> ... n d", "d", "x.unsqueeze(-1).expand(list(x.shape) + [d])"),
        ("repeat", "b ... -> (b r) ...", "r", "x.unsqueeze(1).expand([-1, r] + list(x.shape[1:])).flatten(0, 1)"),
        ("mean", "b n d -> b d", "", "x.mean(dim=1)"),
        ("mean", "b c h w -> b c 1 1", "", "x.mean(dim=(2, 3), keepdim=True)"),
        ("max", "b (h 2) -> b h", "", "x.unflatten(1, (-1, 2)).amax(dim=2)"),
        ("prod", "b c h w -> b c", "", "x.prod(dim=3).prod(dim=2)"),
        ("sum", "p ... -> ...", "", "x.sum(dim=0)"),
        ("mean", "b n d -> d b", "", "x.permute(2, 0, 1).mean(dim=2)"),
    ],
)
def test_plans(operation: str, text: str, given: str, wanted: str) -> None:
    assert calls(operation, text, given) == wanted


@pytest.mark.parametrize(
    "text",
    [
        *("b c", "b c, b -> c", "b -> c -> b", "b b -> b", "b (c -> b c", "b c) -> b c", "b ((c)) -> b c", "b 0 -> b"),
        *("_b -> _b", "b.. -> b", "b... -> b ...", "... ... -> ...", "(...) -> ...", "(b ...) -> b ...", "b\tc -> c b"),
        "b-c -> b",
    ],
)
def test_what_einops_refuses_is_none(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "dimensions"),
    [
        ("b (h w) d", (("b",), ("h", "w"), ("d",))),
        (" b(h w)d ", (("b",), ("h", "w"), ("d",))),
        *((f"b {one}", (("b",), ())) for one in ("1", "()", "(1)", "(1 1)")),
        ("(b 1 c)", (("b", "c"),)),
        ("3 (b 3)", (("3@0",), ("b", "3@5"))),  # every number is a separate axis
        ("b (...)", (("b",), ("1@2", "..."))),  # one dimension, even if the ellipsis matches none
        ("(b ...)", (("b", "..."),)),
    ],
)
def test_axes_stand_in_dimensions(text: str, dimensions: tuple[tuple[str, ...], ...]) -> None:
    assert parse_side(text) == dimensions
