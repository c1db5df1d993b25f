"""Generated calls: the aspects that vary, their forms as a tree and as a line, the lines they run, and shrinking."""

import enum
import functools
import importlib
import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
import yaml

import pdt_annotate
from pdt_annotate.inputs.specs.spec import read_call
from pdt_annotate.inputs.specs.yaml_spec import read_yaml
from pdt_annotate.processes.child.probes.argument_tree import Fill, changed, leaves, mapped, spots_of
from pdt_annotate.processes.child.probes.drafts import draw_drafts, read_constants_in, shrink
from pdt_annotate.processes.child.probes.drawn_runs import is_raised_on_purpose, place_of, traps_met
from pdt_annotate.processes.child.probes.space import Base, Knowledge, Space, Variation, aspects_of, make
from pdt_annotate.processes.child.probes.spec_lines import spell
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import Trap


def telling(call: Call, schema: Any = None, known: Knowledge = Knowledge()) -> dict[Any, tuple[Any, ...]]:  # noqa: B008
    return {aspect.name: aspect.telling for aspect in aspects_of(call, schema, known)}


def test_constants_are_read_in_the_modules_of_the_target_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    providers = pytest.importorskip("hypothesis.internal.conjecture.providers")
    monkeypatch.syspath_prepend(tmp_path)
    for name, number in (("constants_read", 918_273), ("constants_left", 817_263)):
        (tmp_path / f"{name}.py").write_text(f"limit = {number}\n")
        importlib.import_module(name)
    read_constants_in({"constants_read"})
    found = providers._get_local_constants().set_for_type("integer")
    assert 918_273 in found
    assert 817_263 not in found


UNKNOWN = (None, object(), torch.Size([2]), b"x", torch.device("cpu"))


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: type(value).__name__)
def test_of_what_is_unknown_nothing_is_drawn(value: Any) -> None:
    assert not telling(Call((value,)))


def test_numbers_stay_near_those_that_were_seen_texts_of_the_source_are_passed_and_no_example() -> None:
    for value in (0, 0.0, "", True):
        (told,) = telling(Call((value,))).values()
        assert all((type(each), each) != (type(value), value) for each in told)
    (told,) = telling(Call((3,))).values()
    assert {0, -1, 63, 64} <= set(told) and all(-12 <= each <= 64 for each in told)
    (told,) = telling(Call(("mean",)), known=Knowledge(("sum",))).values()
    assert "sum" in told and "" in told and "MEAN" in told


def test_types_that_the_signature_takes_are_passed() -> None:
    @torch.jit.script
    def compiled(a: int | None, b: float, c: int | str):
        return a, b, c

    schema: Any = compiled.schema
    found = telling(Call((1, 0.5, 2)), schema)
    assert found["args", 0, "type"] == (None,)
    assert found["args", 1, "type"] == (2,)
    assert found["args", 2, "type"] == ("abc",)


def test_a_size_changes_in_all_tensors_together() -> None:
    call = Call((torch.zeros(2, 5), [torch.ones(5, 3)]))
    (aspect,) = (each for each in aspects_of(call, None, Knowledge()) if each.name == ("size", 5))
    assert aspect.telling == (1, 6, 10, 4)
    one, (other,) = make(aspect.put(call, 6), "cpu").args
    assert one.shape == (2, 6) and other.shape == (6, 3)


def test_indices_stay_within_those_that_were_seen() -> None:
    call = Call((torch.tensor([3, 5, 4]),))
    (aspect,) = (each for each in aspects_of(call, None, Knowledge()) if each.name == ("size", 3))
    for size in (1, 50):
        (drawn,) = make(aspect.put(call, size), "cpu").args
        assert drawn.shape == (size,) and drawn.min() >= 3 and drawn.max() <= 5
    zeros = next(each for each in aspects_of(call, None, Knowledge()) if each.name == ("fill",))
    assert make(zeros.put(call, "zeros"), "cpu").args[0].min() >= 3


def test_dtypes_and_gradients_of_floating_tensors_change_and_all_else_stays() -> None:
    call = Call((torch.zeros(2), torch.tensor([True]), torch.tensor([3]), "x"))
    aspects = {aspect.name: aspect for aspect in aspects_of(call, None, Knowledge())}
    for name, new in (("dtype",), torch.float64), (("gradient",), True):
        assert new in aspects[name].telling
        x, mask, index, text = make(aspects[name].put(call, new), "cpu").args
        assert (x.shape, x.dtype if name == ("dtype",) else x.requires_grad) == ((2,), new)
        assert (mask.dtype, index.dtype, text) == (torch.bool, torch.int64, "x")


def test_a_module_keeps_the_dtype_of_its_parameters_and_has_the_other_mode_once() -> None:
    call = Call((torch.zeros(2),))
    assert ("dtype",) in telling(call)
    assert ("dtype",) not in telling(call, known=Knowledge(is_module=True, has_parameters=True))
    known = Knowledge(is_module=True, training=True)
    assert telling(Call(), known=known)["mode",] == ("eval",)
    assert not telling(Call(mode="eval"), known=known)


@torch.jit.script
def compiled(x, sizes: list[float], k: int = 3):
    return x * sizes[0] * k


schema: Any = compiled.schema


def test_every_value_has_its_path_and_type() -> None:
    spots = {spot.path: (spot.value, str(spot.type)) for spot in spots_of(Call(("x",), {"sizes": [0.5]}), schema)}
    assert spots == {
        ("args", 0): ("x", "Tensor"),
        ("kwargs", "sizes"): ([0.5], "List[float]"),
        ("kwargs", "sizes", 0): (0.5, "float"),
        ("kwargs", "k"): (3, "int"),
    }


def test_a_change_leaves_the_call_as_it_was_and_leaves_are_mapped_in_their_order() -> None:
    call = Call(([1, {"a": (2, 3)}],), {"n": 1})
    assert changed(call, ("args", 0, 1, "a", 0), 9).args == ([1, {"a": (9, 3)}],)
    assert changed(call, ("kwargs", "more"), 9).kwargs == {"n": 1, "more": 9}
    assert call == Call(([1, {"a": (2, 3)}],), {"n": 1})
    call = Call(([1, (2,)], torch.Size([3])), {"n": 4})
    assert leaves(call) == [1, 2, torch.Size([3]), 4]
    assert mapped(str, call) == Call((["1", ("2",)], "torch.Size([3])"), {"n": "4"})


class Color(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: Any
    y: int


def fill(*shape: int, dtype: torch.dtype = torch.float32, how: str = "randn", **more: Any) -> Fill:
    return Fill(shape, dtype, how, **more)


PLAIN: list[Any] = [
    None,
    -3,
    0.25,
    math.inf,
    math.nan,
    "",
    'é "quoted"\n',
    [1, [2.5]],
    {"tensor": [1]},
    {"a": (1,), "b": ()},
    torch.Size([2, 3]),
    torch.device("cpu"),
    torch.tensor([[1.5, -0.1]]),
    torch.tensor([True, False]),
    torch.tensor([1, 2], dtype=torch.int32),
    fill(2, 3),
    fill(4, how="nan"),
    fill(20, how="zeros", dtype=torch.int64),
    fill(2, 2, dtype=torch.float64, requires_grad=True),
    fill(0, 3, how="zeros"),
]
DRAWN = [
    fill(4, 9, seed=3),
    fill(4, 9, how="rand", dtype=torch.float64, seed=1),
    fill(4, 9, how="randint", low=-2, high=5, dtype=torch.int64, seed=2),
    fill(4, 9, how="randint", low=0, high=1, dtype=torch.bool, seed=2),
    fill(4, 9, dtype=torch.float16, requires_grad=True),
]


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype and one.shape == other.shape and one.requires_grad == other.requires_grad
        assert torch.equal(one.nan_to_num(), other.nan_to_num())
        return
    assert type(one) is type(other)
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_same(mine, theirs)
    else:
        assert one == other or (one != one and other != other)


def read_python(text: str) -> Call:
    known = {"torch": torch, "pdt_annotate": pdt_annotate, "Color": Color, "Point": Point}
    return read_call(eval(text, known), "the call")


def read_lines(text: str, tmp_path: Path) -> tuple[Call, ...]:
    (tmp_path / "spec.yaml").write_text(f"calls:\n{text}\n")
    return read_yaml(str(tmp_path / "spec.yaml"), "", None).calls


@pytest.mark.parametrize("value", [*PLAIN, *DRAWN, Color.RED, Point(torch.zeros(2), 3)], ids=repr)
def test_python_makes_the_same_value(value: Any) -> None:
    call = Call((value,))
    assert_same(make(call, "cpu").args, read_python(spell(call, "python")).args)


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_yaml_makes_the_same_value(value: Any, tmp_path: Path) -> None:
    call = Call((value,), {"k": value})
    (read,) = read_lines(spell(call, "yaml"), tmp_path)
    assert_same(make(call, "cpu").args, read.args)
    assert_same(make(call, "cpu").kwargs["k"], read.kwargs["k"])


def test_yaml_names_what_is_imported() -> None:
    (said,) = yaml.safe_load(spell(Call((Color.RED, Point(1, 2))), "yaml"))
    assert said == {
        "args": [{"enum": f"{__name__}:Color.RED"}, {"namedtuple": f"{__name__}:Point", "fields": {"x": 1, "y": 2}}]
    }


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(), "()"),
        (Call((1, 2)), "(1, 2)"),
        (Call((), {"n": 1}), '{"n": 1}'),
        (Call((1,), {"n": 1}), 'pdt_annotate.Call((1,), {"n": 1})'),
        (Call((1,), method="decode"), 'pdt_annotate.Call((1,), method="decode")'),
        (Call((1,), mode="train"), 'pdt_annotate.Call((1,), mode="train")'),
    ],
)
def test_python_needs_no_more_than_the_call_does(call: Call, text: str) -> None:
    assert spell(call, "python") == text
    assert read_python(text) == call


def test_a_call_that_raises_says_so(tmp_path: Path) -> None:
    assert read_python(spell(Call((1,)), "python", raises=True)).raises
    (read,) = read_lines(spell(Call((1,), method="f", mode="eval"), "yaml", raises=True), tmp_path)
    assert (read.raises, read.method, read.mode) == (True, "f", "eval")


def plain(n: int) -> int:
    if n > 3:
        n = -n
    return n


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(n: int) -> Any:
        return function(n)

    return wrapper


@wrapped
def decorated(n: int) -> int:
    return 6 // n


def refuse(n: int) -> None:
    if n:
        raise ValueError("no")
    assert not n, "no"


def trap(line: int) -> Trap:
    return Trap("PDT100", "", Place(__file__, line, 3))


FIRST = plain.__code__.co_firstlineno
DECORATOR = decorated.__wrapped__.__code__.co_firstlineno


def test_lines_that_run_and_the_head_of_a_function_are_met() -> None:
    traps = [trap(FIRST + 1), trap(FIRST + 2), Trap("PDT100", "", Place("other.py", FIRST + 1))]
    assert traps_met(lambda: plain(1), traps) == (traps[0],)
    assert traps_met(lambda: plain(4), traps) == (traps[0], traps[1])
    head = (trap(DECORATOR), trap(DECORATOR + 1))
    assert traps_met(lambda: decorated(0), head) == head


def error_of(run: Any) -> Exception:
    with pytest.raises(Exception) as raised:
        run()
    return raised.value


@pytest.mark.parametrize(
    ("run", "expected"),
    [(lambda: refuse(1), True), (lambda: decorated(0), False), (lambda: int("x"), False), (lambda: [][0], False)],
)
def test_a_raise_is_known_from_an_operation_that_fails(run: Any, expected: bool) -> None:
    assert is_raised_on_purpose(error_of(run)) is expected


def test_the_place_is_the_innermost_below_the_root() -> None:
    error = error_of(lambda: decorated(0))
    assert place_of(error, os.path.dirname(__file__)) == Place(__file__, DECORATOR + 2)
    assert place_of(error, "/nowhere") == NO_PLACE


def space_of(*calls: Call) -> Space:
    return Space(tuple(Base(call, (), tuple(aspects_of(call, None, Knowledge()))) for call in calls))


SPACE = space_of(Call((torch.zeros(2, 3), 4, "ab", [1, 2])), Call(()))


def number_of(draft: Variation) -> int:
    n: int = SPACE.calls_of(draft)[-1].args[1]
    return n


def test_the_same_is_drawn_each_time_and_the_most_telling_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = draw_drafts(SPACE, 30)
    assert drawn == draw_drafts(SPACE, 30) and 10 < len(drawn) <= 30
    assert max(len(draft.values) for draft in drawn) > 1
    assert not list(tmp_path.iterdir())
    assert draw_drafts(space_of(Call(())), 30) == []
    aspects = SPACE.bases[0].aspects
    first = [draft.values[0] for draft in SPACE.telling()][: len(aspects)]
    assert first == [(number, aspect.telling[0]) for number, aspect in enumerate(aspects)]


def test_what_differs_is_shrunk_to_what_matters() -> None:
    aspects = {aspect.name: number for number, aspect in enumerate(SPACE.bases[0].aspects)}
    values = ((aspects["args", 1, "int"], 61), (aspects["args", 2, "str"], "AB b"), (aspects["size", 3], 5))
    smallest = shrink(SPACE, Variation(0, values), lambda draft: number_of(draft) > 20, 60)
    assert smallest == Variation(0, ((aspects["args", 1, "int"], 21),), "zeros")
    draft = Variation(0, ((0, 63),))
    assert shrink(SPACE, draft, lambda smaller: False, 20) == draft
