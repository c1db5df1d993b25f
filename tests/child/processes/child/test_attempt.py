"""The tasks with real user code, in child processes of one zygote."""

import functools
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import PREPARE, attempt, loaded_files, observe
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.errors import SpecError, TargetError, UserCodeError
from pdt_annotate.values.runs import Candidate, Observed, SpecSource
from pdt_annotate.values.slots import Annotation, ClassKind, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Trial

Prepare = Callable[..., Session]

HELPERS = """
    import torch

    def scale(x, n):
        return x * n

    def collect(x, n):
        found = []
        for i in range(n):
            found.append(i)
        if torch.jit.is_scripting():
            return only_scripted(x, n)
        return x

    def only_scripted(x, n):
        return x
"""

MODEL = """
    from typing import NamedTuple

    import torch
    from torch import nn

    from helpers import collect, scale

    class Point(NamedTuple):
        x: int

    @torch.jit.script
    class Table:
        def __init__(self, size: int):
            self.size = size
        def grow(self, by: int):
            self.size = self.size + by
        def area(self, scale: float):
            return scale * self.size

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.table = Table(3)
            self.last = None
            self.count = 0
        def forward(self, x, n=2):
            self.count += 1
            return scale(self.norm(x), n)
        def remember(self, x):
            self.last = x
            x.add_(1)
            return x
        def encode(self, x, point):
            return x + point.x

    def pick(x, mode):
        return x if mode == "same" else x + 1

    def last_of(items):
        return items[-1]

    def branch(x):
        if torch.jit.is_scripting():
            return x + 1
        return x

    def deep(x):
        return pick(x, {}["mode"])
"""

SPEC = """
    import torch
    from pdt_annotate import Call

    x = torch.arange(4.0).reshape(2, 2)

    net = [Call((x.clone(),), name="plain"), Call((x, 3), name="scaled"), Call((x, 2.5), name="kept", held_back=True)]
    remember = [Call((x,), method="remember"), Call((x,), method="remember")]

    def encode():
        from model import Point
        return [(x, Point(1))]

    pick = [Call((x, "same")), Call((x,), {"mode": "other"}, name="by name")]
    last_of = [([x, x + 1],), ([x],)]
    helped = [(x, 2)]

    def named():
        from model import Table, pick
        others = [Call((x, "same"), callee=pick), Call((1,), callee=Table(3).grow), Call((1,), callee=abs)]
        return [Call((x, 2)), *others]

    one = [(x,)]
    refused = [Call((x,), name="refused", raises=True)]
    wrongly_refused = [Call((x,), raises=True)]
    table = [Call((3,)), Call((4,), method="grow"), Call((0.5,), method="area"), Call((1,), method="area")]
    too_early = [Call((0.5,), method="area"), Call((3,))]
    too_many = [Call((3,)), Call((0.5, 1), method="area")]
"""


def write_files(folder: Path, **sources: str) -> Path:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(dedent(source).lstrip())
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("attempt"), model=MODEL, helpers=HELPERS, spec=SPEC)


def open_session(zygote: Zygote, root: Path, target: str, calls: str = "", **how: Any) -> Session:
    place, spec = parse(f"{root}/model.py:{target}"), SpecSource(f"{root}/spec.py", calls)
    return zygote.session(PREPARE, place, spec, str(root), how.pop("sources", {}), **how)


@pytest.fixture(scope="module")
def prepare(zygote: Zygote, project: Path) -> Prepare:
    """A session of a target with its calls. All tests share it, because every task is a fork of it."""
    return functools.cache(functools.partial(open_session, zygote, project, traced=True))


@pytest.fixture(scope="module")
def seen(prepare: Prepare) -> Callable[..., Observed]:
    return functools.cache(lambda *session, as_scripted=False: observe(prepare(*session), as_scripted=as_scripted))


def types_at(observed: Observed, function: str, name: str) -> list[str]:
    return [str(o.type) for o in observed.observations if o.slot.owner.qualname == function and o.slot.name == name]


def edited(project: Path, name: str, *edits: tuple[str, str]) -> dict[str, bytes]:
    file = project / name
    text = file.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return {str(file): text.encode()}


def annotated(project: Path) -> dict[str, bytes]:
    """The sources with all types that `Net` needs."""
    model = edited(project, "model.py", ("x, n=2", "x, n: int = 2"))
    return model | edited(project, "helpers.py", ("scale(x, n)", "scale(x, n: int)"))


def failure_of(trial: Trial) -> Any:
    assert trial.failure is not None
    return trial.failure


def judged(trial: Trial) -> str:
    """The judges in their order; "no: " marks those that find a fault."""
    return ", ".join(each.judge if each.ok else f"no: {each.judge}" for each in trial.verdicts)


DIVIDING = "from torch import nn\nclass f(nn.Module):\n    def __init__(self): 1 / 0\n"


class TestPrepare:
    def test_files_under_the_root_without_libraries(self, prepare: Prepare, project: Path) -> None:
        files = loaded_files(prepare("Net", "net"))
        assert files == {name: str(project / f"{name}.py") for name in ("model", "helpers", "spec")}

    @pytest.mark.parametrize(
        ("model", "spec", "file", "line", "word"),
        [
            ("import no_such_package_at_all\n", "", "model.py", 1, "no_such_package_at_all"),
            ("x = 1\ndef f(:\n", "", "model.py", 2, "SyntaxError"),
            ("import sys\nsys.exit(3)\n", "", "model.py", 2, "sys.exit(3)"),
            ("import helper_that_fails\n", "", "helper_that_fails.py", 2, "KeyError"),
            (DIVIDING, "calls = [(1,)]\n", "model.py", 3, "ZeroDivisionError"),
            ("def f(x):\n    return x\n", "calls = 1\n1 / 0\n", "spec.py", 2, "ZeroDivisionError"),
            ("def f(x): pass\n", "def inputs():\n    raise ValueError('no')\n", "spec.py", 2, "ValueError: no"),
        ],
    )
    def test_user_code(
        self, zygote: Zygote, tmp_path: Path, model: str, spec: str, file: str, line: int, word: str
    ) -> None:
        write_files(tmp_path, model=model, spec=spec, helper_that_fails="x = {}\nx['k']\n")
        with pytest.raises(UserCodeError) as raised:
            open_session(zygote, tmp_path, "f")
        assert (raised.value.file, raised.value.line) == (str(tmp_path / file), line)
        assert word in raised.value.message

    def test_a_factory_imports_the_users_module_of_a_library_name_unobserved(
        self, zygote: Zygote, tmp_path: Path
    ) -> None:
        library = """
            import sys
            from torch import nn

            class Box:
                def __init__(self, n):
                    self.n = n

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.box = Box(2)
                def forward(self, x):
                    return x

            Box("at import")
            asking = sys._getframe(1)
            while asking.f_code.co_filename.startswith("<frozen importlib"):
                asking = asking.f_back
            assert asking.f_code.co_name == "make"
        """
        factory = "def make():\n    import colorsys\n    return colorsys.Net()\n"
        write_files(tmp_path, model=factory, colorsys=library, spec="calls = [(1,)]\n")
        seen = observe(open_session(zygote, tmp_path, "make", traced=True), as_scripted=False)
        assert types_at(seen, "Box.__init__", "n") == types_at(seen, "Net.forward", "x") == ["int"]

    def test_our_own_errors_stay_what_they_are(self, prepare: Prepare) -> None:
        with pytest.raises(TargetError, match="has no 'Nett'"):
            prepare("Nett", "net")
        with pytest.raises(SpecError):
            prepare("Net", "no_such_name")
        with pytest.raises(SpecError, match="call 2: 2 positional arguments"):
            prepare("Table", "too_many")


class TestObserve:
    @pytest.mark.parametrize(
        ("session", "slot", "types"),
        [
            (("Net", "net"), ("Net.forward", "n"), ["int"]),  # held-back calls are not observed
            (("Net", "net"), ("scale", "n"), ["int"]),
            (("Net", "net"), ("Net", "last"), ["None"]),
            (("Net", "net"), ("Net", "count"), ["int"]),
            (("Net", "net"), ("Table.__init__", "size"), ["int"]),  # observed in the constructor call
            (("Net", "net"), ("Net.__init__", "self"), []),
            (("Net.encode", "encode"), ("Net.encode", "point"), ["Point[int]"]),
            (("Table", "table"), ("Table.grow", "by"), ["int"]),
            (("deep", "refused"), ("deep", "x"), ["Tensor"]),  # this call must raise
        ],
    )
    def test_types(
        self, seen: Callable[..., Observed], session: tuple[str, str], slot: tuple[str, str], types: list[str]
    ) -> None:
        assert types_at(seen(*session), *slot) == types

    def test_calls_functions_that_calls_name_and_classes_are_named(self, seen: Callable[..., Observed]) -> None:
        observed = seen("Net", "net")
        assert (observed.calls, observed.held_back) == (("plain", "scaled"), ("kept",))
        assert seen("deep", "refused").calls == ("refused",)
        assert seen("collect", "helped").asked_for == ()
        assert [owner.qualname for owner in seen("collect", "named").asked_for] == ["pick", "Table.grow"]
        kinds = {info.name: info.kind for info in seen("Net.encode", "encode").classes}
        assert kinds["model.Point"] is ClassKind.NAMEDTUPLE

    def test_each_task_has_a_model_that_never_ran(
        self, prepare: Prepare, project: Path, seen: Callable[..., Observed]
    ) -> None:
        before = {file: file.read_bytes() for file in project.glob("*.py")}
        assert observe(prepare("Net", "net"), as_scripted=False) == seen("Net", "net")
        assert {file: file.read_bytes() for file in project.glob("*.py")} == before

    def test_example_tensors_stay(self, prepare: Prepare, seen: Callable[..., Observed]) -> None:
        observed = seen("Net.remember", "remember")
        assert types_at(observed, "Net.remember", "x") == ["Tensor"]
        assert {o.type for o in observed.observations if o.slot.name == "last"} == {NONE, TENSOR}
        trial = attempt(prepare("Net.remember", "remember"), Candidate(attributes={}))
        assert "default value" in failure_of(trial).message

    def test_locals_and_branches_for_the_compiler_alone(self, seen: Callable[..., Observed], project: Path) -> None:
        observations = seen("collect", "helped").observations
        (local,) = [o for o in observations if o.slot.kind is SlotKind.LOCAL and o.slot.line]
        line = (project / "helpers.py").read_text().splitlines().index("    found = []") + 1
        assert (local.slot.name, local.slot.line, str(local.type)) == ("found", line, "List[int]")
        assert types_at(seen("collect", "helped"), "only_scripted", "n") == []
        assert types_at(seen("collect", "helped", as_scripted=True), "only_scripted", "n") == ["int"]

    def test_what_the_compiler_alone_enters_prints_nothing(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        write_files(tmp_path, model="def f(x):\n    print('entered')\n    return x\n", spec="inputs = [(1,)]\n")
        with Zygote(timeout=60) as zygote:
            observe(open_session(zygote, tmp_path, "f"), as_scripted=True, heard=True)
        assert capfd.readouterr().err == "entered\n"

    def test_a_call_that_fails_is_named(self, prepare: Prepare, project: Path) -> None:
        with pytest.raises(UserCodeError, match="KeyError: 'mode'") as raised:
            observe(prepare("deep", "one"), as_scripted=False)
        lines = (project / "model.py").read_text().splitlines()
        assert raised.value.file == str(project / "model.py")
        assert lines[raised.value.line - 1] == """    return pick(x, {}["mode"])"""

    @pytest.mark.parametrize(
        ("target", "calls", "said"),
        [
            ("branch", "wrongly_refused", "call 1 is meant to raise, but does not"),
            ("Table", "too_early", "no example call constructs a Table to call 'area' of"),
        ],
    )
    def test_calls_that_cannot_be_observed(self, prepare: Prepare, target: str, calls: str, said: str) -> None:
        with pytest.raises(SpecError, match=said):
            observe(prepare(target, calls), as_scripted=False)


class TestAttempt:
    def test_sources_without_moving_a_line_or_the_compilers_message(self, prepare: Prepare, project: Path) -> None:
        trial = attempt(prepare("pick", "pick"), Candidate())
        assert failure_of(trial).place.file == str(project / "model.py")
        assert [owner.qualname for owner in trial.compiled] == ["pick"]
        session = prepare("pick", "pick")
        sources = edited(project, "model.py", ("pick(x, mode)", "pick(x, mode: str)"))
        trial = attempt(session, Candidate(sources=sources))
        assert trial.ok and judged(trial) == "scripts, answers, answers, saved and loaded"
        assert not attempt(session, Candidate()).ok

    def test_imports_for_annotations(self, prepare: Prepare, project: Path) -> None:
        sources = edited(project, "model.py", ("last_of(items)", "last_of(items: Items[torch.Tensor])"))
        imports = {str(project / "model.py"): ("from typing import List as Items",)}
        session = prepare("last_of", "last_of")
        assert "Unknown type" in failure_of(attempt(session, Candidate(sources=sources))).message
        assert attempt(session, Candidate(sources=sources, imports=imports)).ok

    def test_attributes_in_the_class_body(self, prepare: Prepare, project: Path) -> None:
        file = str(project / "model.py")
        slot = Slot(Owner(file, "Net", 0), SlotKind.ATTRIBUTE, "last")
        annotation = Annotation(slot, TypeExpr("Optional", (TENSOR,)))
        candidate = Candidate(sources=annotated(project), attributes={(file, "Net"): (annotation,)})
        trial = attempt(prepare("Net.remember", "remember"), candidate)
        assert trial.ok, trial.failure
        assert {"Net.forward", "Net.remember", "scale"} <= {owner.qualname for owner in trial.compiled}

    def test_held_back_calls_and_other_answers_judge(self, prepare: Prepare, project: Path) -> None:
        trial = attempt(prepare("Net", "net"), Candidate(sources=annotated(project)))
        assert judged(trial) == "scripts, answers, answers, no: held back, saved and loaded"
        assert failure_of(trial).call == "kept"
        trial = attempt(prepare("branch", "one"), Candidate())
        script, answer = trial.verdicts[:2]
        assert trial.ok and script.failure is None
        assert answer.failure and "differs" in answer.failure.message
        trial = attempt(prepare("Table", "table"), Candidate())
        assert judged(trial) == "scripts, answers, answers, answers, no: answers"
        assert "float" in failure_of(trial).message

    def test_a_fresh_import_over_the_overlay(self, zygote: Zygote, prepare: Prepare, project: Path) -> None:
        edits = ("from helpers", "from typing import List\n\nfrom helpers"), ("(items)", "(items: List[torch.Tensor])")
        sources = edited(project, "model.py", *edits)
        assert attempt(open_session(zygote, project, "last_of", "last_of", sources=sources), Candidate()).ok
        assert not attempt(prepare("last_of", "last_of"), Candidate()).ok
