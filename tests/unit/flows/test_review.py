"""The findings about a result."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from rewrite_case import owners

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import accepts, review, review_cut_off, review_mends, review_third_party, unreached
from pdt_annotate.search.best_first import CutOff
from pdt_annotate.search.repair import Proposal
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.outcome import FileChange, Overlaid
from pdt_annotate.values.runs import Observed, SpecSource, Target
from pdt_annotate.values.slots import Annotation, Finding, Observation, Origin, Owner, Place, Slot, SlotKind
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
    """One file, its observations, and the review of a trial that compiled some of its functions."""

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


def test_nothing_is_said_of_what_is_as_it_is_written_or_never_read(scene: Scene) -> None:
    for name, type_ in (("x", TENSOR), ("n", INT), ("mask", TENSOR), ("mask", NONE)):
        scene.see("plain", name, type_)
    annotation = Annotation(scene.slot("plain", "x"), TENSOR, evidence=tuple(scene.observations[:1]))
    assert scene.review("plain", annotations=[annotation]) == []
    assert scene.review("done") == [], "no call enters it, but its types are written"
    for trial in scene.compiled("stub"), Trial((), (Owner("/usr/lib/functional.py", "relu", 1),)):
        assert list(review(scene.evidence, (), trial)) == []
        assert unreached(scene.evidence, trial) == ()
    scene.see("plain", "n", STR)
    list(scene.evidence.choose(scene.owners.values()))
    guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS)
    assert scene.review(annotations=[guess]) == []


def test_nothing_is_said_of_the_module_that_a_hook_is_handed(scene: Scene) -> None:
    scene.see("hook", "module", MODULE)
    scene.see("hook", "x", TENSOR)
    evidence = scene.evidence
    list(evidence.choose(scene.owners.values()))
    trial = scene.compiled("hook")
    assert list(review(evidence, (), trial)) == []
    failed = Trial((Verdict("scripts", False),), trial.compiled)
    assert [f.code for f in review(evidence, (), failed)] == ["PDT013"]


def test_a_guess_is_said_at_its_parameter_or_class(scene: Scene) -> None:
    seen = scene.see("plain", "mask", NONE)
    guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS, evidence=(seen,))
    (found,) = scene.review("plain", annotations=[guess])
    assert (found.code, found.place, found.slot) == ("PDT030", Place(scene.file, 1, 22), guess.slot)
    slot = Slot(scene.owners["Net"], SlotKind.ATTRIBUTE, "cache")
    seen = Observation(Slot(Owner(scene.file, "Net", 0), SlotKind.ATTRIBUTE, "cache"), of("list"), 2, ("call",))
    guess = Annotation(slot, of("list", TENSOR), Origin.GUESS, evidence=(seen,))
    found = scene.review("plain", annotations=[guess, Annotation(scene.slot("plain", "x"), TENSOR)])[0]
    assert (found.code, found.place.file, found.place.line) == ("PDT031", scene.file, slot.owner.line)


BESIDE = "`mask` is a bool in some calls and a number in others; with {}, True becomes 1"


@pytest.mark.parametrize(
    ("name", "seen", "written", "message"),
    [
        ("mask", [BOOL], BOOL, ""),
        ("mask", [INT, FLOAT], FLOAT, ""),
        ("mask", [BOOL, INT], of("Union", INT, BOOL), ""),
        ("mask", [BOOL, TENSOR], of("Union", BOOL, TENSOR), ""),
        ("mask", [BOOL, INT], INT, BESIDE.format("int")),
        ("mask", [BOOL, FLOAT], FLOAT, BESIDE.format("float")),
        ("mask", [of("list", BOOL), of("list", INT)], of("list", INT), BESIDE.format("List[int]")),
        ("k", [INT], INT, ""),
        ("k", [FLOAT], of("Union", INT, FLOAT), ""),
        ("k", [FLOAT], FLOAT, "`k` has a default of type int, which becomes float"),
        ("flag", [INT], INT, "`flag` has a default of type bool, which becomes int"),
        ("j", [FLOAT], of("Union", INT, FLOAT), ""),
        ("j", [FLOAT], FLOAT, "`j` is tested with isinstance for int in the body, but int has become float before"),
    ],
)
def test_a_number_of_two_types(
    name: str, seen: Sequence[TypeExpr], written: TypeExpr, message: str, scene: Scene
) -> None:
    function = "plain" if name == "mask" else "number"
    evidence = tuple(scene.see(function, name, type_) for type_ in seen)
    slot = scene.slot(function, name)
    found = scene.review(function, annotations=[Annotation(slot, written, evidence=evidence)])
    told = [(f.message, f.place.line) for f in found if f.code == "PDT064"]
    assert told == ([(message, slot.owner.line)] if message else [])


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
def test_a_bool_taken_for_an_int(seen: TypeExpr, written: TypeExpr, differs: bool, told: bool, scene: Scene) -> None:
    annotation = Annotation(scene.slot("number", "j"), written, evidence=(scene.see("number", "j", seen),))
    compiled = scene.compiled("number")
    trial = replace(compiled, verdicts=(*compiled.verdicts, Verdict("answers", not differs)))
    found = [f.message for f in review(scene.evidence, [annotation], trial) if "was a bool" in f.message]
    assert [message.endswith("test for bool first") for message in found] == [True] * told


@pytest.mark.parametrize(
    ("written", "said"), [(INT, ["Tensor"]), (of("Union", INT, TENSOR), []), (of("Optional", TENSOR), ["int"])]
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
    assert found.message == "`n` has the annotation int, but str was seen in first, second"


def test_functions_that_no_example_enters(scene: Scene) -> None:
    guess = Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR), Origin.GUESS)
    (found,) = (f for f in scene.review("plain", "done", annotations=[guess]) if f.code == "PDT037")
    assert (found.place.file, found.place.line) == (scene.file, 1)
    assert found.message == (
        "plain is compiled, but no example call runs it: "
        "`x` has no annotation, so TorchScript assumes a Tensor, `mask` is Optional[Tensor] (guess)"
    )
    scene.see("done", "x", TENSOR)
    assert unreached(scene.evidence, scene.compiled("plain", "done")) == (scene.owners["plain"],)


def test_what_has_no_type_or_is_skipped_is_said_where_it_is_compiled(scene: Scene) -> None:
    scene.see("variadic", "args", INT)
    scene.see("skipped", "x", TENSOR)
    evidence = scene.evidence
    list(evidence.choose(scene.owners.values()))
    assert list(review(evidence, (), scene.compiled("done"))) == []
    assert [f.code for f in review(evidence, (), scene.compiled("variadic"))] == ["PDT001"]
    (found,) = review(evidence, (), scene.compiled("skipped"))
    assert (found.code, found.place.line) == ("PDT033", 5)


@pytest.mark.parametrize(("accepted_as", "code"), [("PDT065", "PDT065"), ("", "PDT066")])
def test_answers_that_were_accepted_although_they_differ(accepted_as: str, code: str, scene: Scene) -> None:
    failure = Failure("a Size came back as a list", place=Place(scene.file, 3), call="second", code=accepted_as)
    kept = Trial((Verdict("scripts", True), Verdict("answers", True, failure), Verdict("answers", False, failure)))
    (found,) = review(scene.evidence, (), kept)
    assert (found.code, found.place.file, found.place.line) == (code, scene.file, 3)
    assert found.message == "second: a Size came back as a list"
    remarks = [Failure("a list came back", call=name, code="PDT065") for name in ("first", "second", "second")]
    unnamed = Failure("it cannot be saved", code="PDT069")
    kept = Trial((*(Verdict("callers see", True, each) for each in remarks), Verdict("saved", True, unnamed)))
    messages = [finding.message for finding in review(scene.evidence, (), kept)]
    assert messages == ["first, second: a list came back", "it cannot be saved"]


def test_what_would_be_tried_next_is_reported_at_its_place(scene: Scene) -> None:
    assert list(review_cut_off(None, 120, scene.project)) == []
    changes = (
        Annotation(scene.slot("plain", "mask"), of("Optional", TENSOR)),
        Annotation(Slot(scene.owners["skipped"], SlotKind.RETURN, "return"), INT),
    )
    (found,) = review_cut_off(CutOff(Proposal(changes)), 120, scene.project)
    written = "`mask: Optional[Tensor]` in plain, `-> int` in skipped"
    assert found.message == f"the search ended after 120 s; the next step would be to try {written}"
    assert found.place == scene.project.place_of(changes[0].slot)
    (found,) = review_cut_off(CutOff(next_step="reading net.py"), 120, scene.project)
    assert found.message == "the search ended after 120 s, before reading net.py"
    (found,) = review_cut_off(CutOff(), 0.5, scene.project)
    assert "after 0.5 s" in found.message and "may be unnecessary" in found.message


# Each value was passed to a scripted function: torch/csrc/jit/python/pybind_utils.cpp, toIValue.
PASSES = {
    "int": [INT, BOOL, of("set", INT)],
    "float": [INT, BOOL],
    "complex": [FLOAT],
    "Tensor": [PARAMETER],
    "torch.device": [STR],
    "Any": [STR],
    "int | str": [STR],
    "int | str | None": [of("Union", INT, STR, NONE)],
    "Optional[int]": [NONE, INT],
    "Optional[float]": [INT],
    "Union[int, None]": [NONE],
    "List[int]": [SIZE, of("tuple", INT, INT), of("list")],
    "List[float]": [of("list", INT), of("list", of("Union", INT, FLOAT))],
    "List[Any]": [of("list", INT)],
    "List[int | None]": [of("list", of("Union", INT, NONE))],
    "List[Optional[Tensor]]": [of("list", TENSOR)],
    "List[List[int]]": [of("list", of("tuple", INT, INT))],
    "Tuple[int, int]": [of("list", INT)],
    "Tuple[float, float]": [of("tuple", INT, FLOAT)],
    "Tuple[Optional[Tensor], Tensor]": [of("tuple", TENSOR, TENSOR)],
    "Dict[str, float]": [of("dict", STR, INT)],
    "Dict[str, int]": [TypeExpr("collections.OrderedDict", (STR, INT), ("dict",))],
}
CONTRADICTS = {
    "int": [FLOAT, STR, NONE, TENSOR],
    "bool": [INT],
    "str": [TypeExpr("torch.device")],
    "Tensor": [INT, NONE],
    "Optional[int]": [STR],
    "List[int]": [INT, of("list", FLOAT), of("list", of("Union", INT, NONE))],
    "List[List[int]]": [of("list", INT)],
    "Tuple[int, int]": [of("tuple", INT, INT, INT)],
    "Tuple[int, str]": [of("tuple", INT, INT)],
    "Dict[str, int]": [of("dict", INT, INT), of("list", INT)],
    "Tuple[Tensor, Tensor]": [of("tuple", NONE, TENSOR)],
}


@pytest.mark.parametrize("text", PASSES | CONTRADICTS)
def test_what_an_annotation_accepts(text: str) -> None:
    written, evidence = read_annotation(text), Evidence(Project("/", {}), [])
    assert written is not None
    assert [str(seen) for seen in PASSES.get(text, ()) if not accepts(written, seen, evidence)] == []
    assert [str(seen) for seen in CONTRADICTS.get(text, ()) if accepts(written, seen, evidence)] == []
    assert accepts(ANY, NONE, evidence)


def test_a_mend_that_leaves_something_out_is_reported() -> None:
    place = Place("m.py", 3, 5)
    kept = Mend("a", MendKind.SCRIPTED, Owner("m.py", "Net.device", 2), place, "marks it", {})
    out = replace(kept, left_out="the property raises in the scripted model")
    said = "Net.device: the property raises in the scripted model"
    assert list(review_mends([kept, out])) == [Finding("PDT093", said, place)]


def test_third_party_functions_that_had_to_be_changed_are_reported_unless_an_overlay_is_kept(tmp_path: Path) -> None:
    file = "/site/pkg/mod.py"
    owners = [Owner(file, "f", 3), Owner("/own.py", "f", 3), Owner(file, "g", 7)]
    mends = [Mend("a", MendKind.EXACT, owner, Place(owner.file, 4), "does", {}) for owner in owners[:2]]
    annotation = Annotation(Slot(owners[2], SlotKind.PARAMETER, "x"), INT)
    options = Options((Target("m:f", "m", "", "f"),), SpecSource(), str(tmp_path))
    overlaid = [Overlaid("pkg.mod", FileChange(file, b"", b"x"))]
    found = list(review_third_party(options, overlaid, [annotation], mends))
    assert [(each.code, each.message, each.place.file, each.place.line) for each in found] == [
        ("PDT080", "f of pkg.mod had to be changed in a copy", file, 3),
        ("PDT080", "g of pkg.mod had to be annotated in a copy", file, 7),
    ]
    assert not list(review_third_party(replace(options, overlay=str(tmp_path / "o")), overlaid, [annotation], mends))
