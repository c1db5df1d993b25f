"""What the user is told of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from rewrite_case import owners

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import accepts, review, review_cut_off, review_mends, unreached
from pdt_annotate.search.best_first import CutOff
from pdt_annotate.search.repair import Proposal
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, Finding, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

INT, FLOAT, BOOL, STR, COMPLEX = (TypeExpr(name) for name in ("int", "float", "bool", "str", "complex"))
PARAMETER = TypeExpr("torch.nn.parameter.Parameter", bases=("torch.Tensor",))
SIZE = TypeExpr("torch.Size", bases=("tuple",))

SOURCE = """
    def plain(x, n: int, mask=None):
        return x


    def skipped(x):  # pdt: skip
        return x


    def done(x: Tensor):
        return x


    def variadic(*args: int):
        return 1


    @torch.jit._overload
    def stub(x): ...


    def hook(module, x):
        return x


    class Net:
        pass


    def number(k=1, flag=False, j=2.0):
        if isinstance(j, int):
            return k
        return flag
"""

MODULE = TypeExpr("torch.nn.modules.module.Module")


def of(name: str, *args: TypeExpr) -> TypeExpr:
    return TypeExpr(name, args)


class Scene:
    """One file, what was seen in it, and the review of a trial that compiled some of its functions."""

    def __init__(self, folder: Path) -> None:
        self.file = str(folder / "model.py")
        Path(self.file).write_text(dedent(SOURCE).lstrip("\n"))
        self.project = Project(str(folder), {"model": self.file})
        self.owners = {each.qualname: each for each in owners(self.project.source(self.file), self.file)}
        self.observations: list[Observation] = []

    def slot(self, function: str, name: str) -> Slot:
        return Slot(self.owners[function], SlotKind.PARAMETER, name)

    def see(self, function: str, name: str, type_: TypeExpr, *calls: str) -> Observation:
        seen = Observation(self.slot(function, name), type_, 1, calls or ("call",))
        self.observations.append(seen)
        return seen

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.project, [Observed(tuple(self.observations), (), ("call",))])

    def compiled(self, *functions: str) -> Trial:
        return Trial((Verdict("scripts", True),), tuple(self.owners[name] for name in functions))

    def review(self, *functions: str, annotations: Sequence[Annotation] = ()) -> list[Finding]:
        return list(review(self.evidence, annotations, self.compiled(*functions)))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


class TestNothingToSay:
    def test_of_what_is_seen_and_as_it_is_written(self, scene: Scene) -> None:
        for name, type_ in (("x", TENSOR), ("n", INT), ("mask", TENSOR), ("mask", NONE)):
            scene.see("plain", name, type_)
        annotation = Annotation(scene.slot("plain", "x"), TENSOR, evidence=tuple(scene.observations[:1]))
        assert scene.review("plain", annotations=[annotation]) == []

    def test_of_what_the_compiler_never_read(self, scene: Scene) -> None:
        scene.see("plain", "n", STR)
        list(scene.evidence.choose(scene.owners.values()))
        guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS)
        assert scene.review(annotations=[guess]) == []

    def test_of_an_unreached_function_whose_types_are_written(self, scene: Scene) -> None:
        assert scene.review("done") == []

    def test_of_the_stub_of_an_overload(self, scene: Scene) -> None:
        assert scene.review("stub") == []
        assert unreached(scene.evidence, scene.compiled("stub")) == ()

    def test_of_the_module_that_a_hook_is_handed(self, scene: Scene) -> None:
        scene.see("hook", "module", MODULE)
        scene.see("hook", "x", TENSOR)
        evidence = scene.evidence
        list(evidence.choose(scene.owners.values()))
        trial = scene.compiled("hook")
        assert list(review(evidence, (), trial)) == []
        failed = Trial((Verdict("scripts", False),), trial.compiled)
        assert [f.code for f in review(evidence, (), failed)] == ["PDT013"]

    def test_of_library_functions(self, scene: Scene) -> None:
        trial = Trial((), (Owner("/usr/lib/functional.py", "relu", 1),))
        assert list(review(scene.evidence, (), trial)) == []
        assert unreached(scene.evidence, trial) == ()


def test_a_guess_is_said_at_its_parameter(scene: Scene) -> None:
    seen = scene.see("plain", "mask", NONE)
    guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS, evidence=(seen,))
    (found,) = scene.review("plain", annotations=[guess])
    assert (found.code, found.place, found.slot) == ("PDT030", Place(scene.file, 1, 22), guess.slot)


def test_a_guess_at_an_attribute_is_said_at_its_class(scene: Scene) -> None:
    slot = Slot(scene.owners["Net"], SlotKind.ATTRIBUTE, "cache")
    seen = Observation(Slot(Owner(scene.file, "Net", 0), SlotKind.ATTRIBUTE, "cache"), of("list"), 2, ("call",))
    guess = Annotation(slot, of("list", TENSOR), Origin.GUESS, evidence=(seen,))
    (found,) = scene.review("plain", annotations=[guess, Annotation(scene.slot("plain", "x"), TENSOR)])[:1]
    assert (found.code, found.place.file, found.place.line) == ("PDT031", scene.file, slot.owner.line)


@pytest.mark.parametrize(
    ("seen", "written", "codes"),
    [
        ([BOOL], BOOL, []),
        ([INT, FLOAT], FLOAT, []),
        ([BOOL, INT], of("Union", INT, BOOL), []),
        ([BOOL, TENSOR], of("Union", BOOL, TENSOR), []),
        ([BOOL, INT], INT, ["PDT064"]),
        ([BOOL, FLOAT], FLOAT, ["PDT064"]),
        ([of("list", BOOL), of("list", INT)], of("list", INT), ["PDT064"]),
    ],
)
def test_bool_beside_a_number(seen: Sequence[TypeExpr], written: TypeExpr, codes: list[str], scene: Scene) -> None:
    evidence = tuple(scene.see("plain", "mask", type_) for type_ in seen)
    annotation = Annotation(scene.slot("plain", "mask"), written, evidence=evidence)
    found = scene.review("plain", annotations=[annotation])
    assert [(f.code, f.place.line) for f in found] == [(code, 1) for code in codes]


@pytest.mark.parametrize(
    ("name", "seen", "written", "message"),
    [
        ("k", INT, INT, ""),
        ("k", FLOAT, of("Union", INT, FLOAT), ""),
        ("k", FLOAT, FLOAT, "`k` is int by default, which becomes float"),
        ("flag", INT, INT, "`flag` is bool by default, which becomes int"),
        ("j", FLOAT, of("Union", INT, FLOAT), ""),
        ("j", FLOAT, FLOAT, "`j` is asked for isinstance int in the body; int becomes float before"),
    ],
)
def test_a_number_that_changes_its_type(
    name: str, seen: TypeExpr, written: TypeExpr, message: str, scene: Scene
) -> None:
    annotation = Annotation(scene.slot("number", name), written, evidence=(scene.see("number", name, seen),))
    found = [f for f in scene.review("number", annotations=[annotation]) if f.code == "PDT064"]
    assert [f.message for f in found] == ([message] if message else [])


@pytest.mark.parametrize(
    ("seen", "written", "differs", "told"),
    [
        (BOOL, of("Union", BOOL, FLOAT), False, False),
        (BOOL, of("Union", BOOL, FLOAT), True, True),
        (BOOL, BOOL, True, True),
        (BOOL, INT, True, False),
        (FLOAT, of("Union", INT, FLOAT), True, False),
    ],
)
def test_a_bool_that_python_takes_for_an_int(
    seen: TypeExpr, written: TypeExpr, differs: bool, told: bool, scene: Scene
) -> None:
    annotation = Annotation(scene.slot("number", "j"), written, evidence=(scene.see("number", "j", seen),))
    compiled = scene.compiled("number")
    trial = replace(compiled, verdicts=(*compiled.verdicts, Verdict("answers", not differs)))
    found = [f.message for f in review(scene.evidence, [annotation], trial) if "was a bool" in f.message]
    assert [message.endswith("ask for bool before") for message in found] == [True] * told


@pytest.mark.parametrize(
    ("written", "said"),
    [(INT, ["Tensor"]), (of("Union", INT, TENSOR), []), (of("Optional", TENSOR), ["int"])],
)
def test_a_branch_whose_result_is_converted(written: TypeExpr, said: list[str], scene: Scene) -> None:
    because = "Return value was annotated as having type int but is actually of type Tensor"
    slot = Slot(scene.owners["plain"], SlotKind.RETURN, "return")
    scene.see("plain", "x", TENSOR)
    found = scene.review("plain", annotations=[Annotation(slot, written, Origin.REPAIR, because=because)])
    assert [f.message for f in found if f.code == "PDT042"] == [
        f"plain: a branch returns {other}, which becomes {written}" for other in said
    ]


def test_an_annotation_that_contradicts_what_was_seen_names_the_calls(scene: Scene) -> None:
    scene.see("plain", "n", INT, "good")
    scene.see("plain", "n", STR, "first", "second")
    (found,) = scene.review("plain")
    assert (found.code, found.place, found.slot) == ("PDT032", Place(scene.file, 1, 14), scene.slot("plain", "n"))
    assert found.message == "`n` is annotated int, but str was seen in first, second"


def test_skipped_functions_that_the_compiler_reads(scene: Scene) -> None:
    scene.see("skipped", "x", TENSOR)
    (found,) = scene.review("skipped")
    assert (found.code, found.place.line) == ("PDT033", 5)


def test_functions_that_no_example_enters(scene: Scene) -> None:
    guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS)
    (found,) = (f for f in scene.review("plain", "done", annotations=[guess]) if f.code == "PDT037")
    assert (found.place.file, found.place.line) == (scene.file, 1)
    assert found.message == (
        "plain is compiled, and no example call enters it: "
        "`x` stays un-annotated, and so a Tensor, `mask` is Optional[Tensor] by guess"
    )
    scene.see("done", "x", TENSOR)
    trial = scene.compiled("plain", "done")
    assert unreached(scene.evidence, trial) == (scene.owners["plain"],)


def test_what_has_no_type_is_said_where_it_is_compiled(scene: Scene) -> None:
    scene.see("variadic", "args", INT)
    evidence = scene.evidence
    list(evidence.choose(scene.owners.values()))
    assert list(review(evidence, (), scene.compiled("done"))) == []
    assert [f.code for f in review(evidence, (), scene.compiled("variadic"))] == ["PDT001"]


@pytest.mark.parametrize(("accepted_as", "code"), [("PDT065", "PDT065"), ("", "PDT066")])
def test_answers_that_were_accepted_although_they_differ(accepted_as: str, code: str, scene: Scene) -> None:
    failure = Failure("a Size came back as a list", place=Place(scene.file, 3), call="second", code=accepted_as)
    kept = Trial((Verdict("scripts", True), Verdict("answers", True, failure), Verdict("answers", False, failure)))
    (found,) = review(scene.evidence, (), kept)
    assert (found.code, found.place.file, found.place.line) == (code, scene.file, 3)
    assert found.message == "second: a Size came back as a list"


def test_what_differs_in_several_calls_is_said_once(scene: Scene) -> None:
    remarks = [Failure("a list came back", call=name, code="PDT065") for name in ("first", "second", "second")]
    unnamed = Failure("it cannot be saved", code="PDT069")
    kept = Trial((*(Verdict("callers see", True, each) for each in remarks), Verdict("saved", True, unnamed)))
    found = [finding.message for finding in review(scene.evidence, (), kept)]
    assert found == ["first, second: a list came back", "it cannot be saved"]


# Each row was passed to a scripted function: torch/csrc/jit/python/pybind_utils.cpp, toIValue.
class TestSearchesThatTimeEnded:
    def test_one_that_came_to_its_end(self, scene: Scene) -> None:
        assert list(review_cut_off(None, 120, scene.project)) == []

    def test_what_would_be_tried_next_is_told_at_its_place(self, scene: Scene) -> None:
        changes = (
            Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR)),
            Annotation(Slot(scene.owners["skipped"], SlotKind.RETURN, "return"), INT),
        )
        (found,) = review_cut_off(CutOff(Proposal(changes)), 120, scene.project)
        written = "`mask: Optional[Tensor]` in plain, `-> int` in skipped"
        assert found.message == f"the search ended after 120 s, and would try next: {written}"
        assert found.place == scene.project.place_of(changes[0].slot)

    def test_what_would_be_done_next_is_told(self, scene: Scene) -> None:
        (found,) = review_cut_off(CutOff(next_step="reading net.py"), 120, scene.project)
        assert found.message == "the search ended after 120 s, before reading net.py"

    def test_what_verifies_may_hold_too_much(self, scene: Scene) -> None:
        (found,) = review_cut_off(CutOff(), 0.5, scene.project)
        assert "after 0.5 s" in found.message and "may not be needed" in found.message


PASSES = [
    ("int", INT),
    ("int", BOOL),
    ("float", INT),
    ("float", BOOL),
    ("complex", FLOAT),
    ("Tensor", PARAMETER),
    ("torch.device", STR),
    ("Any", STR),
    ("int | str", STR),
    ("Optional[int]", NONE),
    ("Optional[int]", INT),
    ("Optional[float]", INT),
    ("Union[int, None]", NONE),
    ("List[int]", SIZE),
    ("List[int]", of("tuple", INT, INT)),
    ("List[int]", of("list")),
    ("List[float]", of("list", INT)),
    ("List[float]", of("list", of("Union", INT, FLOAT))),
    ("List[Any]", of("list", INT)),
    ("List[int | None]", of("list", of("Union", INT, NONE))),
    ("List[Optional[Tensor]]", of("list", TENSOR)),
    ("List[List[int]]", of("list", of("tuple", INT, INT))),
    ("Tuple[int, int]", of("list", INT)),
    ("Tuple[float, float]", of("tuple", INT, FLOAT)),
    ("Tuple[Optional[Tensor], Tensor]", of("tuple", TENSOR, TENSOR)),
    ("Dict[str, float]", of("dict", STR, INT)),
    ("Dict[str, int]", TypeExpr("collections.OrderedDict", (STR, INT), ("dict",))),
    ("int", of("set", INT)),
]

CONTRADICTS = [
    ("int", FLOAT),
    ("int", STR),
    ("int", NONE),
    ("int", TENSOR),
    ("bool", INT),
    ("str", TypeExpr("torch.device")),
    ("Tensor", INT),
    ("Tensor", NONE),
    ("Optional[int]", STR),
    ("List[int]", of("list", FLOAT)),
    ("List[int]", of("list", of("Union", INT, NONE))),
    ("List[int]", INT),
    ("List[List[int]]", of("list", INT)),
    ("Tuple[int, int]", of("tuple", INT, INT, INT)),
    ("Tuple[int, str]", of("tuple", INT, INT)),
    ("Dict[str, int]", of("dict", INT, INT)),
    ("Dict[str, int]", of("list", INT)),
    ("Tuple[Tensor, Tensor]", of("tuple", NONE, TENSOR)),
]


class TestAccepts:
    @staticmethod
    def accepts(text: str, seen: TypeExpr) -> bool:
        written = read_annotation(text)
        assert written is not None
        return accepts(written, seen, Evidence(Project("/", {}), []))

    @pytest.mark.parametrize(("text", "seen"), PASSES, ids=str)
    def test_passes(self, text: str, seen: TypeExpr) -> None:
        assert self.accepts(text, seen)

    @pytest.mark.parametrize(("text", "seen"), CONTRADICTS, ids=str)
    def test_contradicts(self, text: str, seen: TypeExpr) -> None:
        assert not self.accepts(text, seen)

    def test_what_could_be_anything(self) -> None:
        assert accepts(ANY, NONE, Evidence(Project("/", {}), []))


def test_a_mend_that_leaves_something_out_is_told() -> None:
    place = Place("m.py", 3, 5)
    kept = Mend("a", MendKind.SCRIPTED, Owner("m.py", "Net.device", 2), place, "marks it", {})
    out = replace(kept, left_out="the property raises in the scripted model")
    said = "Net.device: the property raises in the scripted model"
    assert list(review_mends([kept, out])) == [Finding("PDT093", said, place)]
