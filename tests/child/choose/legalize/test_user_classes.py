"""Classes: those that are legal by their name, those that go as tuples, those that have no type."""

import pytest
import torch
from compiler_messages import load

from pdt_annotate.choose.legalize import legalize
from pdt_annotate.values.slots import ClassInfo, ClassKind, Illegal, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TYPING_NAMES, TypeExpr, union

INT, FLOAT, STR = map(TypeExpr, ("int", "float", "str"))


def info(kind, *fields, **facts):
    return ClassInfo("shapes.C", "shapes", "C", kind, fields=tuple(fields), **facts)


def result(described, *args, bases=()):
    return legalize(TypeExpr("shapes.C", args, bases), SlotKind.PARAMETER, {"shapes.C": described})


def spelled(described, *args, bases=()):
    answer = result(described, *args, bases=bases)
    assert not isinstance(answer, Illegal), answer
    return [t.spell(lambda name: TYPING_NAMES.get(name, name)) for t in (answer.type, *answer.alternatives)]


def code(described, *args, bases=()):
    answer = result(described, *args, bases=bases)
    assert isinstance(answer, Illegal) and answer.type.name == "shapes.C"
    return answer.code


ENUM, NAMEDTUPLE, DATACLASS, PLAIN = ClassKind.ENUM, ClassKind.NAMEDTUPLE, ClassKind.DATACLASS, ClassKind.PLAIN


@pytest.mark.parametrize(
    "described",
    [
        info(PLAIN),
        info(PLAIN, bases=("shapes.B",), scripted=True),
        info(DATACLASS, ("a", INT), scripted=True),
        info(ENUM, ("A", INT), ("B", INT)),
        info(ENUM, ("A", STR)),
        info(NAMEDTUPLE, ("a", INT), ("b", TypeExpr("Optional", (TENSOR,)))),
        info(NAMEDTUPLE, ("a", union(INT, NONE)), ("b", TypeExpr("dict", (STR, TypeExpr("list", (FLOAT,)))))),
        info(NAMEDTUPLE, ("a", union(INT, TypeExpr("bool")))),
        info(NAMEDTUPLE, ("a", TypeExpr("torch.nn.parameter.Parameter", (), ("torch.Tensor",)))),
    ],
)
def test_keeps_a_legal_class_by_its_name(described):
    assert spelled(described) == ["shapes.C"]


def test_an_untyped_namedtuple_of_tensors_keeps_its_name():
    untyped = info(NAMEDTUPLE, ("a", None), ("b", None))
    assert spelled(untyped, TENSOR, TENSOR, bases=("tuple",)) == ["shapes.C", "Tuple[torch.Tensor, torch.Tensor]"]


def test_an_untyped_namedtuple_of_other_values_goes_as_a_tuple():
    untyped = info(NAMEDTUPLE, ("a", None), ("b", None))
    assert spelled(untyped, INT, TENSOR, bases=("tuple",)) == ["Tuple[int, torch.Tensor]"]


def test_a_tuple_class_of_which_nothing_is_known_goes_as_a_tuple():
    unknown = TypeExpr("other.T", (INT, STR), ("tuple",))
    assert legalize(unknown, SlotKind.PARAMETER, {}).type == TypeExpr("tuple", (INT, STR))


@pytest.mark.parametrize(
    ("base", "values", "wanted"), [("int", INT, ["shapes.C", "int"]), ("str", STR, ["shapes.C", "str"])]
)
def test_an_enum_of_numbers_may_go_as_its_values(base, values, wanted):
    assert spelled(info(ENUM, ("A", values), bases=("enum.IntEnum", base))) == wanted


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
def test_refuses(described, wanted):
    assert code(described) == wanted


def test_a_field_of_another_class_is_legal_as_that_class_is():
    classes = {
        "shapes.C": info(NAMEDTUPLE, ("mode", TypeExpr("shapes.E"))),
        "shapes.E": ClassInfo("shapes.E", "shapes", "E", ENUM, fields=(("A", INT),)),
    }
    outer = TypeExpr("shapes.C", (TypeExpr("shapes.E"),), ("tuple",))
    assert legalize(outer, SlotKind.PARAMETER, classes).type == TypeExpr("shapes.C")
    classes["shapes.E"] = ClassInfo("shapes.E", "shapes", "E", ENUM, fields=(("A", INT), ("B", STR)))
    assert legalize(outer, SlotKind.PARAMETER, classes).code == "PDT022"


SOURCE = """
import collections

class E(enum.Enum):
    A = 1
    B = 2

class N(NamedTuple):
    a: int
    b: Optional[torch.Tensor]

P = collections.namedtuple("P", ["x", "y"])

@torch.jit.script
@dataclasses.dataclass
class D:
    a: int

class C:
    def __init__(self, a: int):
        self.a = a

def enum_(v: E): return v == E.A
def typed(v: N): return v.a
def untyped(v: P): return v.x + v.y
def data(v: D): return v.a
def plain(v: C): return v.a
"""


@pytest.mark.parametrize(
    ("function", "make", "wanted"),
    [
        ("enum_", lambda m: m.E.A, True),
        ("typed", lambda m: m.N(3, None), 3),
        ("untyped", lambda m: m.P(torch.tensor(1), torch.tensor(2)), torch.tensor(3)),
        ("data", lambda m: m.D(4), 4),
        ("plain", lambda m: m.C(5), 5),
    ],
)
def test_the_compiler_takes_each_kind_of_class(tmp_path, function, make, wanted):
    module = load(SOURCE, tmp_path)
    assert torch.jit.script(getattr(module, function))(make(module)) == wanted
