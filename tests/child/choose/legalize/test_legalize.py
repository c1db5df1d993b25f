"""legalize: types that do not change, that are converted, and that are refused; and the compiler's result for each."""

import collections
from typing import Any

import numpy as np
import pytest
import torch
from compiler_messages import load
from torch_differences import holds

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize import RULES, legalize
from pdt_annotate.choose.legalize.numbers import NUMBERS
from pdt_annotate.choose.legalize.rule_context import LIMIT
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.observers.type_of_value import type_of
from pdt_annotate.values.slots import ClassInfo, ClassKind, Illegal, Legal, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TYPING_NAMES, TypeExpr, union

PARAMETER, RETURN, LOCAL, ATTRIBUTE = SlotKind
INT, FLOAT, COMPLEX, BOOL = map(TypeExpr, NUMBERS)
STR = TypeExpr("str")


def spell(type):
    return type.spell(lambda name: TYPING_NAMES.get(name, name))


def choices(type, kind=PARAMETER, classes=None):
    result = legalize(type, kind, classes or {})
    assert not isinstance(result, Illegal), result
    return [spell(each) for each in (result.type, *result.alternatives)]


def legal(*values, kind=PARAMETER):
    """The result for a slot in which these values were observed."""
    return legalize(consolidate([type_of(value) for value in values])[0], kind, {})


def spelled(*values, kind=PARAMETER):
    return choices(consolidate([type_of(value) for value in values])[0], kind)


@pytest.fixture
def script(tmp_path):
    return lambda source: torch.jit.script(load(source, tmp_path).f)


T = torch.ones(3, 3)
KEPT: dict[str, list[Any]] = {
    **{"bool": [True], "int": [3], "float": [2.5], "complex": [1j], "str": ["a"], "torch.Tensor": [T]},
    **{"torch.device": [torch.device("cpu")], "torch.dtype": [torch.float32], "torch.Generator": [torch.Generator()]},
    "torch.nn.utils.rnn.PackedSequence": [torch.nn.utils.rnn.pack_sequence([torch.ones(3, 3), torch.ones(2, 3)])],
    **{"List[int]": [[1, 2], [3]], "List[List[torch.Tensor]]": [[[T]], [[], [T]], []]},
    **{"Dict[str, List[float]]": [{"a": [1.0]}, {}], "Tuple[int, str]": [(1, "a")], "Tuple[()]": [()]},
    **{"Union[int, str]": [1, "a"], "Union[str, List[str]]": ["a", ["b"]], "Union[int, torch.Tensor]": [1, T]},
    "List[Union[str, torch.Tensor]]": [["a", T]],
}
if holds("takes torch.qscheme for an annotation"):
    KEPT["torch.qscheme"] = [torch.per_tensor_affine]


@pytest.mark.parametrize(("text", "values"), KEPT.items(), ids=KEPT)
@pytest.mark.parametrize("kind", SlotKind)
def test_keeps_what_is_legal_already(text, values, kind):
    assert spelled(*values, kind=kind)[0] == text


CONVERTED: dict[str, tuple[list[Any], list[str]]] = {
    "Parameter": ([torch.nn.Parameter(T)], ["torch.Tensor"]),
    **{"Tensor and Parameter": ([T, torch.nn.Parameter(T)], ["torch.Tensor"]), "Size": ([T.shape], ["List[int]"])},
    **{"layout": ([torch.strided], ["int"]), "memory format": ([torch.contiguous_format], ["int"])},
    **{"numpy float": ([np.float32(1), 2.0], ["float"]), "numpy int": ([np.int64(1)], ["int"])},
    **{"numpy bool": ([np.bool_(True)], ["bool"]), "numpy str": ([np.str_("a")], ["str"])},
    "list of numpy floats": ([[np.float64(1)]], ["List[float]"]),
    "OrderedDict": ([collections.OrderedDict(a=T)], ["Dict[str, torch.Tensor]"]),
    "defaultdict": ([collections.defaultdict(int, {1: 2})], ["Dict[int, int]"]),
    "deque": ([collections.deque([1.0])], ["List[float]"]),
    "return type": ([T.max(0)], ["Tuple[torch.Tensor, torch.Tensor]", "List[torch.Tensor]"]),
    "homogeneous tuple": ([(1, 2)], ["Tuple[int, int]", "List[int]"]),
    "tuples of two lengths": ([(1, 2), (1, 2, 3)], ["List[int]", "Union[Tuple[int, int], Tuple[int, int, int]]"]),
    "tuples, one empty": ([(), (T,)], ["List[torch.Tensor]", "Union[Tuple[()], Tuple[torch.Tensor]]"]),
    "list and tuple": ([[1], (1, 2)], ["List[int]", "Union[List[int], Tuple[int, int]]"]),
    "empty list and tuple": ([[], (1,)], ["List[int]", "Union[List[int], Tuple[int]]"]),
    "size and tuple": ([T.shape, (1,)], ["List[int]"]),
    "int and tuple": ([1, (1, 2)], ["Union[int, Tuple[int, int]]", "Union[int, List[int]]"]),
    **{"optional": ([None, 3], ["Optional[int]"]), "optional union": ([None, 1, "a"], ["Optional[Union[int, str]]"])},
    "optional tuple": ([None, (1, 2)], ["Optional[Tuple[int, int]]", "Optional[List[int]]"]),
    "list with None": ([[None, T]], ["List[Optional[torch.Tensor]]"]),
    "device by name": (["cpu", torch.device("cpu")], ["torch.device", "Union[str, torch.device]"]),
    **{"dtype and int": ([torch.float32, 1], ["int"]), "int and float keys": ([{1: 1, 2.5: 3}], ["Dict[float, int]"])},
    "nested": ([{"a": [(1, None)]}, {"b": [(2, T)]}], ["Dict[str, List[Tuple[int, Optional[torch.Tensor]]]]"]),
}


GUESSED: dict[str, tuple[list[Any], list[str]]] = {
    "None": (
        [None],
        ["Optional[torch.Tensor]", *(f"Optional[{t}]" for t in ("int", "float", "bool", "str", "List[int]"))],
    ),
    "empty list": ([[]], ["List[torch.Tensor]", "List[int]", "List[float]", "List[str]"]),
    "empty deque": ([collections.deque()], ["List[torch.Tensor]", "List[int]", "List[float]", "List[str]"]),
    "empty or None": ([[], None], [f"Optional[List[{t}]]" for t in ("torch.Tensor", "int", "float", "str")]),
    "empty dict": (
        [{}],
        [*(f"Dict[str, {t}]" for t in ("torch.Tensor", "int", "float", "str")), "Dict[int, torch.Tensor]"],
    ),
    "list of None": ([[None]], [f"List[Optional[{t}]]" for t in ("torch.Tensor", "int", "float", "bool", "str")]),
}


@pytest.mark.parametrize("name", CONVERTED | GUESSED)
def test_converts_and_marks_guesses(name):
    values, wanted = (CONVERTED | GUESSED)[name]
    assert spelled(*values) == wanted
    assert legal(*values).guess is (name in GUESSED)


def test_a_return_of_none_is_none():
    result = legal(None, kind=RETURN)
    assert (result.type, result.guess) == (NONE, False)
    assert spelled((T, None), kind=RETURN)[0] == "Tuple[torch.Tensor, None]"


@pytest.mark.parametrize("kind", [RETURN, LOCAL])
def test_tuples_stay_tuples_where_nothing_converts_them(kind):
    first, second, *_ = spelled((1, 2), (1, 2, 3), kind=kind)
    assert (first, second) == ("Union[Tuple[int, int], Tuple[int, int, int]]", "List[int]")
    uneven = ["Union[Tuple[torch.Tensor], Tuple[torch.Tensor, int]]", "List[Union[torch.Tensor, int]]"]
    assert spelled((T,), (T, 1), kind=kind)[:2] == uneven


class Path:
    pass


REFUSED = {
    "function": ([print], "PDT010", "Callable"),
    "lambda": ([lambda: 0], "PDT010", "Callable"),
    "scripted function": ([torch.jit.script(torch.nn.functional.relu)], "PDT010", None),
    "set": ([{1}], "PDT011", None),
    "frozenset": ([frozenset()], "PDT011", "frozenset"),
    "array": ([np.ones(1)], "PDT012", "numpy.ndarray"),
    "module": ([torch.nn.ReLU()], "PDT013", "torch.nn.modules.activation.ReLU"),
    "bytes": ([b"a"], "PDT014", "bytes"),
    "numpy bytes": ([np.bytes_(b"a")], "PDT014", "numpy.bytes_"),
    "slice": ([slice(1)], "PDT015", "slice"),
    "range": ([range(1)], "PDT015", "range"),
    "ellipsis": ([...], "PDT015", "ellipsis"),
    "class": ([int], "PDT015", "type"),
    "error": ([ValueError()], "PDT015", "ValueError"),
    "unknown class": ([Path()], "PDT015", None),
    "None as key": ([{None: 1}], "PDT016", "None"),
    "tuple as key": ([{(1, 2): 1}], "PDT016", "tuple"),
    "mixed keys": ([{1: 1, "a": 1}], "PDT016", "Union"),
    "in a list": ([[1, b"a"]], "PDT014", "bytes"),
    "in a tuple": ([(1, {"a": print})], "PDT010", "Callable"),
    "or None": ([slice(1), None], "PDT015", "slice"),
    "or legal": ([1, {2}], "PDT011", "set"),
    "beside lists": ([[{1}], (1, 2)], "PDT011", "set"),
}


@pytest.mark.parametrize(("values", "code", "part"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("kind", SlotKind)
def test_refuses(values, code, part, kind):
    result = legal(*values, kind=kind)
    assert isinstance(result, Illegal)
    assert result.code == code
    assert part is None or result.type.name == part
    assert result.reason and code in entries()


def test_a_name_that_older_compilers_do_not_know_is_an_int_to_them(script):
    named, instead = spelled(torch.per_tensor_affine)
    assert (named, instead) == ("torch.qscheme", "int")
    assert script(f"def f(x: {instead}):\n    return x\n")(torch.per_tensor_affine) == 0


def test_any_is_never_an_answer_nor_a_type_without_a_rule():
    assert isinstance(legalize(TypeExpr("Any"), PARAMETER, {}), Illegal)
    assert isinstance(legalize(TypeExpr("list", (TypeExpr("Any"),)), PARAMETER, {}), Illegal)
    assert legalize(TypeExpr("some.Thing"), LOCAL, {}).code == "PDT015"


LEGAL = [*KEPT.values(), *(values for values, _ in CONVERTED.values())]
GUESSES = [values for values, _ in GUESSED.values()]


def test_the_compiler_takes_every_candidate(script):
    for text in sorted(
        {text for values in LEGAL + GUESSES for kind in SlotKind for text in spelled(*values, kind=kind)}
    ):
        script(f"def f(x: {text}):\n    return 1\n")


@pytest.mark.parametrize("values", LEGAL + GUESSES)
def test_the_first_choice_takes_every_value(script, values):
    function = script(f"def f(x: {spelled(*values)[0]}):\n    return 1\n")
    for value in values:
        assert function(value) == 1


def test_what_is_legal_stays_rules_are_named_and_equal_parts_take_the_same_alternative():
    for values in LEGAL:
        result = legal(*values)
        assert not result.guess
        assert legalize(result.type, PARAMETER, {}).type == result.type
    result = legal({"a": [(1, 2.5, None)]})
    assert result.rules == ("dict", "scalar", "list", "tuple", "none")
    assert len(result.alternatives) <= LIMIT
    assert set(result.rules) <= RULES.keys()
    result = legalize(TypeExpr("tuple", (union(INT, FLOAT),) * 2), PARAMETER, {})
    assert "Tuple[float, float]" in map(spell, result.alternatives)
    assert "Tuple[float, Union[int, float]]" not in map(spell, result.alternatives)


def test_a_size_in_a_union_and_members_that_are_one_type_to_the_compiler(script):
    point = ClassInfo("m.P", "m", "P", ClassKind.NAMEDTUPLE, fields=(("a", INT), ("b", INT)))
    both = union(TypeExpr("tuple", (INT, INT)), TypeExpr("m.P", (INT, INT), ("tuple",)))
    assert legalize(both, PARAMETER, {"m.P": point}).type == TypeExpr("m.P")
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        script("class P(NamedTuple):\n    a: int\n    b: int\n\ndef f(x: Union[P, Tuple[int, int]]):\n    return 1\n")
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        script("def f(x: Union[int, torch.dtype]):\n    return 1\n")
    assert spelled(T.shape, 1) == ["Union[int, List[int]]"]
    g = "def g(x: Union[int, List[int]]):\n    return 1\n\n\n"
    assert script(g + "def f(x: torch.Tensor):\n    return g(x.shape)\n")(T) == 1
    with pytest.raises(RuntimeError, match="found type 'Size'"):
        script(g.replace("def g", "def f"))(T.shape)


def test_what_a_future_will_hold_is_guessed_until_it_is_done():
    pending = legalize(TypeExpr("torch.futures.Future", (), ("torch._C.Future",)), PARAMETER, {})
    done = legalize(TypeExpr("torch._C.Future", (INT,)), PARAMETER, {})
    assert pending == Legal(TypeExpr("torch.futures.Future", (TENSOR,)), ("future",), guess=True)
    assert done.type == TypeExpr("torch.futures.Future", (INT,))


U_IF, U_IB, U_FB, U_IFB = "Union[int, float]", "Union[int, bool]", "Union[float, bool]", "Union[int, float, bool]"
SCALAR_TEXT = "Union[int, float, complex]"


@pytest.mark.parametrize("other", [STR, TENSOR])
def test_leaves_a_number_beside_another_type_alone(other):
    assert choices(union(INT, BOOL, other)) == [f"Union[int, bool, {other.name}]"]


@pytest.mark.parametrize(
    ("members", "kind", "wanted"),
    [
        ((INT, FLOAT), PARAMETER, [U_IF, SCALAR_TEXT, "float"]),
        ((INT, FLOAT), RETURN, [U_IF, SCALAR_TEXT, "float"]),
        ((INT, FLOAT), LOCAL, [SCALAR_TEXT, U_IF, "float"]),
        ((INT, FLOAT), ATTRIBUTE, ["float", SCALAR_TEXT, U_IF]),
        ((INT, BOOL), PARAMETER, ["int", U_IB, "bool"]),
        ((INT, BOOL), RETURN, [U_IB, "int", "bool"]),
        ((FLOAT, BOOL), PARAMETER, [SCALAR_TEXT, "float", U_FB]),
        ((INT, FLOAT, BOOL), PARAMETER, [SCALAR_TEXT, "float", U_IFB]),
        ((FLOAT, COMPLEX), PARAMETER, [SCALAR_TEXT, "Union[float, complex]", "complex"]),
        ((INT, FLOAT, COMPLEX), PARAMETER, [SCALAR_TEXT, "complex"]),
        ((TypeExpr("numpy.float32"), INT), PARAMETER, [U_IF, SCALAR_TEXT, "float"]),
        ((TypeExpr("numpy.float32"), FLOAT), PARAMETER, ["float"]),
    ],
)
def test_choices_of_numbers(members, kind, wanted):
    assert choices(union(*members), kind) == wanted
    assert choices(union(*members[::-1]), kind) == wanted


def test_none_goes_around_every_choice_and_elements_prefer_float():
    assert choices(union(INT, FLOAT, NONE)) == [f"Optional[{each}]" for each in (U_IF, SCALAR_TEXT, "float")]
    assert choices(TypeExpr("list", (union(INT, FLOAT),))) == ["List[float]", f"List[{SCALAR_TEXT}]", f"List[{U_IF}]"]
    assert choices(TypeExpr("dict", (STR, union(INT, FLOAT))))[0] == "Dict[str, float]"


def test_what_a_number_is_to_the_compiler(script):
    def same(text):
        return script(f"def f(x: {text}):\n    return x\n")

    script(f"def f(x: {SCALAR_TEXT}):\n    return torch.tensor(x)\n")
    with pytest.raises(RuntimeError):
        script(f"def f(x: {U_IF}):\n    return torch.tensor(x)\n")
    assert [type(same(U_IF)(value)) for value in (1, 2.5)] == [int, float]
    assert [type(same("float")(value)) for value in (1, 2.5)] == [float, float]
    assert (same(SCALAR_TEXT)(True) is True, same("int")(True) is True) == (True, False)
    with pytest.raises(RuntimeError, match="found type 'bool'"):
        same(U_IF)(True)


def info(kind, *fields, name="C", **facts):
    return ClassInfo(f"shapes.{name}", "shapes", name, kind, fields=fields, **facts)


ENUM, NAMEDTUPLE, DATACLASS, PLAIN = ClassKind.ENUM, ClassKind.NAMEDTUPLE, ClassKind.DATACLASS, ClassKind.PLAIN
UNTYPED = info(NAMEDTUPLE, ("a", None), ("b", None))


@pytest.mark.parametrize(
    ("described", "args", "wanted"),
    [
        (info(PLAIN), (), []),
        (info(PLAIN, bases=("shapes.B",), scripted=True), (), []),
        (info(DATACLASS, ("a", INT), scripted=True), (), []),
        (info(ENUM, ("A", INT), ("B", INT)), (), []),
        (info(ENUM, ("A", STR)), (), []),
        (info(ENUM, ("A", INT), bases=("enum.IntEnum", "int")), (), ["int"]),
        (info(ENUM, ("A", STR), bases=("enum.IntEnum", "str")), (), ["str"]),
        (info(NAMEDTUPLE, ("a", INT), ("b", TypeExpr("Optional", (TENSOR,)))), (), []),
        (info(NAMEDTUPLE, ("a", union(INT, NONE)), ("b", TypeExpr("dict", (STR, TypeExpr("list", (FLOAT,)))))), (), []),
        (info(NAMEDTUPLE, ("a", union(INT, BOOL))), (), []),
        (info(NAMEDTUPLE, ("a", TypeExpr("torch.nn.parameter.Parameter", (), ("torch.Tensor",)))), (), []),
        (UNTYPED, (TENSOR, TENSOR), ["Tuple[torch.Tensor, torch.Tensor]"]),
    ],
)
def test_keeps_a_legal_class_by_its_name(described, args, wanted):
    type = TypeExpr("shapes.C", args, ("tuple",) if args else ())
    assert choices(type, classes={"shapes.C": described}) == ["shapes.C", *wanted]


def test_what_is_no_class_to_the_compiler_goes_as_a_tuple():
    untyped = TypeExpr("shapes.C", (INT, TENSOR), ("tuple",))
    assert choices(untyped, classes={"shapes.C": UNTYPED}) == ["Tuple[int, torch.Tensor]"]
    assert choices(TypeExpr("other.T", (INT, STR), ("tuple",)))[0] == "Tuple[int, str]"


@pytest.mark.parametrize(
    ("described", "wanted"),
    [
        (info(ENUM, ("A", INT), ("B", STR)), "PDT021"),
        (info(ENUM, ("A", TypeExpr("tuple"))), "PDT021"),
        (info(ENUM), "PDT021"),
        (info(DATACLASS, ("a", INT)), "PDT018"),
        (info(PLAIN, bases=("shapes.B",)), "PDT019"),
        (info(PLAIN, importable=False), "PDT017"),
        (info(NAMEDTUPLE, ("a", INT), importable=False), "PDT017"),
        (info(ENUM, ("A", INT), importable=False), "PDT017"),
        (info(NAMEDTUPLE, ("a", TypeExpr("Any"))), "PDT022"),
        (info(NAMEDTUPLE, ("a", TypeExpr("set", (INT,)))), "PDT022"),
        (info(NAMEDTUPLE, ("a", TypeExpr("list"))), "PDT022"),
        (info(NAMEDTUPLE, ("a", TypeExpr("dict", (TypeExpr("tuple"), INT)))), "PDT022"),
        (info(NAMEDTUPLE, ("a", TypeExpr("numpy.float64", (), ("float",)))), "PDT022"),
        (info(NAMEDTUPLE, ("a", TypeExpr("Optional", (TypeExpr("shapes.C"),)))), "PDT022"),
    ],
)
def test_refuses_classes(described, wanted):
    result = legalize(TypeExpr("shapes.C"), PARAMETER, {"shapes.C": described})
    assert (result.type.name, result.code) == ("shapes.C", wanted)


def test_a_field_of_another_class_is_legal_as_that_class_is():
    classes = {
        "shapes.C": info(NAMEDTUPLE, ("mode", TypeExpr("shapes.E"))),
        "shapes.E": info(ENUM, ("A", INT), name="E"),
    }
    outer = TypeExpr("shapes.C", (TypeExpr("shapes.E"),), ("tuple",))
    assert legalize(outer, PARAMETER, classes).type == TypeExpr("shapes.C")
    classes["shapes.E"] = info(ENUM, ("A", INT), ("B", STR), name="E")
    assert legalize(outer, PARAMETER, classes).code == "PDT022"
