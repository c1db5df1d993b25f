"""Consolidation of types, types of namesakes and of stubs of overloads, and the choice for each function."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.choose.consolidate import RULES, consolidate
from pdt_annotate.choose.evidence import Evidence, Namesakes, find_stubs, is_stub
from pdt_annotate.source.module import read_module
from pdt_annotate.source.project import Project
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr, union

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
    *(INT, NONE, TENSOR, PARAMETER, list_of(), list_of(list_of()), tuple_of(), tuple_of(INT, STR), dict_of(STR, INT)),
    *(ordered(STR, INT), point(INT, FLOAT), TypeExpr("torch.Size"), TypeExpr("Any")),
]


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


def test_unions_read_in_order_no_types_are_an_error_and_every_rule_is_explained():
    assert str(joined(STR, TENSOR, NONE, FLOAT, INT)) == "Union[int, float, str, Tensor, None]"
    with pytest.raises(ValueError, match="no types"):
        consolidate([])
    for name, text in RULES.items():
        assert "->" in text, name


LEAVES = (INT, FLOAT, BOOL, STR, NONE, TENSOR, PARAMETER, BUFFER, TypeExpr("torch.Size"))


def random_type(rng, depth=3):
    """Any observable type: leaves, containers with and without elements, and unions in the order of list elements."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(LEAVES)

    def sub():
        return random_type(rng, depth - 1)

    shape = rng.randrange(8)
    shapes = [
        lambda: rng.choice((list_of(), dict_of(), ordered(), tuple_of())),
        lambda: list_of(union(sub(), sub())),
        lambda: TypeExpr("collections.deque", (sub(),)),
        lambda: rng.choice((dict_of, ordered))(rng.choice((INT, STR)), sub()),
        lambda: point(sub(), sub()),
        lambda: list_of(sub()),
    ]
    return shapes[shape]() if shape < len(shapes) else tuple_of(*(sub() for _ in range(rng.randrange(1, 4))))


def test_order_grouping_and_repetition_do_not_matter():
    rng = random.Random(12)
    for _ in range(600):
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


INTS = TypeExpr("list", (INT,))
HERE = Owner("a.py", "Net.encode", 1)
OVERRIDE, NEIGHBOUR, STRANGER = Owner("b.py", "Other.encode", 1), Owner("a.py", "helper", 9), Owner("c.py", "far", 1)


def namesakes(*seen: tuple[Owner, TypeExpr], name: str = "sizes", kind: SlotKind = SlotKind.PARAMETER) -> Namesakes:
    """The slot of this name of each owner, with the types that were observed there."""
    by_slot: dict[Slot, list[Observation]] = {}
    for owner, type_ in seen:
        slot = Slot(owner, kind, name)
        by_slot.setdefault(slot, []).append(Observation(slot, type_))
    return Namesakes(by_slot, lambda file: "")


def returned(*seen: tuple[Owner, TypeExpr]) -> list[TypeExpr]:
    return namesakes(*seen, name="return", kind=SlotKind.RETURN).of_return(HERE)


FULL, EMPTY, DISAGREES = (NEIGHBOUR, INTS), (NEIGHBOUR, TypeExpr("list")), (Owner("a.py", "more", 20), STR)
PARAMETERS = {
    **{
        f"{type_} alone": ([(NEIGHBOUR, type_)], None) for type_ in (NONE, ANY, *map(TypeExpr, ("list", "dict", "set")))
    },
    "observations that disagree": ([(NEIGHBOUR, INT), DISAGREES], None),
    "a nearer circle that disagrees, and a wider one": (
        [(OVERRIDE, INT), (OVERRIDE, STR), (NEIGHBOUR, INT), (STRANGER, INT)],
        None,
    ),
    "an overriding method": ([(OVERRIDE, INTS)], INTS),
    "a neighbour": ([FULL], INTS),
    "a stranger": ([(STRANGER, INTS)], INTS),
    "an overriding method before the file": ([(STRANGER, STR), (NEIGHBOUR, FLOAT), (OVERRIDE, INT)], INT),
    "the file before the project": ([(STRANGER, STR), (NEIGHBOUR, FLOAT)], FLOAT),
    "a full container beside an empty one": ([EMPTY, FULL], INTS),
    "a type beside none": ([(NEIGHBOUR, NONE), (NEIGHBOUR, TENSOR)], TENSOR),
}


class TestParameters:
    @pytest.mark.parametrize(("seen", "expected"), PARAMETERS.values(), ids=PARAMETERS)
    def test_what_is_learnt(self, seen: Sequence[tuple[Owner, TypeExpr]], expected: TypeExpr | None) -> None:
        assert namesakes(*seen).of_parameter(HERE, "sizes") == expected

    def test_other_packages_and_names_say_nothing(self) -> None:
        slots = [Slot(owner, SlotKind.PARAMETER, "sizes") for owner in (OVERRIDE, STRANGER)]
        seen = {slot: [Observation(slot, INT)] for slot in slots}
        apart = Namesakes(seen, lambda file: "" if file == "a.py" else "elsewhere")
        assert apart.of_parameter(HERE, "sizes") is None and apart.of_return(HERE) == []
        assert Namesakes(seen, lambda file: "").of_parameter(HERE, "sizes") == INT
        assert namesakes((NEIGHBOUR, INT), name="size").of_parameter(HERE, "sizes") is None

    @pytest.mark.parametrize("kind", [SlotKind.LOCAL, SlotKind.ATTRIBUTE, SlotKind.RETURN])
    def test_only_parameters_speak_for_parameters(self, kind: SlotKind) -> None:
        assert namesakes((NEIGHBOUR, INT), kind=kind).of_parameter(HERE, "sizes") is None


def test_methods_that_override_it_say_all_that_they_returned_and_others_nothing() -> None:
    assert returned((NEIGHBOUR, INT), (STRANGER, INT)) == []
    assert namesakes((OVERRIDE, INT), name="return").of_return(HERE) == []
    assert returned((OVERRIDE, INT), (Owner("d.py", "Third.encode", 3), TENSOR), (OVERRIDE, NONE)) == [INT, TENSOR]


LIST, EMPTY_LIST = TypeExpr("list", (TENSOR,)), TypeExpr("list")

NO_OVERLOADS = """
    def f(x): ...

    @other.overloaded
    def g(x): ...

    @torch.jit._overload
    def without_implementation(x): ...

    class A:
        @torch.jit._overload_method
        def f(self, x): ...

    class B:
        def f(self, x): ...
"""


@pytest.mark.parametrize("name", ["_overload", "overload", "torch.jit._overload", "typing.overload"])
def test_a_stub_under_whatever_name_it_was_imported(name: str) -> None:
    source = f"@{name}\ndef f(x): ...\ndef f(x): return x\n"
    stub, implementation = read_module("model.py", source.encode()).functions
    assert is_stub(stub) and not is_stub(implementation)


def test_what_has_no_stubs() -> None:
    functions = read_module("model.py", dedent(NO_OVERLOADS).encode()).functions
    assert find_stubs(functions) == {}
    assert [f.owner.qualname for f in functions if is_stub(f)] == ["without_implementation", "A.f"]


def deal(annotations: Sequence[str], types: Sequence[TypeExpr]) -> list[list[TypeExpr]]:
    """The types of `x` that each stub receives. The stubs have these annotations; "" means none."""
    parameters = [f"x: {text}" if text else "x" for text in annotations]
    stubs = "".join(f"    @torch.jit._overload_method\n    def f(self, {x}): ...\n" for x in parameters)
    source = f"class A:\n{stubs}    def f(self, x): return x\n"
    found = find_stubs(read_module("model.py", source.encode()).functions)
    assert len(found) == len(annotations) and len({stub.implementation.owner for stub in found.values()}) == 1
    return [stub.deal("x", types) for stub in found.values() if not stub.function.parameters[0].annotation]


@pytest.mark.parametrize(
    ("annotations", "types", "dealt"),
    [
        (["", ""], [], [[], []]),
        (["", ""], [TENSOR], [[TENSOR], [TENSOR]]),
        (["", ""], [TENSOR, LIST], [[TENSOR], [LIST]]),
        (["", ""], [TENSOR, LIST, STR], [[TENSOR], [LIST, STR]]),
        (["", "", ""], [TENSOR, LIST], [[TENSOR], [LIST], [LIST]]),
        (["Tensor", ""], [TENSOR, LIST], [[LIST]]),
        (["", "List[Tensor]"], [TENSOR, LIST], [[TENSOR]]),
        (["", "Tensor"], [TENSOR], [[TENSOR]]),
        (["", ""], [NONE, TENSOR, LIST], [[NONE, TENSOR], [NONE, LIST]]),
        (["", ""], [INT, TENSOR, FLOAT], [[INT, FLOAT], [TENSOR]]),
        (["", ""], [EMPTY_LIST, TENSOR, LIST], [[EMPTY_LIST, LIST], [TENSOR]]),
    ],
)
def test_deal(annotations: Sequence[str], types: Sequence[TypeExpr], dealt: list[list[TypeExpr]]) -> None:
    assert deal(annotations, types) == dealt


SOURCES = {
    "a.py": "def f(x, n=3, *rest):\n    return x\n\n\ndef g(y):\n    return y\n",
    "b.py": "def h(z=0.5):\n    return z\n",
    "skipped.py": "# pdt: skip-file\ndef s(x=3):\n    return x\n",
    "foreign.py": "def o(x=3):\n    return x\n",
}


def write_project(folder: Path, sources: dict[str, str], modules: str) -> Project:
    for name, source in sources.items():
        (folder / name).write_text(source)
    return Project(str(folder), {name: str(folder / f"{name}.py") for name in modules.split()})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return write_project(tmp_path, SOURCES, "a b skipped")


def parameter(project: Project, file: str, function: str, name: str, line: int = 1) -> Slot:
    return Slot(Owner(f"{project.root}/{file}", function, line), SlotKind.PARAMETER, name)


def functions(project: Project, file: str) -> list[Owner]:
    return [function.owner for function in project.read(f"{project.root}/{file}").functions]


def observed(*observations: Observation, classes: tuple[ClassInfo, ...] = ()) -> Observed:
    return Observed(observations, classes, ("call",))


def info(name: str) -> ClassInfo:
    return ClassInfo(name, "a", name, ClassKind.PLAIN)


def test_what_may_not_be_annotated_gives_nothing_and_what_runs_show_alike_is_counted_together(project: Project) -> None:
    evidence = Evidence(project, [])
    elsewhere = Owner("/elsewhere/site.py", "f", 1)
    closed = [*functions(project, "foreign.py"), *functions(project, "skipped.py"), elsewhere]
    assert list(evidence.choose(closed)) == []
    assert evidence.findings == {}
    slot = parameter(project, "a.py", "f", "x")
    one = observed(Observation(slot, INT, 2, ("call 1",)), Observation(slot, FLOAT, 1, ("call 1",)))
    two = observed(Observation(slot, INT, 3, ("call 1", "call 2")))
    assert Evidence(project, [one, two]).seen == {
        slot: [Observation(slot, INT, 5, ("call 1", "call 2")), Observation(slot, FLOAT, 1, ("call 1",))]
    }


def test_third_party_functions_are_in_reach_where_they_are_compiled_or_entered(tmp_path: Path) -> None:
    third = "def h(z=0.5):\n    return z\n\n\ndef run(z=1):\n    return z\n\n\ndef still(z=2):\n    return z\n"
    write_project(tmp_path, SOURCES | {"b.py": third}, "")
    apart = Project(str(tmp_path), {"a": f"{tmp_path}/a.py"}, third_party={"b": f"{tmp_path}/b.py"})
    seen = observed(Observation(parameter(apart, "b.py", "run", "z", 5), INT))
    evidence = Evidence(apart, [seen])
    assert evidence.entered == set()
    assert list(evidence.choose_in_reach([Owner(f"{apart.root}/a.py", "g", 5)])) == []
    chosen = Evidence(apart, [seen]).choose_in_reach([Owner(f"{apart.root}/b.py", "h", 1)])
    assert [a.slot.owner.qualname for a in chosen] == ["h", "run"]


def test_what_a_compiled_function_calls_is_in_reach_and_what_it_does_not_is_not(tmp_path: Path) -> None:
    far = "def far(n=1):\n    return deep()\n\n\ndef deep(n=2):\n    return n\n"
    project = write_project(tmp_path, {"a.py": CALLING, "b.py": far}, "a b")
    compiled, *_ = functions(project, "a.py")
    chosen = Evidence(project, []).choose_in_reach([compiled])
    assert [a.slot.owner.qualname for a in chosen] == ["compiled", "near", "far", "deep"]


CALLING = """
from b import far

def compiled(n=0):
    return near() + far()

def near(n=1):
    return n

def apart(n=2):
    return n
"""


def test_without_observations_there_are_defaults_and_a_class_is_as_first_described(project: Project) -> None:
    now, then = replace(info("Box"), scripted=True), info("Box")
    assert Evidence(project, [observed(classes=(now,)), observed(classes=(then,))]).classes == {"Box": now}
    evidence = Evidence(project, [])
    assert (evidence.seen, evidence.reached, evidence.classes) == ({}, set(), {})
    chosen = list(evidence.choose(functions(project, "b.py")))
    assert [(a.slot.name, a.type) for a in chosen] == [("z", FLOAT)]


def test_runs_are_joined_slot_by_slot(project: Project) -> None:
    x, y = parameter(project, "a.py", "f", "x"), parameter(project, "a.py", "g", "y", 5)
    first = observed(Observation(x, INT, 2, ("one",)), classes=(info("a.Box"),))
    second = observed(Observation(x, FLOAT, 1, ("two",)), Observation(y, INT), classes=(info("a.Ball"), info("a.Box")))
    evidence = Evidence(project, iter([first, second]))
    assert [o.type for o in evidence.seen[x]] == [INT, FLOAT]
    assert evidence.reached == {x.owner, y.owner}
    assert set(evidence.classes) == {"a.Box", "a.Ball"}
    types = {a.slot.name: str(a.type) for a in evidence.choose(functions(project, "a.py"))}
    assert types["x"] == "Union[int, float]"
    assert (types["n"], types["y"]) == ("int", "int")


def test_a_function_gives_the_same_whenever_it_comes_in_reach_or_a_finding(project: Project) -> None:
    evidence = Evidence(project, [])
    a, b = functions(project, "a.py"), functions(project, "b.py")
    assert [annotation.slot.owner.qualname for annotation in evidence.choose([*a, *a])] == ["f"]
    assert [annotation.slot.owner.qualname for annotation in evidence.choose([*b, *a])] == ["f", "h"]
    evidence = Evidence(project, [])
    assert [annotation.slot.name for annotation in evidence.choose(functions(project, "a.py"))] == ["n"]
    ((slot, (finding,)),) = evidence.findings.items()
    assert slot == parameter(project, "a.py", "f", "rest")
    assert (finding.code, finding.place.line) == ("PDT001", 1)


def test_returns_of_functions_that_are_not_read(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"m.py": IGNORED}, "m")
    evidence = Evidence(project, [])
    owners = functions(project, "m.py")
    assert list(evidence.choose([])) == []
    chosen = evidence.choose_returns(owners)
    assert [(a.slot.owner.qualname, a.slot.kind, str(a.type)) for a in chosen] == [
        ("count", SlotKind.RETURN, "int"),
        ("size", SlotKind.RETURN, "int"),
    ]
    assert [owner.qualname for owner in owners if evidence.runs_in_python(owner)] == ["same", "size"]


IGNORED = """
import torch
from torch.jit import ignore

@ignore
def same(x):
    return x

@torch.jit.unused
def count():
    return 3

@torch.jit.ignore(drop=False)
def size():
    return 3

@ignore(drop=True)
def dropped(x):
    return x

def ignored(x) -> int:
    return x
"""
