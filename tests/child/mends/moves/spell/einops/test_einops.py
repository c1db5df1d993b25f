"""Models that call einops, with the real compiler; and the results of the calls, compared with einops itself."""

import math
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import einops
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import IMPORTS
from mended_module import recover

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.mends.moves.spell.einops import RULE, equation, packing
from pdt_annotate.mends.moves.spell.einops.axis_patterns import REARRANGE, REDUCTIONS, REPEAT, parse, plan

MODULE = (
    IMPORTS
    + """import einops
from einops import rearrange, reduce, repeat


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = 2
        self.token = nn.Parameter(torch.randn(1, 1, 8))

    def forward(self, x):
        token = repeat(self.token, "() n d -> b n d", b=x.shape[0])
        x = torch.cat((token, x), dim=1)
        q = rearrange(x, "b n (h d) -> b h n d", h=self.heads)
        similar = einops.einsum(q, q, "batch head i dim, batch head j dim -> batch head i j")
        out = einops.einsum(similar, q, "b h i j, b h j d -> b h i d")
        out = rearrange(out, "b h n d -> b n (h d)")
        position = torch.arange(out.shape[1])
        distance = rearrange(position, "i -> i ()") - rearrange(position, "j -> () j")
        return reduce(out, "b n d -> b d", "mean"), repeat(distance, "... j -> b ... j", b=2)
"""
)


def test_a_model_scripts_when_its_calls_are_written_out(tmp_path: Path) -> None:
    found = recover(tmp_path, MODULE, [RULE], torch.randn(3, 5, 8))
    assert found.scripts and found.answers_alike, found.messages
    assert len(found.messages) == 1


def test_other_variable_arguments_do_not_ask_for_it() -> None:
    def other(*values):
        return values[0]

    def calls(x):
        return other(x)

    with pytest.raises(torch.jit.frontend.NotSupportedError) as error:
        torch.jit.script(calls)
    assert not RULE.is_asked_for(read_failure(error.value))


SIZES = {"z": 2, "b": 3, "heads": 4, "a": 2, "dim": 3}


@st.composite
def patterns(draw: Callable[[Any], Any]) -> str:
    sides = draw(st.lists(st.lists(st.sampled_from(sorted(SIZES)), min_size=1, max_size=3), min_size=1, max_size=3))
    names = sorted({name for side in sides for name in side})
    made = draw(st.permutations(names))[: draw(st.integers(0, len(names)))]
    return ", ".join(map(" ".join, sides)) + " -> " + " ".join(made)


@settings(max_examples=60, deadline=None)
@given(patterns())
def test_it_answers_what_einops_answers(pattern: str) -> None:
    inputs = [[SIZES[name] for name in side.split()] for side in pattern.partition("->")[0].split(",")]
    tensors = [torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))) for shape in inputs]
    as_before: Any = einops.einsum
    assert torch.equal(as_before(*tensors, pattern), torch.einsum(equation(pattern), *tensors))


NAMES = ["b", "c", "h", "w", "n1"]
ELLIPSIS = "..."
OPERATIONS = [REARRANGE, REPEAT, *sorted(REDUCTIONS)]


@dataclass(frozen=True)
class Example:
    """A pattern, the operation, the given lengths, and a shape that fits."""

    pattern: str
    operation: str
    lengths: dict[str, int]
    shape: tuple[int, ...]
    order: tuple[int, ...]

    def tensor(self) -> torch.Tensor:
        """Numbers whose order in memory differs from their order by index."""
        sizes = [self.shape[dim] for dim in self.order]
        whole = torch.randn(sizes, generator=torch.Generator().manual_seed(0))
        return whole.permute([self.order.index(dim) for dim in range(len(sizes))])

    def by_einops(self, tensor: torch.Tensor) -> torch.Tensor:
        return einops.reduce(tensor, self.pattern, self.operation, **self.lengths)

    @property
    def source(self) -> str:
        pattern = parse(self.pattern)
        made = pattern and plan(pattern, self.operation, {name: name for name in self.lengths}, "x")
        assert made, "no plan for what einops takes"
        return "x" + "".join(made.calls)

    def by_calls(self, tensor: torch.Tensor) -> Any:
        return eval(self.source, {"x": tensor, **self.lengths})


def _grouped(draw: Callable[[Any], Any], axes: Sequence[str], joins: bool) -> list[list[str]]:
    """Axes in order, some in groups, with dimensions of size 1 between them."""
    groups: list[list[str]] = []
    for axis in axes:
        is_apart = ELLIPSIS in (axis, *(groups[-1] if groups else [])) and not joins
        if groups and groups[-1] and not is_apart and draw(st.booleans()):
            groups[-1].append(axis)
        else:
            groups += [[], [axis]] if draw(st.integers(0, 5)) == 0 else [[axis]]
    return [*groups, []] if draw(st.integers(0, 5)) == 0 else groups


def _side(draw: Callable[[Any], Any], groups: Sequence[Sequence[str]]) -> str:
    def spelled(group: Sequence[str]) -> str:
        if not group:
            return draw(st.sampled_from(["1", "()"]))
        is_plain = len(group) == 1 and (group[0] != ELLIPSIS or draw(st.booleans()))
        return group[0] if is_plain else f"({' '.join(group)})"

    return " ".join(map(spelled, groups))


@st.composite
def examples(draw: Callable[[Any], Any], operations: Sequence[str] = OPERATIONS) -> Example:
    operation = draw(st.sampled_from(operations))
    axes = draw(st.permutations(NAMES))[: draw(st.integers(1, 5))]
    rest = [ELLIPSIS] if draw(st.booleans()) else []
    kept = draw(st.permutations([*axes, *rest]))
    if operation in REDUCTIONS:
        kept = [axis for axis in kept if axis == ELLIPSIS or draw(st.booleans())]
    new = ["r", "s", "2"][: draw(st.integers(1, 3))] if operation == REPEAT else []
    right = draw(st.permutations([*kept, *new]))
    at = draw(st.integers(0, len(axes)))
    left = _grouped(draw, [*axes[:at], *rest, *axes[at:]], joins=False)
    sizes = {axis: draw(st.integers(1, 3)) for axis in [*axes, "r", "s"]}
    inferred = {draw(st.sampled_from(group)) for group in left if group}
    checked = {axis for axis in axes if draw(st.integers(0, 9)) == 0}
    lengths = {axis: sizes[axis] for axis in [*axes, *new] if axis in checked or axis not in {*inferred, "2"}}
    shape: list[int] = []
    for group in left:
        if group == [ELLIPSIS]:
            shape += draw(st.lists(st.integers(1, 3), max_size=2))
        else:
            shape.append(math.prod(sizes[axis] for axis in group))
    left_side = " ".join(ELLIPSIS if group == [ELLIPSIS] else _side(draw, [group]) for group in left)
    order = tuple(draw(st.permutations(range(len(shape)))))
    right_side = _side(draw, _grouped(draw, right, joins=True))
    return Example(f"{left_side} -> {right_side}", operation, lengths, tuple(shape), order)


@settings(max_examples=150, deadline=None)
@given(examples())
def test_the_calls_answer_what_einops_answers(example: Example) -> None:
    x = example.tensor()
    wanted, found = example.by_einops(x), example.by_calls(x)
    assert wanted.shape == found.shape and torch.equal(wanted, found)
    assert _lies(wanted, x) == _lies(found, x)


def _lies(answer: torch.Tensor, x: torch.Tensor) -> tuple[bool, list[int]]:
    """Whether a tensor is a view of another, and its strides, if they matter."""
    strides = [stride for size, stride in zip(answer.shape, answer.stride(), strict=True) if size > 1]
    return answer.data_ptr() == x.data_ptr(), strides


@settings(max_examples=40, deadline=None)
@given(examples())
def test_the_calls_script(example: Example) -> None:
    x = example.tensor()
    parameters = ", ".join(["x", *(f"{name}: int" for name in example.lengths)])
    scripted = torch.jit.CompilationUnit(f"def f({parameters}):\n    return {example.source}\n")
    assert torch.equal(scripted.f(x, **example.lengths), example.by_calls(x))


@settings(max_examples=40, deadline=None)
@given(examples([REARRANGE]), st.data())
def test_sizes_that_do_not_fit_raise_as_before(example: Example, data: st.DataObject) -> None:
    pattern = parse(example.pattern)
    joined = {axis for group in pattern.left if len(group) > 1 for axis in group} if pattern else set()
    if not joined & example.lengths.keys():  # the length of an entire dimension is not checked
        return
    name = data.draw(st.sampled_from(sorted(joined & example.lengths.keys())))
    wrong = replace(example, lengths=example.lengths | {name: 7})
    for answer in (wrong.by_einops, wrong.by_calls):
        with pytest.raises((einops.EinopsError, RuntimeError)):
            answer(example.tensor())


@pytest.mark.parametrize(
    ("rank", "pattern"),
    [
        (3, "b n (h d) -> b h n d"),
        (4, "b h n d -> b n (h d)"),
        (4, "b c h w -> b (h w) c"),
        (3, "b c (h w) -> b h w c"),
        (2, "b n -> n b"),
    ],
)
def test_where_axes_change_places_other_ranks_raise_as_before(rank: int, pattern: str) -> None:
    example = Example(pattern, REARRANGE, {"h": 2} if "(h" in pattern.partition("->")[0] else {}, (), ())
    assert example.by_calls(torch.ones((4,) * rank)).dim()
    for other in {1, 2, 3, 4, 5} - {rank}:
        for answer in (example.by_einops, example.by_calls):
            with pytest.raises((einops.EinopsError, RuntimeError, IndexError)):
                answer(torch.ones((4,) * other))


def test_an_empty_batch_is_answered_as_before() -> None:
    example = Example("b n (h d) -> b h n d", REARRANGE, {"h": 2}, (0, 3, 4), (0, 1, 2))
    assert example.by_einops(example.tensor()).shape == example.by_calls(example.tensor()).shape == (0, 2, 3, 2)


PACKED: dict[str, Any] = {"torch": torch, "typing": typing}
for operation, text in packing.FUNCTIONS.items():
    exec(text.format(name=operation, **packing.NAMES), PACKED)


@st.composite
def packings(draw: Callable[[Any], Any]) -> tuple[list[torch.Tensor], str]:
    """Tensors that only differ in the dimensions of the star, and the pattern."""
    before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    stars = draw(st.lists(st.lists(st.integers(1, 3), max_size=2), min_size=1, max_size=3))
    tensors = [torch.randn([2, 3][:before] + star + [4, 5][:after]) for star in stars]
    return tensors, " ".join([*"ab"[:before], "*", *"cd"[:after]])


@settings(max_examples=60, deadline=None)
@given(packings(), st.booleans())
def test_the_written_functions_pack_and_unpack_as_einops(example: tuple[list[torch.Tensor], str], rest: bool) -> None:
    tensors, pattern = example
    whole, shapes = einops.pack(tensors, pattern)
    packed, found = PACKED["pack"](tensors, pattern)
    assert torch.equal(packed, whole) and list(map(tuple, found)) == list(map(tuple, shapes))
    asked = [(-1,), *shapes[1:]] if rest else shapes  # einops computes one length
    parts, wanted = PACKED["unpack"](packed, asked, pattern), einops.unpack(whole, asked, pattern)
    assert [each.tolist() for each in parts] == [each.tolist() for each in wanted]
    assert parts[0].data_ptr() == packed.data_ptr()  # a view, as in einops


TWO = (
    IMPORTS
    + """from einops import pack, unpack


class Block(nn.Module):
    def forward(self, x, token):
        x, shapes = pack((token, x), "b * d")
        token, x = unpack(x * 2, shapes, "b * d")
        return x + token.sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        x, shapes = pack([x], "* d")
        (x,) = unpack(x + 1, shapes, "* d")
        return self.block(x, x[:, :1])
"""
)


def test_calls_of_two_classes_share_the_written_functions(tmp_path: Path) -> None:
    found = recover(tmp_path, TWO, [RULE], torch.randn(3, 5, 8))
    assert found.scripts and found.answers_alike, found.messages
    assert found.source.count("def pack_tensors(") == found.source.count("def unpack_tensors(") == 1
