"""legalize: what stays as it is, what becomes another type, what is refused; and the compiler's word on all of it."""

import collections
from typing import Any

import numpy as np
import pytest
import torch
from compiler_messages import load
from torch_differences import holds

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize import RULES, legalize
from pdt_annotate.choose.legalize.context import LIMIT
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.observers.types import type_of
from pdt_annotate.values.slots import ClassInfo, ClassKind, Illegal, Legal, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TYPING_NAMES, TypeExpr, union

PARAMETER, RETURN, LOCAL, ATTRIBUTE = SlotKind


def spell(type):
    return type.spell(lambda name: TYPING_NAMES.get(name, name))


def legal(*values, kind=PARAMETER, classes=None):
    """The result for a slot that was seen to hold these values."""
    type, _ = consolidate([type_of(value) for value in values])
    return legalize(type, kind, classes or {})


def spelled(*values, kind=PARAMETER):
    result = legal(*values, kind=kind)
    return [spell(type) for type in (result.type, *result.alternatives)]


@pytest.fixture
def script(tmp_path):
    return lambda source: torch.jit.script(load(source, tmp_path).f)


T = torch.ones(3, 3)
KEPT: dict[str, list[Any]] = {
    "bool": [True],
    "int": [3],
    "float": [2.5],
    "complex": [1j],
    "str": ["a"],
    "torch.Tensor": [T],
    "torch.device": [torch.device("cpu")],
    "torch.dtype": [torch.float32],
    "torch.Generator": [torch.Generator()],
    "List[int]": [[1, 2], [3]],
    "List[List[torch.Tensor]]": [[[T]], [[], [T]], []],
    "Dict[str, List[float]]": [{"a": [1.0]}, {}],
    "Tuple[int, str]": [(1, "a")],
    "Tuple[()]": [()],
    "Union[int, str]": [1, "a"],
    "Union[str, List[str]]": ["a", ["b"]],
    "Union[int, torch.Tensor]": [1, T],
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
    "Tensor and Parameter": ([T, torch.nn.Parameter(T)], ["torch.Tensor"]),
    "Size": ([T.shape], ["List[int]"]),
    "layout": ([torch.strided], ["int"]),
    "memory format": ([torch.contiguous_format], ["int"]),
    "numpy float": ([np.float32(1), 2.0], ["float"]),
    "numpy int": ([np.int64(1)], ["int"]),
    "numpy bool": ([np.bool_(True)], ["bool"]),
    "numpy str": ([np.str_("a")], ["str"]),
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
    "optional": ([None, 3], ["Optional[int]"]),
    "optional union": ([None, 1, "a"], ["Optional[Union[int, str]]"]),
    "optional tuple": ([None, (1, 2)], ["Optional[Tuple[int, int]]", "Optional[List[int]]"]),
    "list with None": ([[None, T]], ["List[Optional[torch.Tensor]]"]),
    "device by name": (["cpu", torch.device("cpu")], ["torch.device", "Union[str, torch.device]"]),
    "dtype and int": ([torch.float32, 1], ["int"]),
    "int and float keys": ([{1: 1, 2.5: 3}], ["Dict[float, int]"]),
    "nested": ([{"a": [(1, None)]}, {"b": [(2, T)]}], ["Dict[str, List[Tuple[int, Optional[torch.Tensor]]]]"]),
}


@pytest.mark.parametrize(("values", "wanted"), CONVERTED.values(), ids=CONVERTED)
def test_converts(values, wanted):
    assert spelled(*values) == wanted


GUESSED: dict[str, tuple[list[Any], list[str]]] = {
    "None": (
        [None],
        ["Optional[torch.Tensor]", *(f"Optional[{t}]" for t in ("int", "float", "bool", "str", "List[int]"))],
    ),
    "empty list": ([[]], ["List[torch.Tensor]", "List[int]", "List[float]", "List[str]"]),
    "empty deque": ([collections.deque()], ["List[torch.Tensor]", "List[int]", "List[float]", "List[str]"]),
    "empty or None": ([[], None], [f"Optional[List[{t}]]" for t in ("torch.Tensor", "int", "float", "str")]),
    "list of None": ([[None]], [f"List[Optional[{t}]]" for t in ("torch.Tensor", "int", "float", "bool", "str")]),
}


@pytest.mark.parametrize(("values", "wanted"), GUESSED.values(), ids=GUESSED)
def test_guesses_are_marked(values, wanted):
    assert spelled(*values) == wanted
    assert legal(*values).guess


def test_an_empty_dict_is_guessed_with_string_keys():
    assert legal({}).guess
    assert spelled({})[:2] == ["Dict[str, torch.Tensor]", "Dict[str, int]"]


def test_nothing_else_is_a_guess():
    assert not any(legal(*values).guess for values in KEPT.values())
    assert not any(legal(*values).guess for values, _ in CONVERTED.values())


def test_a_return_of_none_is_none():
    result = legal(None, kind=RETURN)
    assert (result.type, result.guess) == (NONE, False)
    assert spelled((T, None), kind=RETURN)[0] == "Tuple[torch.Tensor, None]"


@pytest.mark.parametrize("kind", [RETURN, LOCAL])
def test_tuples_stay_tuples_where_nothing_converts_them(kind):
    first, second, *_ = spelled((1, 2), (1, 2, 3), kind=kind)
    assert (first, second) == ("Union[Tuple[int, int], Tuple[int, int, int]]", "List[int]")


def test_tuples_that_no_list_can_hold_evenly_stay_apart():
    assert spelled((T,), (T, 1))[:2] == [
        "Union[Tuple[torch.Tensor], Tuple[torch.Tensor, int]]",
        "List[Union[torch.Tensor, int]]",
    ]


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


def test_any_is_never_an_answer():
    assert isinstance(legalize(TypeExpr("Any"), PARAMETER, {}), Illegal)
    assert isinstance(legalize(TypeExpr("list", (TypeExpr("Any"),)), PARAMETER, {}), Illegal)


def test_a_type_without_a_rule_is_refused_and_not_an_error():
    assert legalize(TypeExpr("some.Thing"), LOCAL, {}).code == "PDT015"


def every_candidate():
    rows = KEPT | {name: values for name, (values, _) in (CONVERTED | GUESSED).items()}
    for name, values in rows.items():
        for kind in SlotKind:
            result = legal(*values, kind=kind)
            for type in (result.type, *result.alternatives):
                yield f"{name} as {kind.value}", spell(type)


def test_the_compiler_takes_every_candidate(script):
    for text in sorted({text for _, text in every_candidate()}):
        script(f"def f(x: {text}):\n    return 1\n")


@pytest.mark.parametrize(
    "values", [*KEPT.values(), *(v for v, _ in CONVERTED.values()), *(v for v, _ in GUESSED.values())]
)
def test_the_first_choice_takes_every_value(script, values):
    function = script(f"def f(x: {spelled(*values)[0]}):\n    return 1\n")
    for value in values:
        assert function(value) == 1


def test_legal_types_are_legal_as_they_are():
    for values in [*KEPT.values(), *(v for v, _ in CONVERTED.values())]:
        result = legal(*values)
        assert legalize(result.type, PARAMETER, {}).type == result.type


def test_each_rule_used_is_named_and_alternatives_of_containers_are_few():
    result = legal({"a": [(1, 2.5, None)]})
    assert result.rules == ("dict", "scalar", "list", "tuple", "none")
    assert len(result.alternatives) <= LIMIT
    assert set(result.rules) <= {rule.name for rule in RULES}


def test_equal_parts_take_the_same_alternative():
    pair = TypeExpr("tuple", (union(TypeExpr("int"), TypeExpr("float")),) * 2)
    result = legalize(pair, PARAMETER, {})
    assert "Tuple[float, float]" in map(spell, result.alternatives)
    assert "Tuple[float, Union[int, float]]" not in map(spell, result.alternatives)


def test_members_that_are_one_type_to_the_compiler_become_one(script):
    point = ClassInfo("m.P", "m", "P", ClassKind.NAMEDTUPLE, fields=(("a", TypeExpr("int")), ("b", TypeExpr("int"))))
    both = union(TypeExpr("tuple", (TypeExpr("int"),) * 2), TypeExpr("m.P", (TypeExpr("int"),) * 2, ("tuple",)))
    assert legalize(both, PARAMETER, {"m.P": point}).type == TypeExpr("m.P")
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        script("class P(NamedTuple):\n    a: int\n    b: int\n\ndef f(x: Union[P, Tuple[int, int]]):\n    return 1\n")
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        script("def f(x: Union[int, torch.dtype]):\n    return 1\n")


def test_what_a_future_will_hold_is_guessed_until_it_is_done():
    pending = legalize(TypeExpr("torch.futures.Future", (), ("torch._C.Future",)), PARAMETER, {})
    done = legalize(TypeExpr("torch._C.Future", (TypeExpr("int"),)), PARAMETER, {})
    assert pending == Legal(TypeExpr("torch.futures.Future", (TENSOR,)), ("future",), guess=True)
    assert done.type == TypeExpr("torch.futures.Future", (TypeExpr("int"),))


def test_a_size_in_a_union_is_refused_on_entry_but_not_between_scripted_functions(script):
    assert spelled(T.shape, 1) == ["Union[int, List[int]]"]
    g = "def g(x: Union[int, List[int]]):\n    return 1\n\n\n"
    assert script(g + "def f(x: torch.Tensor):\n    return g(x.shape)\n")(T) == 1
    with pytest.raises(RuntimeError, match="found type 'Size'"):
        script(g.replace("def g", "def f"))(T.shape)


def test_a_packed_sequence_is_not_taken_for_a_tuple():
    packed = torch.nn.utils.rnn.pack_padded_sequence(T, torch.tensor([3, 2, 1]), batch_first=True)
    assert spelled(packed) == ["torch.nn.utils.rnn.PackedSequence"]
