"""The main flow, with the real compiler: annotations that do not change Python's behaviour, and mends."""

import ast
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import repaired_module
from drafted import write

from pdt_annotate.flows.annotate import Judged, ObservedTargets, Solution
from pdt_annotate.flows.from_files import FilesRun, annotate
from pdt_annotate.inputs.target import parse
from pdt_annotate.mends import rules
from pdt_annotate.mends.kit.blocks import is_for_python, when_scripted
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.mended import Mended
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.problems import find_any_plan
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.settings.options import Options
from pdt_annotate.source.syntax import called_name, nodes_in
from pdt_annotate.values import mends
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendKind, MendLevel
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.verdicts import EAGER, Blame


def options_for(folder: Path, target: str, spec: SpecSource, **given: Any) -> Options:
    return Options((parse(f"{folder}/{target}"),), spec, str(folder), no_probe=True, **given)


COUNTED = """
    import torch

    class Base(torch.nn.Module):
        def __init_subclass__(cls):
            cls.typed = {typed}

    class Net(Base):
        def __init__(self):
            super().__init__()
            self.start = float(type(self).typed)
        def forward(self, x, n):
            return x * n + self.start
"""

UNLIKE = """
    import os
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.empty(3))
            with torch.no_grad():
                self.weight.fill_(int.from_bytes(os.urandom(4), "little") / 2**32)
            {more}
        def forward(self, x, n):
            return x * self.weight * n {plus}
"""

POINTS = """
    from typing import NamedTuple
    import importlib
    import torch
    {before}

    class Point(NamedTuple):
        x: torch.Tensor
        n: int

    {after}
"""

USES = """
    from . import points

    def use(p):
        return p.x * p.n

    def f(x, n):
        return use(points.Point(x, n))
"""


def judged_in_python(zygote: Zygote, folder: Path, target: str) -> tuple[Outcome, list[str]]:
    """The outcome, and the verdict on annotations that change Python's behaviour."""
    outcome = annotate(options_for(folder, target, SpecSource(args=("f32[3]", "2"))), zygote)
    failures = (verdict.failure for verdict in outcome.verdicts if verdict.judge == EAGER)
    return outcome, [failure.message for failure in failures if failure]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (COUNTED.format(typed="len(vars(cls))"), ""),
        (UNLIKE.format(more="", plus=""), ""),
        (UNLIKE.format(more="self.seed = os.urandom(4)[0]", plus="+ self.seed"), ""),
        (COUNTED.format(typed="len(cls.forward.__annotations__)"), "in Python, the result differs"),
    ],
    ids=["annotations not read", "other weights each time", "other attributes each time", "annotations counted"],
)
def test_a_program_does_in_python_what_it_did(source: str, said: str, zygote: Zygote, tmp_path: Path) -> None:
    outcome, told = judged_in_python(zygote, write(tmp_path, {"model.py": source}), "model.py:Net")
    assert outcome.is_sound is not bool(said)
    assert said or (outcome.verified and outcome.changes)
    assert [said in each for each in told] == [True] * bool(said)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "from . import uses", ""),
        ("from . import uses", "", ""),
        ('uses = importlib.import_module("pkg.uses")', "", "importing pkg.points before all other modules fails"),
    ],
    ids=["none that the imports show", "one that the imports show", "one that no import shows"],
)
def test_modules_in_a_circle(before: str, after: str, said: str, zygote: Zygote, tmp_path: Path) -> None:
    points = POINTS.format(before=before, after=after)
    write(tmp_path, {"pkg/__init__.py": "", "pkg/points.py": points, "pkg/uses.py": USES})
    outcome, told = judged_in_python(zygote, tmp_path, "pkg/uses.py:f")
    assert (outcome.verified, [said in each for each in told]) == (not said, [True] * bool(said))
    if before and not said:
        assert b'p: "points.Point"' in outcome.changes[0].after


MODEL = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def forward(self, x, cache=None):
            found, count = {}, 0
            size: int
            if x.dim() > 1:
                size = x.size(1)
            else:
                size = 1
            found[size] = x
            return found[size] + count
        def other(self, x):
            a, b = {}, x
            size: int
            size = 2
            return a, b, size
"""
PLAIN = MODEL.replace("found, count = {}, 0", "found = {}\n            count = 0").replace(
    "            size: int\n", ""
)

# A model that only scripts with a mend that leaves code out.
SCRIPTED = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def forward(self, x, n=None):
            if not repr(x):
                raise TypeError("x")
            return x
"""

# The failure moves from one branch to the next, which has the same line.
BRANCHES = """
    from torch import nn

    class Net(nn.Module):
        def __init__(self, kind="none"):
            super().__init__()
            self.kind = kind
            if kind != "none":
                self.last = nn.ReLU()

        def forward(self, x, n=None):
            if self.kind == "one":
                x = self.last(x)
            elif self.kind == "two":
                x = x + 1
                x = self.last(x)
            elif self.kind == "three":
                x = x + 2
                x = self.last(x)
            return x
"""

GROWING = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(2, 2, bias=False) for _ in range(2))
            for layer in self.layers:
                torch.nn.init.zeros_(layer.weight)
        def forward(self, x, y=None):
            xs = list(x.chunk(1))
            xs.extend(layer(xs[-1]) for layer in self.layers)
            return xs[-1]
"""

UNREAD = """
    import torch

    class Net(torch.nn.Module):
        def forward(self, x, y: torch.Tensor = None):
            return x + 1
"""

VIEW = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        def forward(self, x, y=None):
            z = self.b(self.a(x[None]))
            z += x
            w = self.b(self.a(z[None]))
            w += x
            return w if x.dim() > 1 else self.log(w)
        @torch.jit.ignore
        def log(self, w: torch.Tensor) -> torch.Tensor:
            return w
"""

COUNTING = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))
        def forward(self, x, y=None):
            return max([x + 0 * self.count.add_(1)], key=len)
"""

INPUTS = """
    import torch

    example_inputs = [(torch.ones(3, 2),), (torch.ones(1, 2), None)]
"""

Mend = Callable[..., Outcome]


@pytest.fixture(scope="module")
def mend(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Mend:
    """Annotate a model with mends of a level. Calls with the same arguments share one run."""

    @functools.cache
    def mend(model: str, level: MendLevel | None, also_run: tuple[str, ...] = ()) -> Outcome:
        folder = write(tmp_path_factory.mktemp("mended"), {"model.py": model, "inputs.py": INPUTS})
        spec = SpecSource(str(folder / "inputs.py"))
        return annotate(options_for(folder, "model.py:Net", spec, mend=level, also_run=also_run), zygote)

    return mend


def test_nothing_is_mended_without_need_or_without_being_asked(mend: Mend) -> None:
    outcome = mend(PLAIN, MendLevel.ALL)
    assert (outcome.verified, outcome.mends, outcome.advised) == (True, (), None)
    outcome = mend(MODEL, None)
    assert (outcome.verified, outcome.changes) == (False, ())
    assert outcome.advised is not None
    assert outcome.advised.level is MendLevel.EXACT
    assert {mend.rewrite for mend in outcome.advised.mends} == {"split_names"}
    assert outcome.advised.added > outcome.advised.removed > 0


ASKS_FOR_A_TUPLE = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

    def forward(self, x, n=None):
        z = ()
        for layer in self.layers:
            z += (layer(x),)
        return self.first(z)

    def first(self, z):
        return z[0] + 1 if isinstance(z, tuple) else z[0] - 1
"""


@pytest.mark.parametrize("asked", ["", "torch.jit.is_scripting()\n"])
def test_results_may_differ_on_purpose_only_if_the_author_asks(mend: Mend, asked: str) -> None:
    outcome = mend(f"import torch\nfrom torch import nn\n\n{asked}\n{ASKS_FOR_A_TUPLE}", MendLevel.EXACT)
    assert outcome.verified is bool(asked)


@pytest.mark.parametrize(("scripted", "verified"), [("x + 0 * self.count.add_(1)", True), ("x", False)])
def test_what_only_the_last_check_shows_may_differ_on_purpose_only_if_the_author_asks(
    mend: Mend, monkeypatch: pytest.MonkeyPatch, scripted: str, verified: bool
) -> None:
    def find(site: FunctionContext) -> Iterator[mends.Mend]:
        called = next(node for node in nodes_in(site.node, ast.Call) if called_name(node) == "max")
        if not is_for_python(site, called):
            yield site.mend(called, "mend", [when_scripted(site, called, scripted)])

    monkeypatch.setattr(rules, "MEND_RULES", (MendRule("faulty", MendKind.EXACT, anything, find),))
    assert mend(f"{COUNTING}    # {scripted}\n", MendLevel.EXACT).verified is verified


def test_exact_mends_are_made_where_the_compiler_reads(mend: Mend) -> None:
    outcome = mend(MODEL, MendLevel.EXACT)
    assert outcome.verified
    (change,) = outcome.changes
    after = change.after.decode()
    assert "found: Dict[int, torch.Tensor] = {}\n        count = 0\n        if x.dim()" in after
    assert "a, b = {}, x\n        size: int\n" in after
    assert {(mend.owner.qualname, mend.place.line) for mend in outcome.mends} == {
        ("Net.forward", 8),
        ("Net.forward", 7),
    }
    assert all(mend.because for mend in outcome.mends)
    judges = {verdict.judge for verdict in outcome.verdicts}
    assert {"undone", "public names", "calls fit", "behaves as before"} <= judges
    assert change.before == Path(change.file).read_bytes()
    pieces, last = [], 0
    for edit in sorted(change.edits, key=lambda edit: edit.offset):
        pieces += [change.before[last : edit.offset], edit.text.encode()]
        last = max(last, edit.end)
    assert b"".join((*pieces, change.before[last:])) == change.after


def test_a_line_that_fails_in_each_of_several_branches_is_another_failure_each_time(mend: Mend) -> None:
    outcome = mend(BRANCHES, MendLevel.EXACT)
    assert outcome.verified
    assert [mend.rewrite for mend in outcome.mends] == ["untaken_branches"] * 3


@pytest.mark.parametrize("level", [None, MendLevel.EXACT])
def test_what_only_the_last_check_shows_is_mended_or_the_mend_is_advised(mend: Mend, level: MendLevel | None) -> None:
    outcome = mend(VIEW, level)
    assert outcome.verified is (level is not None)
    mends = outcome.mends or (outcome.advised.mends if outcome.advised else ())
    assert [(each.rewrite, each.place.line) for each in mends] == [("assignments", 10), ("assignments", 12)]


def test_what_the_compiler_reads_in_another_way_is_mended_although_the_results_are_the_same(mend: Mend) -> None:
    outcome = mend(GROWING, MendLevel.EXACT)
    assert outcome.verified
    assert [(each.rewrite, each.place.line) for each in outcome.mends] == [("growing_lists", 12)]
    outcome = mend(UNREAD, MendLevel.EXACT)
    assert outcome.verified and [each.rewrite for each in outcome.mends] == ["wide_annotations"]


def test_what_a_level_does_not_allow_is_advised_and_what_is_left_out_told(mend: Mend) -> None:
    outcome = mend(SCRIPTED, MendLevel.EXACT)
    assert not outcome.verified and outcome.advised is not None
    assert outcome.advised.level is MendLevel.ALL
    (mended,) = outcome.advised.mends
    assert (mended.rewrite, mended.kind) == ("eager_checks", MendKind.SCRIPTED)
    assert mended.left_out


@pytest.mark.parametrize(
    "refused",
    ["torch.distributions.Bernoulli(x).sample()", "x + len(list(self.parameters()))"],
    ids=["object", "method"],
)
def test_what_a_library_or_the_call_of_the_scripted_model_refuses_is_mended(mend: Mend, refused: str) -> None:
    body = f"if x.dim() > 2:\n                x = {refused}\n            return x"
    outcome = mend(f"{SCRIPTED.partition('x, n')[0]}x: float, n=None):\n            {body}\n", MendLevel.ALL)
    assert outcome.verified
    assert {mend.rewrite for mend in outcome.mends} == {"untaken_branches", "wide_annotations"}


def test_commands_of_the_project_must_still_succeed_if_they_did(mend: Mend) -> None:
    bare = "import importlib.util as u; assert 'size: int\\\\n' in u.find_spec('model').loader.get_source('model')"
    commands = tuple(f'{sys.executable} -c "{text}"' for text in ("import sys", bare))
    outcome = mend(MODEL.partition("    def other")[0], MendLevel.EXACT, commands)
    assert not outcome.verified
    assert [each.ok for each in outcome.verdicts if each.judge == "also runs"] == [True, False]
    with pytest.raises(UserError, match="before anything is changed"):
        mend(MODEL, MendLevel.EXACT, (f'{sys.executable} -c "import nothing"',))


KEPT_CALLS = "(torch.ones(2, 3), 2), (torch.ones(4, 3), 3)"
KEPT_MODEL = """
    import torch
    from torch import nn

    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

    class Sound(Base):
        def forward(self, x, n):
            self.last = x
            return x * n

    class Wrong(nn.Module):
        def forward(self, x, n):
            return x + 1 if isinstance(True, int) else x * n

    class Idle(nn.Module):
        def forward(self, x, n):
            return x * n

    def halve(n):
        return n // 2

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.sound, self.wrong, self.idle = Sound(), Wrong(), Idle()
        def forward(self, x, n, **rest):
            return self.wrong(self.sound(x, n), halve(n))
"""


def keep(zygote: Zygote, folder: Path, *targets: str) -> tuple[Judged, tuple[Blame, ...]]:
    """What is kept with the parts that it is for, and the blame of all."""
    options = replace(repaired_module.options_for(folder, KEPT_MODEL, KEPT_CALLS, targets), write_partial=True)
    trials = repaired_module.observe(zygote, options)
    step, blame = repair_parts(trials, find_any_plan(trials))
    assert not step.trial.ok
    mended, observed = Mended(trials.evidence.project), ObservedTargets(trials.runs, trials)
    solution = Solution(observed, mended, trials, step, blame=blame)
    return FilesRun(options=options, zygote=zygote).keep_parts(solution), blame


def test_only_what_answers_alike_is_kept(zygote: Zygote, tmp_path: Path) -> None:
    judged, (blame,) = keep(zygote, tmp_path, "Net")
    assert [part.path for part in judged.kept] == ["sound", "halve"]
    (change,) = judged.rendered.changes
    text = change.after.decode()
    assert "\n    last: Optional[torch.Tensor]\n" in text  # mended by itself: the whole fails before it is reached
    assert "def forward(self, x: torch.Tensor, n: int):\n        self.last = x\n" in text
    assert "def halve(n: int):" in text
    assert text.count("def forward(self, x, n):") == 2  # Wrong, and Idle that no example calls
    assert "def forward(self, x, n, **rest):" in text
    sound = {part.path: part.is_sound for part in blame.parts}
    assert sound == {"": False, "sound": True, "wrong": False, "idle": True}


def test_a_target_that_works_is_kept_beside_one_that_fails(zygote: Zygote, tmp_path: Path) -> None:
    judged, _ = keep(zygote, tmp_path, "Sound", "Net")
    assert [(part.path, part.name) for part in judged.kept] == [("", "Sound"), ("sound", "Sound"), ("halve", "halve")]
