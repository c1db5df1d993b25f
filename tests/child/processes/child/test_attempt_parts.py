"""The parts of a target, compiled alone in child processes of one zygote."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import PREPARE, attempt_part, return_types
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.runs import Candidate, SpecSource
from pdt_annotate.values.slots import Owner

MODEL = """
    import torch
    from torch import nn

    def repeat(x, n):
        return x.repeat(n)

    def double(x):
        return x * 2, x.size(0)

    @torch.jit.ignore
    def ignored(x) -> int:
        return 1

    class Small(nn.Module):
        def forward(self, x):
            return repeat(x, 2)

    class Large(nn.Module):
        def __init__(self):
            super().__init__()
            self.small = Small()
        def forward(self, x):
            return self.small(x), self.label(x)
        def label(self, x):
            return "large"

    class Wide(Small):
        def __init__(self):
            super().__init__()
            self.others = nn.Sequential(nn.ReLU(), nn.ReLU())

    class Unused(nn.Module):
        def forward(self, x):
            return x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.large = Wide(), Large()
        def forward(self, x):
            ignored(x)
            return double(self.large(x)[0])

    class Plain:
        def method(self, x):
            return x
"""

Prepare = Callable[[str], Session]
ANNOTATED = ("def repeat(x, n):", "def repeat(x, n: int):")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    (folder / "model.py").write_text(dedent(MODEL).lstrip())
    (folder / "spec.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2),)]\n")
    return folder


@pytest.fixture(scope="module")
def prepare(zygote: Zygote, project: Path) -> Prepare:
    def make(target: str) -> Session:
        place = parse(f"{project / 'model.py'}:{target}")
        return zygote.session(PREPARE, place, SpecSource(str(project / "spec.py")), str(project), {})

    return make


@pytest.fixture(scope="module")
def net(prepare: Prepare) -> Session:
    return prepare("Net")


@pytest.fixture
def owner(project: Path) -> Callable[[str], Owner]:
    """A function of the model, with the line of its definition."""

    def find(qualname: str) -> Owner:
        lines = (project / "model.py").read_text().splitlines()
        name = qualname.rpartition(".")[2]
        start = next((n for n, line in enumerate(lines) if line.startswith(f"class {qualname.split('.')[0]}")), 0)
        line = next(n for n, line in enumerate(lines) if n >= start and line.strip().startswith(f"def {name}("))
        return Owner(str(project / "model.py"), qualname, line + 1)

    return find


@pytest.fixture
def annotated(project: Path) -> Candidate:
    source = (project / "model.py").read_text()
    assert ANNOTATED[0] in source
    return Candidate(sources={str(project / "model.py"): source.replace(*ANNOTATED).encode()})


Find = Callable[[str], Owner]


class TestAttemptPart:
    def test_no_part(self, net: Session, prepare: Prepare, owner: Find, project: Path) -> None:
        gone = Owner(str(project / "model.py"), "make.<locals>.inner", 1)
        whole, unused, no_module = map(owner, ("Net.forward", "Unused.forward", "Plain.method"))
        for place in (whole, unused, no_module, gone, Owner("elsewhere.py", "double", 1)):
            assert attempt_part(net, Candidate(), place) is None
        assert attempt_part(prepare("double"), Candidate(), owner("Small.forward")) is None

    def test_the_smallest_part_that_has_the_function(self, net: Session, owner: Find, annotated: Candidate) -> None:
        trial = attempt_part(net, Candidate(), owner("double"))
        assert trial.ok
        assert [verdict.judge for verdict in trial.verdicts] == ["scripts"]
        assert trial.compiled == (owner("double"),)
        trial = attempt_part(net, annotated, owner("Small.forward"))
        assert trial.ok
        assert trial.compiled == (owner("Small.forward"), owner("repeat"))

    def test_a_fault_is_shown_by_the_part(self, net: Session, owner: Find, project: Path) -> None:
        trial = attempt_part(net, Candidate(), owner("Small.forward"))
        assert trial is not None and trial.failure is not None
        place = trial.failure.place
        assert (place.file, place.line) == (str(project / "model.py"), owner("Small.forward").line + 1)
        assert "'n'" in trial.failure.message
        assert [each.qualname for each in trial.compiled] == ["Small.forward", "repeat"]

    def test_a_failed_attempt_leaves_the_session_alone(self, net: Session, owner: Find, annotated: Candidate) -> None:
        first = attempt_part(net, Candidate(), owner("Large.forward"))
        assert not first.ok
        assert attempt_part(net, annotated, owner("Large.forward")).ok
        assert attempt_part(net, Candidate(), owner("Large.forward")) == first


class TestReturnTypes:
    def test_as_the_compiler_has_them(self, net: Session, owner: Find, annotated: Candidate, prepare: Prepare) -> None:
        types = return_types(net, annotated)
        ours = {each: type_ for each, type_ in types.items() if each.file == owner("double").file}
        assert ours == {
            owner("Net.forward"): "Tuple[Tensor, int]",
            owner("Large.forward"): "Tuple[Tensor, str]",
            owner("Large.label"): "str",
            owner("Small.forward"): "Tensor",
            owner("double"): "Tuple[Tensor, int]",
            owner("repeat"): "Tensor",
        }
        assert return_types(prepare("double"), Candidate()) == {owner("double"): "Tuple[Tensor, int]"}


def end(argument: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.forks
class TestInFork:
    def test_the_result_or_none_where_it_did_not_return(self) -> None:
        items = [1]
        no_pickle: Callable[[object], object] = lambda argument: lambda: argument  # noqa: E731
        for task in (items.index, end, no_pickle, items.append):
            assert in_fork(task, 2) is None
        assert items == [1]
        assert in_fork(sorted, [3, 1, 2]) == [1, 2, 3]
        assert in_fork(lambda size: b"x" * size, 1 << 20) == b"x" * (1 << 20)
