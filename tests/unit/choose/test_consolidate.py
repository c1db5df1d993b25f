"""consolidate: what must stay, what is joined, and that order and grouping do not matter."""

import random

import pytest

from pdt_annotate.choose.consolidate import RULES, consolidate
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union

INT, FLOAT, BOOL, STR = (TypeExpr(name) for name in ("int", "float", "bool", "str"))
PARAMETER = TypeExpr("torch.nn.parameter.Parameter", (), ("torch.Tensor", "torch._C.TensorBase"))
BUFFER = TypeExpr("torch.nn.parameter.Buffer", (), ("torch.Tensor", "torch._C.TensorBase"))


def maker(name, *bases):
    return lambda *args: TypeExpr(name, args, bases)


list_of, tuple_of, dict_of = maker("list"), maker("tuple"), maker("dict")
ordered, point = maker("collections.OrderedDict", "dict"), maker("shapes.Point", "tuple")


def joined(*types):
    return consolidate(types)[0]


SINGLE = [
    INT,
    NONE,
    TENSOR,
    PARAMETER,
    list_of(),
    list_of(list_of()),
    tuple_of(),
    tuple_of(INT, STR),
    dict_of(STR, INT),
]
SINGLE += [ordered(STR, INT), point(INT, FLOAT), TypeExpr("torch.Size"), TypeExpr("Any")]


@pytest.mark.parametrize("type", SINGLE)
def test_leaves_a_single_type_alone(type):
    assert consolidate([type, type]) == (type, ())


@pytest.mark.parametrize(
    "types",
    [
        (INT, BOOL),
        (INT, FLOAT),
        (INT, TENSOR),
        (tuple_of(INT), tuple_of(INT, INT)),
        (list_of(INT), tuple_of(INT)),
        (tuple_of(), tuple_of(INT)),
        (point(INT), tuple_of(INT)),
        (TypeExpr("torch.Size"), list_of(INT)),
    ],
)
def test_keeps_apart_what_is_not_one_type(types):
    assert joined(*types) == union(*sorted(types, key=joined(*types).args.index))
    assert set(joined(*types).args) == set(types)


@pytest.mark.parametrize(
    ("types", "result", "rules"),
    [
        ((TENSOR, PARAMETER), TENSOR, ("subclasses",)),
        ((PARAMETER, BUFFER), TENSOR, ("subclasses",)),
        (
            (ordered(STR, INT), dict_of(STR, FLOAT)),
            dict_of(STR, union(INT, FLOAT)),
            ("subclasses", "elements", "union"),
        ),
        ((list_of(INT), list_of(FLOAT)), list_of(union(INT, FLOAT)), ("elements", "union")),
        ((list_of(), list_of(INT)), list_of(INT), ("empty",)),
        ((dict_of(), dict_of(STR, INT)), dict_of(STR, INT), ("empty",)),
        ((list_of(list_of()), list_of(list_of(INT))), list_of(list_of(INT)), ("elements", "empty")),
        ((list_of(union(list_of(), list_of(INT))),), list_of(list_of(INT)), ("empty",)),
        ((tuple_of(INT, STR), tuple_of(FLOAT, STR)), tuple_of(union(INT, FLOAT), STR), ("tuples", "union")),
        ((tuple_of(INT, NONE), tuple_of(INT, STR)), tuple_of(INT, union(STR, NONE)), ("tuples", "optional")),
        ((point(INT), point(FLOAT)), point(union(INT, FLOAT)), ("namedtuple-fields", "union")),
        ((NONE, INT), union(INT, NONE), ("optional",)),
        ((NONE, STR, INT), union(INT, STR, NONE), ("optional", "union")),
        ((TypeExpr("Optional", (INT,)), FLOAT), union(INT, FLOAT, NONE), ("optional", "union")),
    ],
)
def test_joins(types, result, rules):
    assert consolidate(types) == (result, rules)
    assert consolidate(types[::-1]) == (result, rules)


def test_the_union_of_int_and_float_reads_in_that_order():
    assert str(joined(STR, TENSOR, NONE, FLOAT, INT)) == "Union[int, float, str, Tensor, None]"


def test_no_types_are_an_error():
    with pytest.raises(ValueError, match="no types"):
        consolidate([])


LEAVES = (INT, FLOAT, BOOL, STR, NONE, TENSOR, PARAMETER, BUFFER, TypeExpr("torch.Size"))


def random_type(rng, depth=3):
    """Any observable type: leaves, containers with and without elements, unions as a list's elements come."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(LEAVES)

    def sub():
        return random_type(rng, depth - 1)

    shape = rng.randrange(8)
    if shape == 0:
        return rng.choice((list_of(), dict_of(), ordered(), tuple_of()))
    if shape == 1:
        return list_of(union(sub(), sub()))
    if shape == 2:
        return TypeExpr("collections.deque", (sub(),))
    if shape == 3:
        return rng.choice((dict_of, ordered))(rng.choice((INT, STR)), sub())
    if shape == 4:
        return point(sub(), sub())
    if shape == 5:
        return list_of(sub())
    return tuple_of(*(sub() for _ in range(rng.randrange(1, 4))))


def test_order_grouping_and_repetition_do_not_matter():
    rng = random.Random(12)
    for _ in range(1500):
        types = [random_type(rng) for _ in range(rng.randrange(1, 6))]
        whole, rules = consolidate(types)
        shuffled = rng.sample(types, len(types))
        cut = rng.randrange(len(types))
        grouped = [joined(*part) for part in (shuffled[:cut], shuffled[cut:]) if part]
        assert consolidate(shuffled) == (whole, rules)
        assert joined(*grouped) == whole
        assert joined(whole, whole) == whole
        assert joined(whole, *types) == whole
        assert "Any" not in str(whole)


def test_every_rule_has_an_explanation():
    for name, text in RULES.items():
        assert "->" in text, name
