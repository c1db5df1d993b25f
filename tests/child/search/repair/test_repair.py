"""Repair with the real compiler's messages: slots that stay without annotation, and the annotations that are found."""

import functools
import re
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from repaired_module import HEAD, TWICE, Case, Repaired, options_for, search
from repository import ROOT

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.repair import REPAIRERS
from pdt_annotate.values.slots import Origin, SlotKind

TABLES = sorted((ROOT / "tests" / "cases" / "repair").glob("*.py"))
CASES: Mapping[str, Case] = {
    f"{table.stem}: {name}": case for table in TABLES for name, case in runpy.run_path(str(table))["CASES"].items()
}

DOCUMENTED = {
    **{"abstract": "unseen: abstract, overrides", "branch_types": "unseen: branches"},
    **{"empty_containers": "repair: variables and containers", "defaults": "repair: defaults"},
    **{"hooks": "attributes: hooks", "quoted": "attributes: quoted", "script_classes": "attributes: script classes"},
    **{"tolist": "unseen: lists", "variables": "repair: variables and containers"},
}
"""By repairer, the case with the first example of its docstring: a message of the compiler, or code."""

Run = Callable[[str], Repaired]


@pytest.fixture(scope="module")
def run(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The search for a case, by name. Each search runs once."""

    @functools.cache
    def run(name: str) -> Repaired:
        case = CASES[name]
        return search(zygote, options_for(tmp_path_factory.mktemp("model"), case.head + case.source, case.calls))

    return run


@pytest.mark.parametrize("name", CASES)
def test_a_module_verifies_with_these_annotations(name: str, run: Run) -> None:
    repaired = run(name)
    assert repaired.step.trial.ok, repaired.step.trial.failure
    assert repaired.said == CASES[name].expected
    assert not repaired.trials.makes_code


@pytest.mark.parametrize(("repairer", "name"), DOCUMENTED.items())
def test_the_example_of_a_docstring_is_said_by_the_compiler_or_written(repairer: str, name: str, run: Run) -> None:
    (documented,) = (each for each in REPAIRERS if each.__name__ == f"propose_{repairer}")
    quoted = re.search(r"`([^`]+)`", documented.__doc__ or "")
    assert quoted
    repaired = run(name)
    written = [change.after.decode() for change in repaired.outcome.changes]
    said = [annotation.because for annotation in repaired.step.plan.in_order()]
    assert any(re.search(_pattern(quoted[1]), text, re.DOTALL) for text in (*said, *written, CASES[name].source))


def _pattern(example: str) -> str:
    """A regular expression for an example, in which names, types and `…` match any others."""
    escaped = re.escape(example).replace("…", ".*")
    escaped = re.sub(r"'[^']*'", "'.+?'", escaped)
    escaped = re.sub(r"\\\(.*\\\)", r"\(.*\)", escaped)
    return re.sub(r"\b(helper|argument\\ '.+?'|[A-Za-z])\b", r".+?", escaped)


def test_a_table_is_written_for_text_and_what_was_never_filled_is_a_guess(run: Run) -> None:
    (change,) = run("attributes: quoted").outcome.changes
    assert b"    __annotations__ = {" in change.after and change.after.count(b"__annotations__") == 1
    (change,) = run("attributes: script classes").outcome.changes
    assert b"        self.sizes: List[int] = []\n" in change.after and b"        self.first = []\n" in change.after
    outcome = run("attributes: guessed").outcome
    origins = {a.slot.name: a.origin for a in outcome.annotations if a.slot.kind is SlotKind.ATTRIBUTE}
    assert origins == {"extra": Origin.GUESS, "offset": Origin.GUESS}
    assert [f.code for f in outcome.findings] == ["PDT031", "PDT031"]


def test_each_stub_of_an_overload_takes_its_share_and_a_hook_needs_nothing(run: Run) -> None:
    outcome = run("attributes: overloads").outcome
    by_line = {(a.slot.owner.line, a.slot.name): str(a.type) for a in outcome.annotations}
    sizes = [type_ for (_, name), type_ in sorted(by_line.items()) if name == "size"]
    assert sorted(sizes[:2]) == ["Tuple[int, int]", "int"] and sizes[2] == "Union[int, Tuple[int, int]]"
    assert [type_ for (_, name), type_ in sorted(by_line.items()) if name == "x"][3:5] == [
        "List[Tensor]",
        "Union[List[Tensor], Tensor]",
    ]
    assert outcome.unreached == () and outcome.findings == ()
    assert run("attributes: hooks").outcome.findings == ()


BLOCK = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = []
    def forward(self, x):
        self.items.append({})
        return x
"""
TWO_BLOCKS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Block(), other.Block()
    def forward(self, x):
        return self.two(self.one(x))
"""


def test_files_apart_with_one_class_name(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(HEAD + BLOCK.format('"a"'))
    source = HEAD + "import other\n" + BLOCK.format("1") + TWO_BLOCKS
    outcome = search(zygote, options_for(tmp_path, source, TWICE)).outcome
    types = {a.slot.owner.file: str(a.type) for a in outcome.annotations if a.slot.kind is SlotKind.ATTRIBUTE}
    assert types == {str(tmp_path / "model.py"): "List[int]", str(tmp_path / "other.py"): "List[str]"}


MADE = """
    import importlib.util
    import inspect
    import sys
    import tempfile

    import torch
    from torch import Tensor, nn

    SOURCE = '''
    from typing import *
    from torch import Tensor

    def run(self, x: Tensor, scale: {type}) -> Tensor:
        return self.step(x, scale)
    '''

    PACKED = '''
    from typing import *
    from torch import Tensor

    class Arguments(NamedTuple):
        x: Tensor
        scale_i: {type}

    def pick(x: Tensor) -> Optional[Tensor]:
        if x.size(0) > 100:
            return None
        return x

    def run(self, x: Tensor) -> Tensor:
        given = Arguments(x, pick(x))
        return self.step(given.x, given.scale_i)
    '''

    def make_run(cls, source=SOURCE):
        annotation = inspect.signature(cls.step).parameters["scale_i"].annotation
        type_ = "Tensor" if annotation is inspect.Parameter.empty else str(annotation)
        type_ = type_.replace("torch.Tensor", "Tensor").replace("typing.", "")
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
            file.write(inspect.cleandoc(source).format(type=type_))
        spec = importlib.util.spec_from_file_location("made_" + cls.__name__, file.name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.run

    def parts(x):
        if x.size(0) > 100:
            return x, None
        return x, x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            type(self).run = make_run(type(self))
        def forward(self, x):
            x, scale = parts(x)
            return self.run(x, scale)
        def step(self, x, scale_i):
            return x if scale_i is None else x * scale_i

    class Packed(nn.Module):
        def __init__(self):
            super().__init__()
            type(self).run = make_run(type(self), PACKED)
        def forward(self, x):
            return self.run(x)
        def step(self, x, scale_i):
            return x if scale_i is None else x * scale_i
"""


@pytest.mark.parametrize("name", ["Net", "Packed"])
def test_the_method_that_it_was_made_of(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # the model writes to a folder next to the project
    (tmp_path / "project").mkdir()
    repaired = search(zygote, options_for(tmp_path / "project", MADE, names=[name]))
    assert repaired.trials.makes_code
    assert repaired.step.trial.ok, repaired.step.trial.failure
    assert f"{name}.step.scale_i: Optional[Tensor]" in repaired.said
