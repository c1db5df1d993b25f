"""The catalogue, whose examples show the findings; the spelling of types; and every advice, followed literally."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Optional, Union

import pytest
import torch
from compiler_messages import compile_failure, load
from torch import Tensor

from pdt_annotate.blame.faults import FaultFinder, FaultsFound
from pdt_annotate.blame.front_end import NOT_ANNOTATED
from pdt_annotate.findings.catalogue import CatalogueEntry, entries, entry
from pdt_annotate.findings.compiler_types import named_classes, parse_type
from pdt_annotate.findings.messages import classify
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.processes.child import isolation
from pdt_annotate.source.definitions import defaults_of, literal_type
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Fault, Part

NOT_COMPILED = {
    "PDT033", "PDT034", "PDT035", "PDT036", "PDT052", "PDT062", "PDT063", "PDT080", "PDT081", "PDT092", "PDT093",
    "PDT094", "PDT095",
}  # fmt: skip
"""Examples with several files, or for findings that no source shows."""

COMPILES = {
    "PDT030", "PDT031", "PDT032", "PDT037", "PDT038", "PDT039", "PDT057", "PDT058", "PDT060", "PDT061", "PDT064",
    "PDT065", "PDT066", "PDT067", "PDT068", "PDT069", "PDT070", "PDT079", "PDT087", "PDT088", "PDT089", "PDT090",
    "PDT078", "PDT091", "PDT096", "PDT097", "PDT098", "PDT099",
    *(code for code in entries() if "PDT082" <= code <= "PDT086"),
    *(code for code in entries() if code >= "PDT100"),
}  # fmt: skip
"""Examples that compile. The finding is about the evidence or the results."""

OTHER_MESSAGE = {"PDT017": "PDT008", "PDT056": "PDT002"}
"""Codes that the compiler reports instead: if legalize refuses a type earlier, and for a library."""


def example(code, folder):
    return load(entry(code).example, folder).f


def test_codes_are_in_order_and_titles_differ():
    assert list(entries()) == sorted(entries())
    assert len({each.title for each in entries().values()}) == len(entries())
    with pytest.raises(KeyError):
        entry("PDT999")


@pytest.mark.parametrize("each", entries().values(), ids=list(entries()))
def test_entries_are_complete(each: CatalogueEntry):
    assert entry(each.code) is each
    assert re.fullmatch(r"PDT\d{3}", each.code)
    assert each.title and not each.title.endswith(".") and len(each.title) <= 72
    assert each.meaning.endswith(".") and each.advice.endswith(".")
    compile(each.example, each.code, "exec")


@pytest.mark.parametrize("code", sorted(entries().keys() - NOT_COMPILED - COMPILES))
def test_examples_provoke_their_message(code, tmp_path):
    failure = compile_failure(example(code, tmp_path))
    assert failure is not None
    assert classify(failure.text) == OTHER_MESSAGE.get(code, code)


@pytest.mark.parametrize("code", sorted(COMPILES))
def test_examples_about_evidence_and_answers_compile(code, tmp_path):
    assert compile_failure(example(code, tmp_path)) is None


def test_examples_of_other_answers_differ(tmp_path):
    answers, seen, lost = (example(code, tmp_path) for code in ("PDT060", "PDT068", "PDT065"))
    x = torch.ones(1)
    assert (answers(x).item(), torch.jit.script(answers)(x).item()) == (1, 101)
    items = {"eager": [0], "scripted": [0]}
    seen(x, items["eager"]), torch.jit.script(seen)(x, items["scripted"])
    assert items == {"eager": [0, 1], "scripted": [0]}
    assert lost(x) is torch.float32
    assert type(torch.jit.script(lost)(x)) is int


def test_the_example_of_what_cannot_be_saved_cannot(tmp_path):
    scripted = torch.jit.script(example("PDT069", tmp_path))
    assert scripted(2) == 2
    with pytest.raises(RuntimeError, match="Could not export Python function call"):
        torch.jit.save(scripted, str(tmp_path / "saved.pt"))


INT, FLOAT, STR = (TypeExpr(name) for name in ("int", "float", "str"))
NUMBER = TypeExpr("Union", (INT, FLOAT, TypeExpr("complex")))


UNKNOWN = ("", "list", "List[", "List[int", "int int", "Foo", "(int) -> int", "(int", "int[", "Dict(", "<x>", "]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, None) for text in UNKNOWN),
        ("Tensor (inferred)", TENSOR),
        ("Optional[Tensor]", TypeExpr("Optional", (TENSOR,))),
        ("Tensor?", TypeExpr("Optional", (TENSOR,))),
        ("int[]", TypeExpr("list", (INT,))),
        ("int[]?", TypeExpr("Optional", (TypeExpr("list", (INT,)),))),
        ("int?[]", TypeExpr("list", (TypeExpr("Optional", (INT,)),))),
        ("Dict(str, Tensor[])", TypeExpr("dict", (STR, TypeExpr("list", (TENSOR,))))),
        ("Tuple[()]", TypeExpr("tuple")),
        ("()", TypeExpr("tuple")),
        ("(int, (str))[]", TypeExpr("list", (TypeExpr("tuple", (INT, TypeExpr("tuple", (STR,)))),))),
        ("number", NUMBER),
        ("Scalar", NUMBER),
        ("__torch__.shapes.___torch_mangle_3.Box", TypeExpr("shapes.Box")),
        ("NoneType", NONE),
        ("Any", ANY),
    ],
)
def test_spellings(text: str, expected: TypeExpr | None) -> None:
    assert parse_type(text) == expected


class Point(NamedTuple):
    x: int


@torch.jit.script
class Box:
    def __init__(self, side: int) -> None:
        self.side = side


@torch.jit.script
def takes_classes(point: Point, box: Box) -> int:
    return point.x + box.side


def test_classes_of_a_compiled_function() -> None:
    schema: Any = takes_classes.schema
    found = [parse_type(str(argument.type)) for argument in schema.arguments]
    assert found == [TypeExpr(f"{__name__}.Point"), TypeExpr(f"{__name__}.Box")]


ANNOTATIONS: list[tuple[Any, TypeExpr]] = [
    (int, INT),
    (Tensor, TENSOR),
    (Optional[Tensor], TypeExpr("Optional", (TENSOR,))),  # noqa: UP045
    (list[list[int]], TypeExpr("list", (TypeExpr("list", (INT,)),))),
    (dict[str, tuple[int, Tensor]], TypeExpr("dict", (STR, TypeExpr("tuple", (INT, TENSOR))))),
    (Union[int, str], TypeExpr("Union", (INT, STR))),  # noqa: UP007
    (torch.device, TypeExpr("torch.device")),
    (torch.Generator, TypeExpr("torch.Generator")),
    (Any, ANY),
    (tuple[()], TypeExpr("tuple")),
]


@pytest.mark.parametrize(("annotation", "expected"), ANNOTATIONS, ids=[str(expected) for _, expected in ANNOTATIONS])
def test_types_of_compiled_functions(annotation: Any, expected: TypeExpr) -> None:
    native = torch.jit.annotations.try_ann_to_type(annotation, None)
    found = parse_type(str(native))
    if expected.name == "Union" and found is not None:
        assert set(found.args) == set(expected.args)
    else:
        assert found == expected
    assert parse_type(native.annotation_str) is not None


def test_the_classes_that_a_text_mentions() -> None:
    text = "Union[Tensor, __torch__.pkg.___torch_mangle_3.shapes.Box] for '__torch__.pkg.shapes.Box', List[int]."
    assert named_classes(text) == ["pkg.shapes.Box"]
    assert named_classes("List[Tensor]") == []


PRELUDE = "from torch import nn\nfrom torch.nn import functional as F\n\n\n"

NOT_OF_THE_COMPILER = {NOT_ANNOTATED, "PDT052"}
"""Codes in the compiler's range that need examples, or a process with earlier compilations."""

Advise = Callable[..., list[dict[Fault, str]]]


@dataclass(frozen=True)
class Case:
    """A source that fails with a code. `says` is a part of the advice, and `followed` the source after the advice."""

    code: str
    says: str
    source: str
    followed: str


def read_cases() -> Iterator[Case]:
    for block in (Path(__file__).parent / "remedies.diff").read_text().split("\n== ")[1:]:
        head, _, diff = block.partition("\n")
        code, _, says = head.partition(" ")
        lines = diff.rstrip().split("\n")
        source, followed = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != other) for other in "+-")
        yield Case(code, says, source, followed)


CASES = tuple(read_cases())


@pytest.fixture(scope="module")
def advise(tmp_path_factory: pytest.TempPathFactory) -> Advise:
    """The faults in each of some sources, each with the first remedy."""

    def search(modules: list[ModuleType]) -> list[FaultsFound]:
        vars(isolation)["CAN_FORK"] = False  # one fork for all compilations
        return [FaultFinder({}, str(module.__file__).__eq__).search(module.f) for module in modules]

    def run(*sources: str) -> list[dict[Fault, str]]:
        folder = tmp_path_factory.mktemp("advised")
        modules = [load(PRELUDE + source, folder) for source in sources]
        found = isolation.run_isolated(search, modules)
        assert found is not None
        pairs = zip(modules, (each.faults for each in found), strict=True)
        return [{fault: _advise(module, fault) for fault in faults} for module, faults in pairs]

    return run


@pytest.fixture(scope="module")
def advised(advise: Advise) -> dict[str, dict[Fault, str]]:
    """The faults in the sources of all cases, from one fork, because no case uses the definitions of another."""
    sources = list(dict.fromkeys(source for each in CASES for source in (each.source, each.followed)))
    return dict(zip(sources, advise(*sources), strict=True))


def _advise(loaded: ModuleType, fault: Fault) -> str:
    nodes = (node for node in ast.walk(ast.parse(inspect.getsource(loaded))) if isinstance(node, ast.FunctionDef))
    definition = next((node for node in nodes if fault.owner and node.lineno == fault.owner.line), None)
    values = defaults_of(definition) if definition else {}
    defaults = {name: type_ for name, value in values.items() if (type_ := literal_type(value))}
    return remedies(fault, Part("", "f"), definition, is_entered=True, defaults=defaults)[0]


@pytest.mark.parametrize("each", CASES, ids=lambda each: f"{each.code} {each.says}")
def test_what_is_done_as_said_ends_the_message(each: Case, advised: dict[str, dict[Fault, str]]) -> None:
    said, after = advised[each.source], advised[each.followed]
    assert {fault.code for fault in said} == {each.code}
    assert any(each.says in advice for advice in said.values()), said.values()
    assert after == {}


def test_every_code_that_a_tree_can_give_and_every_hint_is_followed() -> None:
    given = {code for code in entries() if "PDT001" <= code <= "PDT022" or "PDT040" <= code <= "PDT056"} | {"PDT059"}
    shown_before = {"PDT017"}  # the evidence finds it first, and the compiler reports another code
    assert given - NOT_OF_THE_COMPILER - shown_before == {each.code for each in CASES}
    hints = [(code, advice) for code, entry in entries().items() for _, advice in entry.hints]
    followed = [any(each.code == code and each.says in advice for each in CASES) for code, advice in hints]
    # The hints of PDT060 are not for messages of the compiler.
    assert {code for (code, _), is_followed in zip(hints, followed, strict=True) if not is_followed} <= {"PDT060"}


METHOD = """
class M(nn.Module):
    {}
    @torch.jit.unused
    def g(self{}:
        return {}

    def forward(self, x):
        return {}


f = M()
"""
LEFT_OUT = {
    "function": "@torch.jit.unused\ndef g(x):\n    return {x}\n\n\n"
    "def f(x):\n    return g(x) if x.size(0) > 9 else x\n",
    "method with another result": METHOD.format("", ", x) -> int", "len({1})", "self.g(x) if x.size(0) > 9 else 1"),
    "property": METHOD.format("@property", ")", "{1}", "x"),
    "call under a guard": "def g(*x):\n    print(x)\n\n\n"
    "def f(x):\n    if not torch.jit.is_scripting():\n        g(x)\n    return x\n",
}


@pytest.mark.parametrize("source", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_no_example_enters_can_be_left_out(source: str, advise: Advise) -> None:
    without = source.replace("@torch.jit.unused", "").replace("not torch.jit.is_scripting()", "x.size(0) > 9")
    left_out, found = advise(source, without)
    assert left_out == {} and found != {}
