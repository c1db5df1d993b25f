"""Observations and source of one function → annotations and findings."""

from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import dedent

import pytest

from pdt_annotate.choose.choose_slot import choose_parameters, choose_return, explain_guess
from pdt_annotate.choose.evidence import Namesakes
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.module import read_module
from pdt_annotate.values.slots import Annotation, Finding, Illegal, Observation, Origin, Place, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

FILE = "model.py"
INT, FLOAT, BOOL, STR = (TypeExpr(name) for name in ("int", "float", "bool", "str"))
EMPTY_LIST, INTS = TypeExpr("list"), TypeExpr("list", (INT,))


def function(source: str) -> Function:
    (found,) = read_module(FILE, dedent(source).encode()).functions
    return found


def choose(source: str, passed: Sequence[TypeExpr] = (), **seen: Sequence[TypeExpr]) -> list[Annotation | Finding]:
    """The annotations for the parameters of the one function in `source`, for which these types were observed."""
    read = function(source)
    slots = {name: Slot(read.owner, SlotKind.PARAMETER, name) for name in seen}
    observed: Mapping[Slot, Sequence[Observation]] = {
        slots[name]: [Observation(slots[name], type_, 1, (f"call {i}",)) for i, type_ in enumerate(types)]
        for name, types in seen.items()
    }
    namesake = partial(Namesakes(observed, lambda file: "").of_parameter, read.owner)
    return list(choose_parameters(read, observed, {}, namesake, lambda name: passed))


def annotation(source: str, passed: Sequence[TypeExpr] = (), **seen: Sequence[TypeExpr]) -> Annotation:
    (chosen,) = choose(source, passed, **seen)
    assert isinstance(chosen, Annotation)
    return chosen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("def f(): pass", {}),
        ("def f(x): return x", {}),
        ("def f(x: int): return x", {}),
        ("def f(x: int): return x", {"x": [FLOAT]}),
        ("def f(x: Unknown = 3): return x", {}),
        ("def f(x=[]): return x", {}),
        ("def f(x=other): return x", {}),
        ("def f(x=3):  # pdt: skip\n    return x", {}),
        ("def f(x):  # pdt: skip\n    return x", {"x": [FLOAT]}),
        ("def f(x=3):\n    # type: (int) -> int\n    return x", {}),
        ("def f(*args: int, **kwargs: int):  # pdt: skip\n    pass", {}),
    ],
)
def test_nothing_is_chosen(source: str, seen: dict[str, list[TypeExpr]]) -> None:
    assert choose(source, **seen) == []


@pytest.mark.parametrize(
    ("source", "passed", "seen", "expected", "origin"),
    [
        ("def f(x): pass", [], [INT], "int", Origin.OBSERVED),
        ("def f(x): pass", [], [INT, NONE], "Optional[int]", Origin.OBSERVED),
        ("def f(x=None): pass", [], [INT], "Optional[int]", Origin.OBSERVED),
        ("def f(x='a'): pass", [], [NONE], "Optional[str]", Origin.OBSERVED),
        ("def f(x=3): pass", [], [FLOAT], "float", Origin.OBSERVED),
        ("def f(x=3): pass", [], [TypeExpr("Union", (FLOAT, NONE))], "Optional[float]", Origin.OBSERVED),
        ("def f(x=[]): pass", [], [INTS], "List[int]", Origin.OBSERVED),
        ("def f(x=3): pass", [], [], "int", Origin.SOURCE),
        ("def f(x=-0.5): pass", [], [], "float", Origin.SOURCE),
        ("def f(x=(1, 'a')): pass", [], [], "Tuple[int, str]", Origin.SOURCE),
        ("def f(x=None): pass", [], [], "Optional[Tensor]", Origin.GUESS),
        ("def f(x=None): return x", [], [NONE], "Optional[Tensor]", Origin.GUESS),
        ("def f(x=None): return x == 'a'", [], [NONE], "Optional[str]", Origin.GUESS),
        ("def f(x=None):\n    for t in x: t['a']", [], [], "Optional[List[Dict[str, Tensor]]]", Origin.GUESS),
        ("def f(x): return x == 'a'", [], [], "str", Origin.GUESS),
        ("def f(x): return x == 'a'", [], [INT], "int", Origin.OBSERVED),
        ("def f(x): pass", [], [EMPTY_LIST], "List[Tensor]", Origin.GUESS),
        ("def f(*, x): pass", [], [INT], "int", Origin.OBSERVED),
        # Values that callers pass in the source are used if no example has a value.
        ("def f(x): pass", [FLOAT], [INT], "int", Origin.OBSERVED),
        ("def f(x='a'): pass", [INT], [], "str", Origin.SOURCE),
        ("def f(x): return x[:, 0]", [INT, TENSOR], [], "Tensor", Origin.SOURCE),
        ("def f(x): pass", [INTS], [], "List[int]", Origin.SOURCE),
        ("def f(x): return x == 'a'", [INT], [], "int", Origin.SOURCE),
        ("def f(x=None): pass", [INT], [], "Optional[int]", Origin.SOURCE),
        ("def f(x=None): pass", [INT], [NONE], "Optional[int]", Origin.GUESS),
        ("def f(x=3): pass", [FLOAT], [], "float", Origin.SOURCE),
        ("def f(x=3): pass", [NONE], [], "Optional[int]", Origin.SOURCE),
    ],
)
def test_types(
    source: str, passed: Sequence[TypeExpr], seen: Sequence[TypeExpr], expected: str, origin: Origin
) -> None:
    chosen = annotation(source, passed, **({"x": seen} if seen else {}))
    assert (str(chosen.type), chosen.origin) == (expected, origin)
    assert [o.type for o in chosen.evidence] == list(seen)


def test_a_default_beside_another_type_of_number_is_evidence() -> None:
    chosen = annotation("def f(x=0.5): pass", x=[INT])
    both = {str(type_) for type_ in (chosen.type, *chosen.alternatives)}
    assert "float" in both and "int" not in both


@pytest.mark.parametrize(
    ("body", "expected", "alternatives"),
    [
        ("return x[0]", "Tuple[int, int]", ["List[int]"]),
        ("for v in x: pass", "List[int]", ["Tuple[int, int]"]),
        ("return sum(x)", "List[int]", ["Tuple[int, int]"]),
    ],
)
def test_a_tuple_that_is_only_iterated_may_have_any_length(body: str, expected: str, alternatives: list[str]) -> None:
    chosen = annotation(f"def f(x):\n    {body}", x=[TypeExpr("tuple", (INT, INT))])
    assert (str(chosen.type), [str(a) for a in chosen.alternatives]) == (expected, alternatives)
    assert ("iterated" in chosen.rules) is (expected == "List[int]")


ASKED = "    if isinstance(x, int):\n        return x\n    return -1\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x):\n" + ASKED, "Union[int, str]"),
        ("def f(x) -> int:\n" + ASKED, "Union[int, str]"),
        ("def f(x) -> Any:\n    return x", "Union[int, str]"),
        ("def f(x) -> Any:\n" + ASKED, "Any"),
    ],
)
def test_any_where_a_person_said_so_and_the_body_asks(source: str, expected: str) -> None:
    chosen = annotation(source, x=[INT, STR])
    assert str(chosen.type) == expected
    assert ("open" in chosen.rules) is (expected == "Any")
    assert str(annotation(source, x=[INT]).type) == "int"


DEVICE = TypeExpr("torch.device")


@pytest.mark.parametrize(
    ("body", "seen", "expected"),
    [
        ("return x == 'cpu'", [NONE, STR], "Optional[str]"),
        ("return g(device=x)", [STR], "str"),
        ("return g(device=x)", [NONE, DEVICE], "Optional[device]"),
        ("return g(device=x)", [NONE, STR], "Optional[device]"),
        ("return g(device=x)", [NONE, STR, DEVICE], "Optional[device]"),
        ("return g(device=x)", [STR, DEVICE], "device"),
    ],
)
def test_a_name_or_none_is_a_device_where_passed_as_one(body: str, seen: Sequence[TypeExpr], expected: str) -> None:
    assert str(annotation(f"def f(x):\n    {body}", x=seen).type) == expected


def test_what_a_with_statement_hands_to_exit_is_any() -> None:
    def types(source: str) -> list[str]:
        _, *_, exit_ = read_module(FILE, dedent(source).encode()).functions
        chosen = choose_parameters(exit_, {}, {}, lambda name: None, lambda name: [INT])
        return [str(each.type) for each in chosen if isinstance(each, Annotation)]

    method = "class A:\n    def __enter__(self): pass\n    def {}(self, kind, error, tb): pass\n"
    assert types(method.format("__exit__")) == ["Any"] * 3
    assert types(method.format("leave")) == ["int"] * 3
    assert types("def g(): pass\ndef __exit__(kind): pass\n") == ["int"]


@pytest.mark.parametrize("seen", [TypeExpr("tuple", (INT, STR)), TypeExpr("tuple", (INT,)), INTS, TENSOR])
def test_other_types_stay_however_they_are_used(seen: TypeExpr) -> None:
    chosen = annotation("def f(x):\n    for v in x: pass", x=[seen])
    assert str(chosen.type) == str(seen)
    assert "iterated" not in chosen.rules


@pytest.mark.parametrize(
    ("source", "code", "place", "word"),
    [
        ("def f(*args): pass", "PDT001", (1, 8), "`*args`"),
        ("def f(x: int,\n      **kwargs): pass", "PDT001", (2, 9), "`**kwargs`"),
        ("def f(*, n: int = 3): pass", "PDT002", (1, 10), "`n` is keyword-only"),
        ("def f(\n    n: int, /): pass", "PDT003", (2, 5), "`n` is positional-only"),
    ],
)
def test_kinds_of_parameter_that_cannot_be_compiled(source: str, code: str, place: tuple[int, int], word: str) -> None:
    (found,) = choose(source)
    assert isinstance(found, Finding)
    assert (found.code, found.place) == (code, Place(FILE, *place))
    assert word in found.message
    assert found.slot is not None and found.slot.kind is SlotKind.PARAMETER


def test_an_illegal_type_is_a_finding_and_the_rest_of_the_function_is_annotated() -> None:
    chosen = choose("def f(s, /, x, *args, n=3, **kwargs): pass", s=[STR], x=[INT], n=[INT])
    texts = [str(c.type) if isinstance(c, Annotation) else c.code for c in chosen]
    assert texts == ["PDT003", "str", "int", "PDT001", "PDT002", "int", "PDT001"]
    legal, illegal = choose("def f(\n    x,\n    y,\n): pass", x=[INT], y=[TypeExpr("set", (INT,))])
    assert isinstance(legal, Annotation) and isinstance(illegal, Finding)
    assert (illegal.code, illegal.place) == ("PDT011", Place(FILE, 3, 5))
    assert illegal.message.startswith("`y`: ")
    assert not isinstance(illegal, Illegal)


@pytest.mark.parametrize("origin", [Origin.OBSERVED, Origin.SOURCE, Origin.REPAIR])
def test_what_is_no_guess_is_not_explained_as_one(origin: Origin) -> None:
    slot = Slot(function("def f(x): pass").owner, SlotKind.PARAMETER, "x")
    assert explain_guess(Annotation(slot, INT, origin), Place(FILE, 1)) is None


@pytest.mark.parametrize(
    ("seen", "code", "word"),
    [
        (NONE, "PDT030", "only None was seen"),
        (EMPTY_LIST, "PDT031", "only an empty list was seen"),
        (TypeExpr("dict"), "PDT031", "only an empty dict was seen"),
    ],
)
def test_a_guess_says_what_it_rests_on(seen: TypeExpr, code: str, word: str) -> None:
    chosen = annotation("def f(x): pass", x=[seen])
    found = explain_guess(chosen, Place(FILE, 7, 8))
    assert found is not None
    assert (found.code, found.place, found.slot) == (code, Place(FILE, 7, 8), chosen.slot)
    assert word in found.message and str(chosen.type) in found.message


SET = TypeExpr("set", (INT,))
TENSOR_CLASS = TypeExpr("torch.nn.parameter.Parameter", bases=("torch.Tensor",))


@pytest.mark.parametrize(
    ("source", "seen", "told"),
    [
        ("def f(x): return x", [TENSOR], None),
        ("def f(x): return x", [TENSOR_CLASS, TENSOR], None),
        ("def f(x): return x", [], None),
        ("def f(x): return x", [], TENSOR),
        ("def f(x): return x", [], SET),
        ("def f(x) -> str: return x", [INT], None),
        ("def f(x):  # type: (Tensor) -> str\n    return x", [INT], None),
        ("def f(x): return x  # pdt: skip", [INT], None),
    ],
)
def test_returns_that_stay(source: str, seen: Sequence[TypeExpr], told: TypeExpr | None) -> None:
    assert returned(source, seen, (told, False)) == []


@pytest.mark.parametrize(
    ("seen", "told", "expected", "origin"),
    [
        ([INT], None, "int", Origin.OBSERVED),
        ([TENSOR, NONE], None, "Optional[Tensor]", Origin.OBSERVED),
        ([INT, TENSOR], None, "Union[int, Tensor]", Origin.OBSERVED),
        ([NONE], None, "None", Origin.OBSERVED),
        ([FLOAT], (INT, False), "float", Origin.OBSERVED),
        ([FLOAT], (INT, True), "float", Origin.OBSERVED),
        ([], (INT, False), "int", Origin.SOURCE),
        ([], (INT, True), "int", Origin.GUESS),
    ],
)
def test_the_return_of_a_function_that_is_not_read(
    seen: Sequence[TypeExpr], told: tuple[TypeExpr, bool] | None, expected: str, origin: Origin
) -> None:
    (chosen,) = returned("def f(x): return x", seen, told or (None, False))
    assert isinstance(chosen, Annotation) and (str(chosen.type), chosen.origin) == (expected, origin)


def returned(
    source: str, seen: Sequence[TypeExpr], told: tuple[TypeExpr | None, bool] = (None, False)
) -> list[Annotation | Finding]:
    read = function(source)
    slot = Slot(read.owner, SlotKind.RETURN, "return")
    observed = {slot: [Observation(slot, type_) for type_ in seen]} if seen else {}
    return list(choose_return(read, observed, {}, lambda: told))


def test_a_return_without_a_type_is_a_finding() -> None:
    (chosen,) = returned("def f(x): return x", [SET])
    assert isinstance(chosen, Finding) and chosen.code == "PDT011"
