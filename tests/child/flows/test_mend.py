"""Models that annotations alone do not make scriptable: mended, advised, or left as they are."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows.annotate import annotate
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendKind, MendLevel
from pdt_annotate.values.outcome import Outcome

MODEL = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.key = nn.Linear(2, 2)

        def forward(self, x, cache=None):
            found, count = {}, 0
            size: int
            if x.dim() > 1:
                size = x.size(1)
            else:
                size = 1
            found[size] = self.look(x, cache)
            return found[size] + count

        def look(self, x, cache=None):
            if cache is None or self.key not in cache:
                return self.key(x)
            return cache[self.key]

        def other(self, x):
            a, b = {}, x
            size: int
            size = 2
            return a, b, size
"""

PLAIN_LOOK = ("self.key not in cache", "x is None"), ("cache[self.key]", "cache")
PLAIN_WORDS = ("found, count = {}, 0", "found = {}\n            count = 0"), ("            size: int\n", "")


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


EXACT = replaced(MODEL, *PLAIN_LOOK)
"""What only exact mends make scriptable; `SCRIPTED`, what only those that leave something out do."""
SCRIPTED = replaced(MODEL, *PLAIN_WORDS)
PLAIN = replaced(MODEL, *PLAIN_LOOK, *PLAIN_WORDS)

SPEC = """
    import torch

    example_inputs = [(torch.ones(3, 2),), (torch.ones(1, 2), None)]
"""

Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def run(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Annotate a model with mends of some level; with the same ones once."""

    @functools.cache
    def run(model: str, level: MendLevel | None, also_run: tuple[str, ...] = ()) -> Outcome:
        folder = tmp_path_factory.mktemp("mended")
        (folder / "model.py").write_text(dedent(model))
        (folder / "inputs.py").write_text(dedent(SPEC))
        target, spec = parse(f"{folder}/model.py:Net"), spec_source(str(folder / "inputs.py"), ())
        given = {"write_back": WriteBack.DIFF, "mend": level, "no_probe": True, "also_run": also_run}
        return annotate(Options((target,), spec, str(folder), **given), zygote)  # type: ignore[arg-type]

    return run


def text(outcome: Outcome) -> str:
    return outcome.changes[0].after.decode()


def test_what_annotations_can_do_is_not_mended(run: Run) -> None:
    outcome = run(PLAIN, MendLevel.ALL)
    assert outcome.verified
    assert outcome.mends == ()
    assert outcome.advised is None


def test_without_being_asked_nothing_is_mended_but_told(run: Run) -> None:
    outcome = run(EXACT, None)
    assert not outcome.verified
    assert outcome.changes == ()
    assert outcome.advised is not None
    assert outcome.advised.level is MendLevel.EXACT
    assert {mend.rewrite for mend in outcome.advised.mends} == {"bare_declarations", "joint_assignments"}
    assert outcome.advised.added > outcome.advised.removed > 0


def test_exact_mends_are_made_where_the_compiler_reads(run: Run) -> None:
    outcome = run(EXACT, MendLevel.EXACT)
    assert outcome.verified
    assert "found: Dict[int, torch.Tensor] = {}\n        count = 0\n        if x.dim()" in text(outcome)
    assert "a, b = {}, x\n        size: int\n" in text(outcome)
    assert {(mend.owner.qualname, mend.place.line) for mend in outcome.mends} == {
        ("Net.forward", 12),
        ("Net.forward", 13),
    }
    assert all(mend.because for mend in outcome.mends)
    judges = [verdict.judge for verdict in outcome.verdicts]
    assert {"undone", "public names", "calls fit", "behaves as before"} <= set(judges)


def test_the_change_is_one_of_the_file_on_disk(run: Run) -> None:
    change = run(EXACT, MendLevel.EXACT).changes[0]
    assert change.before == Path(change.file).read_bytes()
    pieces, last = [], 0
    for edit in sorted(change.edits, key=lambda edit: edit.offset):
        pieces += [change.before[last : edit.offset], edit.text.encode()]
        last = max(last, edit.end)
    assert b"".join((*pieces, change.before[last:])) == change.after


def test_what_a_level_does_not_allow_is_advised(run: Run) -> None:
    outcome = run(SCRIPTED, MendLevel.EXACT)
    assert not outcome.verified
    assert outcome.advised is not None
    assert outcome.advised.level is MendLevel.ALL


def test_what_is_left_out_of_the_scripted_model_is_told(run: Run) -> None:
    outcome = run(SCRIPTED, MendLevel.ALL)
    assert outcome.verified
    assert {m.rewrite for m in outcome.mends if m.kind is MendKind.SCRIPTED} == {"none_parameters"}
    assert all(mend.left_out for mend in outcome.mends if mend.kind is MendKind.SCRIPTED)


def test_commands_of_the_project_must_still_succeed(run: Run) -> None:
    source = "import inspect, model; assert 'size: int' in inspect.getsource(model.Net.forward)"
    commands = tuple(f'{sys.executable} -c "{text}"' for text in ("import model", source))
    outcome = run(EXACT, MendLevel.EXACT, commands)
    assert not outcome.verified
    assert [each.ok for each in outcome.verdicts if each.judge == "also runs"] == [True, False]


def test_a_command_that_fails_anyway_says_nothing_of_the_changes(run: Run) -> None:
    with pytest.raises(UserError, match="before anything is changed"):
        run(EXACT, MendLevel.EXACT, (f'{sys.executable} -c "import nothing"',))
