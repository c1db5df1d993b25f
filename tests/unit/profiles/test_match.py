"""A profile of one source, matched with another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from profiled import MODEL, Seen, observe, owner_of, profile_of, write

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile
from pdt_annotate.profiles.match import Matched, locate, observed_calls
from pdt_annotate.profiles.profile import UNKNOWN_LINE, ProfiledOwner, Recording, Sighting, Source, dump_class
from pdt_annotate.values.runs import Observed, ObservedCall, SeenCall
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

ANNOTATED = (
    MODEL.replace("import torch", "import torch\nfrom typing import Optional")
    .replace("def scale(x, factor)", "def scale(x: torch.Tensor, factor: float) -> torch.Tensor")
    .replace("acc = None", "# what is summed up\n        acc: Optional[torch.Tensor] = None")
)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    write(tmp_path / "there", {"model.py": MODEL})
    return tmp_path / "there"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def make_profile(root: Path, run: str = "r1", label: str = "model:Net", calls: int = 1) -> Profile:
    file = str(root / "model.py")
    forward = owner_of(file, "Net.forward")
    local = Observation(Slot(forward, SlotKind.LOCAL, "acc", forward.line + 1), TypeExpr("None"), calls)
    width = Observation(Slot(Owner(file, "Net", 0), SlotKind.ATTRIBUTE, "width"), TypeExpr("int"), calls)
    observed = Observed((*observe(file, calls=calls).observations, local, width), (), ())
    return profile_of(root, {"model": file}, observed, run=run, label=label)


def slots(matched: Matched) -> Iterator[tuple[str, str, str, int]]:
    """The matched slots, by the text of the line of a local."""
    for observation in matched.observed.observations:
        slot = observation.slot
        yield slot.owner.qualname, slot.name, str(observation.type), observation.count


def test_the_source_itself_matches_as_it_was_observed(there: Path) -> None:
    matched = profiles.match(make_profile(there), str(there))
    seen = observe(str(there / "model.py")).observations
    assert set(seen) <= {
        Observation(o.slot, o.type, o.count, tuple(call.removesuffix(" of model:Net") for call in o.calls))
        for o in matched.observed.observations
    }
    assert matched.modules == {"model": str(there / "model.py")}
    assert {owner.qualname for owner in matched.in_forward} == {"scale", "Net.forward"}
    assert matched.findings == ()


@pytest.mark.parametrize("source", [MODEL, f'"""Docs."""\n\n\n{MODEL}', ANNOTATED], ids=["same", "moved", "annotated"])
def test_another_checkout_of_the_same_functions_matches_whole(source: str, there: Path, here: Path) -> None:
    write(here, {"model.py": source})
    matched = profiles.match(make_profile(there), str(here))
    assert sorted(slots(matched)) == sorted(slots(profiles.match(make_profile(there), str(there))))
    assert matched.findings == ()
    assert {o.slot.owner.file for o in matched.observed.observations} == {str(here / "model.py")}
    assert matched.in_forward == {owner_of(str(here / "model.py"), name) for name in ("scale", "Net.forward")}
    line = next(o.slot.line for o in matched.observed.observations if o.slot.kind is SlotKind.LOCAL)
    assert source.splitlines()[line - 1].strip().startswith("acc")


CHANGES = {
    "a broken file": ("def scale(:\n", "cannot be parsed", 0, set()),
    "a function changed": (MODEL.replace("* factor", "+ factor"), "`scale` has changed", 4, {"Net.forward", "Net"}),
    "a function gone": (MODEL.replace("def scale", "def zoom"), "`scale` no longer exists", 0, {"Net.forward", "Net"}),
    "a class gone": (MODEL.partition("class")[0], "the class `Net` no longer exists", 0, {"scale"}),
}


@pytest.mark.parametrize(("source", "message", "line", "used"), CHANGES.values(), ids=CHANGES)
def test_what_changed_is_said(source: str, message: str, line: int, used: set[str], there: Path, here: Path) -> None:
    write(here, {"model.py": source})
    matched = profiles.match(make_profile(there), str(here))
    (finding,) = [each for each in matched.findings if message in each.message]
    assert (finding.code, finding.place.file, finding.place.line) == ("PDT070", str(here / "model.py"), line)
    assert {name for name, *_ in slots(matched)} == used
    assert {owner.qualname for owner in matched.in_forward} == used - {"Net"}


def test_a_file_that_is_gone_is_said_once(there: Path, here: Path) -> None:
    matched = profiles.match(profiles.merge([make_profile(there), make_profile(there, "r2")]), str(here))
    assert [each.message.partition(":")[0] for each in matched.findings] == ["the file model.py no longer exists"]
    assert matched.observed.observations == () and matched.modules == {}


def test_each_run_is_counted_once_and_says_what_ran_unless_that_is_the_name_of_the_call(there: Path) -> None:
    one, two = make_profile(there, "r1", "train.py", 2), make_profile(there, "r2", "eval.py", 1)
    matched = profiles.match(profiles.merge([one, two, one]), str(there))
    factors = [(o.count, o.calls) for o in matched.observed.observations if o.slot.name == "factor"]
    assert factors == [(2, ("call 1 of train.py", "call 2 of train.py")), (1, ("call 1 of eval.py",))]
    file = str(there / "model.py")
    seen = tuple(Observation(o.slot, o.type, 1, ("train.py",)) for o in observe(file).observations)
    profile = profile_of(there, {"model": file}, Observed(seen, (), ()), label="train.py")
    assert {o.calls for o in profiles.match(profile, str(there)).observed.observations} == {("train.py",)}


def test_of_equal_functions_the_nearest_is_meant(there: Path, here: Path) -> None:
    twice = "if True:\n    def f(x):\n        return x\nelse:\n    def f(x):\n        return x\n"
    write(there, {"model.py": twice})
    write(here, {"model.py": f"# moved\n{twice}"})
    seen: Seen = {"f": {"x": ("int",)}}
    profile = profile_of(there, {"model": str(there / "model.py")}, observe(str(there / "model.py"), seen))
    (observation,) = profiles.match(profile, str(here)).observed.observations
    assert observation.slot.owner.line == 3


def test_files_that_the_run_did_not_import_are_left_alone(there: Path, here: Path) -> None:
    modules = write(here, {"model.py": MODEL, "main.py": ""})
    matched = profiles.match(make_profile(there), str(here), {"main": modules["main"]})
    assert matched.observed.observations == () and matched.findings == ()
    assert profiles.match(make_profile(there), str(here), modules).observed.observations


def from_monkeytype(*names: str, module: str = "pkg.model") -> Profile:
    """A profile as MonkeyType would trace it, of functions that take an int and a class of the module."""
    path, type_ = f"{module.replace('.', '/')}.py", f'{{"name":"{module}.Pair"}}'
    places = [ProfiledOwner(path, name, UNKNOWN_LINE) for name in names]
    sightings = [Sighting(place, "parameter", "x", 0, type_, 1) for place in places]
    return Profile((Recording("r1", sources=(Source(path, module),), sightings=tuple(sightings)),))


def test_a_function_of_unknown_line_is_meant_where_its_name_is_its_own(here: Path) -> None:
    outside = profiles.match(from_monkeytype("f"), str(here))
    assert outside.findings == () and not outside.observed.observations
    source = "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: int\n\n\n"
    twice = "if True:\n    def g(x):\n        return x\nelse:\n    def g(x):\n        return 2\n"
    write(here, {"src/pkg/__init__.py": "", "src/pkg/model.py": f"{source}def f(x):\n    return x\n\n\n{twice}"})
    matched = profiles.match(from_monkeytype("f", "g", "gone"), str(here))
    assert [o.slot.owner.qualname for o in matched.observed.observations] == ["f"]
    (info,) = matched.observed.classes
    assert (info.kind, info.fields) == (ClassKind.NAMEDTUPLE, (("a", TypeExpr("int")),))
    assert ["`g` is defined 2 times" in matched.findings[1].message] == [True]


BOX = "class Box:\n    def __init__(self, x):\n        self.x = x\n\n\ndef f(box):\n    return box.x\n"


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        (BOX, True),
        (BOX.replace("class Box:", "Box = namedtuple('Box', 'x')\n\n\nclass Case:"), True),
        (BOX.replace("class Box:", "if True:\n    from shapes import Crate as Box\n\n\nclass Case:"), True),
        (BOX.replace("Box", "Case"), False),
        (BOX.replace("class Box:", "def make():\n    Box = 3\n\n\nclass Case:"), False),
    ],
)
def test_a_class_that_is_gone_takes_its_values_along(source: str, kept: bool, there: Path, here: Path) -> None:
    file = write(there, {"model.py": BOX})["model"]
    info = ClassInfo("model.Box", "model", "Box", ClassKind.PLAIN, file)
    slot = Slot(owner_of(file, "f"), SlotKind.PARAMETER, "box")
    boxes = Observation(slot, TypeExpr("list", (TypeExpr("model.Box"),)))
    profile = profile_of(there, {"model": file}, Observed((boxes,), (info,), ()))
    now = write(here, {"model.py": source})["model"]
    matched = profiles.match(profile, str(here))
    assert bool(matched.observed.observations) is kept
    assert [info.file for info in matched.observed.classes] == ([now] if kept else [])
    assert [finding.message.split(":")[0] for finding in matched.findings] == (
        [] if kept else ["the class `Box` no longer exists"]
    )


FUNCTION = "def f(x):\n    return x\n"


def test_calls_come_back_from_a_file_for_a_function_that_has_changed_too(tmp_path: Path) -> None:
    net = write(tmp_path, {"net.py": FUNCTION})["net"]
    seen = [
        SeenCall(owner_of(net, "f"), "test_f", "__main__.Net", '{"x":1}', ""),
        SeenCall(owner_of(net, "f"), "b", "", '{"x":2}', '{"n":3}'),
    ]
    made = profile_of(tmp_path, {"net": net, "__main__": net}, observe(net, {"f": {"x": ("int",)}}), examples=seen)
    profiles.save(str(tmp_path / "p.sqlite"), made)
    loaded = profiles.load([str(tmp_path / "p.sqlite")])
    assert loaded == made
    write(tmp_path, {"net.py": FUNCTION.replace("return x", "return x + 1")})
    assert list(observed_calls(loaded, str(tmp_path))) == [
        ObservedCall(net, "f", "b", "", {"x": 2}, {"n": 3}),
        ObservedCall(net, "f", "test_f", "net.Net", {"x": 1}, None),
    ]
    (tmp_path / "net.py").unlink()
    assert list(observed_calls(loaded, str(tmp_path))) == []


SOURCE = Source("src/pkg/mod.py", "pkg.mod")


@pytest.mark.parametrize(
    ("source", "paths", "expected"),
    [
        (SOURCE, "src/pkg/mod.py pkg/mod.py", "src/pkg/mod.py"),
        (SOURCE, "pkg/mod.py", "pkg/mod.py"),
        (Source("pkg/mod.py", "pkg.mod"), "lib/pkg/mod.py", "lib/pkg/mod.py"),
        (Source("a/b/pkg/__init__.py", "pkg"), "pkg/__init__.py", "pkg/__init__.py"),
        (Source("model.py", "model"), "deep/model.py", "deep/model.py"),
        (SOURCE, "mod.py", ""),
        (SOURCE, "pkg/mod/__init__.py", "pkg/mod/__init__.py"),
        (Source("model.py", "model"), "one/model.py two/model.py", ""),
        (SOURCE, "", ""),
    ],
)
def test_a_file_is_found_by_its_path_or_its_module(source: Source, paths: str, expected: str, tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(paths.split(), ""))
    assert locate(source, str(tmp_path), {}) == (str(tmp_path / expected) if expected else "")


@pytest.mark.parametrize("path", ["../outside.py", "pkg/../../outside.py", "ABSOLUTE"])
def test_nothing_outside_the_root_is_found(path: str, tmp_path: Path) -> None:
    write(tmp_path, {"outside.py": "", "root/pkg/inside.py": ""})
    source = Source(path.replace("ABSOLUTE", str(tmp_path / "outside.py")), "outside")
    assert locate(source, str(tmp_path / "root"), {"outside": str(tmp_path / "outside.py")}) == ""


def test_a_module_that_is_imported_is_known_by_its_name_and_keeps_the_spelling_of_the_run(tmp_path: Path) -> None:
    file = write(tmp_path, {"elsewhere/deeper/mod.py": "", "real/pkg/mod.py": ""})["elsewhere.deeper.mod"]
    assert locate(SOURCE, str(tmp_path), {"pkg.mod": file}) == file
    (tmp_path / "link").symlink_to(tmp_path / "real")
    spelled = str(tmp_path / "link" / "pkg" / "mod.py")
    assert locate(Source("pkg/mod.py", "pkg.mod"), str(tmp_path / "real"), {"x": spelled}) == spelled


@pytest.mark.parametrize(
    ("module", "expected", "file"),
    [
        *((name, True, None) for name in ("lib", "lib.other", "xml.dom", "xml", "builtins")),
        *((name, False, None) for name in ("antigravity", "xml.etree", "idlelib.idle", "library", "near", "", "pkg")),
        *((module, True, "src/pkg/mod.py") for module in ("pkg.mod", "mod")),
        *((module, False, "src/pkg/mod.py") for module in ("antigravity", "a.mod")),
    ],
)
def test_what_an_annotation_may_import(module: str, expected: bool, file: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"src/pkg/mod.py": "import lib.part\nimport xml.dom\nfrom . import near\nclass X:\n    pass\n"})
    text = dump_class(ClassInfo(f"{module}.X", module, "X", ClassKind.PLAIN, file))
    source = Source("src/pkg/mod.py", module if file else "pkg.mod")
    profile = Profile((Recording("r1", sources=(source,), classes=(text,)),))
    classes = profiles.match(profile, str(tmp_path)).observed.classes
    assert any(info.importable for info in classes) is expected
