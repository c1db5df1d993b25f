"""Captures, files for torch.export, and changes that make a trace right, with the real torch."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from drafted import write

from pdt_annotate.captures.table import EXPORTER
from pdt_annotate.flows.captures import captures, export
from pdt_annotate.flows.trace_mend import mend_trace
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.capture_results import Captures, Fate
from pdt_annotate.values.errors import UserError, VerificationError
from pdt_annotate.values.exports import Exported
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.verdicts import STILL_SCRIPTS


@pytest.fixture(scope="module")
def ready() -> Iterator[Zygote]:
    """A zygote whose sessions have imported the modules that torch imports for its first trace or export."""
    with Zygote(timeout=120) as zygote, pytest.MonkeyPatch.context() as patch:
        zygote.import_libraries((EXPORTER,))
        session = zygote.session
        patch.setattr(zygote, "session", lambda *args, **how: session(*args, **{**how, "with_libraries": True}))
        yield zygote


def options_for(folder: Path, target: str, spec: str, calls: str = "", **given: Any) -> Options:
    return Options((parse(f"{folder}/{target}"),), SpecSource(str(folder / spec), calls), str(folder), **given)


CALLS = """
    import torch
    from pdt_annotate import Call

    example_inputs = [
        Call((torch.ones(3, 2),)),
        Call((-torch.ones(5, 2),)),
        Call((torch.full((7, 2), -2.0),), held_back=True),
    ]
"""

MIXED = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.scale = 0.5
        def forward(self, x):
            x = self.layer(x)
            steps = x.size(0)
            # A loop over a size.
            for step in range(steps):
                x = x + step * self.scale
            if x.sum() > 0:
                return x * 2
            return count(x, steps)

    class Layered(Net):
        def forward(self, x):
            return self.layer(x) if x.sum() > 0 else x

    def count(x, steps: int):
        while x.abs().max() < steps:
            x = x * 2
        return x
"""

LOOP = """
    @torch.jit.script_if_tracing
    def _forward_loop(x: torch.Tensor, scale: float):
        steps = x.size(0)
        # A loop over a size.
        for step in range(steps):
            x = x + step * scale
"""


def test_branches_and_loops_are_compiled_while_tracing(ready: Zygote, tmp_path: Path) -> None:
    write(tmp_path, {"model.py": MIXED, "spec.py": CALLS})
    options = options_for(tmp_path, "model.py:Net", "spec.py")
    outcome = mend_trace(options, ready, options.targets[0], print, options.budget)
    assert outcome.verified and {mend.rewrite for mend in outcome.mends} == {"script_if_tracing"}
    (change,) = outcome.changes
    after = change.after.decode()
    compile(after, "model.py", "exec")
    assert dedent(LOOP).strip() in after
    judges = {"parses", "stable", "undone", "behaves as before", "trace answers", "traces alike", STILL_SCRIPTS}
    assert judges <= {verdict.judge for verdict in outcome.verdicts}


def test_what_calls_layers_cannot_be_compiled_while_tracing(ready: Zygote, tmp_path: Path) -> None:
    write(tmp_path, {"model.py": MIXED, "spec.py": CALLS})
    options = options_for(tmp_path, "model.py:Layered", "spec.py")
    outcome = mend_trace(options, ready, options.targets[0], print, options.budget)
    assert not outcome.verified and not outcome.changes
    assert {finding.code for finding in outcome.findings} == {"PDT088"}
    (told,) = [each for each in outcome.findings if each.message.endswith(": it calls `self.layer`")]
    assert told.place.line == 22 and ", and nothing around it can be" in told.message


CAPTURED = """
    import ctypes
    import torch
    from torch import nn

    class Scale(nn.Module):
        def forward(self, x, n=2):
            return x * n

    class Plain(nn.Module):
        def forward(self, x: torch.Tensor):
            return x * 2

    class Named(nn.Module):
        def forward(self, x, **options):
            return x * 2

    class Crashing(nn.Module):
        def forward(self, x):
            if torch.jit.is_tracing():
                ctypes.string_at(0)
            return x + 1

    example_inputs = [(torch.ones(2),)]
    none = []
"""

Capture = Callable[..., tuple[Captures, ...]]


@pytest.fixture
def capture(ready: Zygote, tmp_path: Path) -> Capture:
    """The captures of a class of the model, in the named ways."""
    write(tmp_path, {"model.py": CAPTURED})

    def capture(name: str, *ways: str, calls: str = "", said: list[str] | None = None) -> tuple[Captures, ...]:
        options = options_for(tmp_path, f"model.py:{name}", "model.py", calls, ways=ways)
        return captures(options, ready, ([] if said is None else said).append)

    return capture


def fates(found: Captures) -> list[Fate]:
    return [each.fate for each in found.captures]


def test_what_does_not_script_as_it_is_may_do_so_annotated(capture: Capture, tmp_path: Path) -> None:
    said: list[str] = []
    as_it_is, annotated = capture("Scale", "script", "fx", said=said)
    assert (as_it_is.version, annotated.version) == ("as it is", "annotated")
    assert (fates(as_it_is), fates(annotated)) == ([Fate.REFUSED, Fate.SAME], [Fate.SAME, Fate.SAME])
    assert "capturing as it is with torch.jit.script" in said
    assert any(each.startswith("annotating: ") for each in said)
    assert (tmp_path / "model.py").read_text() == dedent(CAPTURED)


def test_the_user_hears_of_what_is_not_there_or_crashes(capture: Capture) -> None:
    (plain,) = capture("Plain", "script")
    assert (fates(plain), plain.note) == ([Fate.SAME], "no annotation is needed, so the annotated version is the same")
    (named,) = capture("Named", "script", "trace")
    assert fates(named) == [Fate.REFUSED, Fate.SAME]
    why = "there is no annotated version: verification failed with all annotations; Compiled functions can't take"
    assert named.note.startswith(why) and "model.py:15" in named.note
    as_it_is, *_ = capture("Crashing", "trace", "fx")
    crashed, other = as_it_is.captures
    assert crashed.failure is not None and "SIGSEGV" in crashed.failure.message
    assert other.fate is Fate.SAME
    with pytest.raises(UserError) as raised:
        capture("Plain", "scirpt")
    assert raised.value.hint == "did you mean script?"
    with pytest.raises(UserError, match="no example call"):
        capture("Plain", "fx", calls="none")


EXPORTED = """\
import torch
from torch import nn
from typing import NamedTuple

class State(NamedTuple):
    hidden: torch.Tensor
    cells: list

class Recurrent(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Embedding(9, width)
    def forward(self, batch, state, *, times, scale=1.0):
        x = self.embed(batch["ids"]) * scale + state.hidden * times
        return {"x": x, "state": State(x, [cell + x for cell in state.cells])}

class Shift(nn.Module):
    def forward(self, x, y, mask=None):
        out = x[:, 1:] - y
        return out if mask is None else out.masked_fill(mask, 0.0)

def gate(x):
    return x * 2 if x.sum() > 0 else x

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return x * self.calls

def mix(*xs, **options):
    out = sum(xs)
    return out if out.shape[0] > 4 else out * options["gain"]
"""

SHAPES = """\
import torch
from pdt_annotate import Call

randn = torch.randn
shift = [
    (randn(2, 6), randn(2, 5)),
    (randn(3, 9), randn(3, 8)),
    (randn(3, 4), randn(3, 3), None),
    Call((randn(2, 6), randn(2, 5)), {"mask": torch.zeros(2, 5, dtype=torch.bool)}, name="masked"),
]
twice = [(randn(2, 3),), (randn(2, 3),)]
mixed = [Call((randn(n, 2), randn(n, 2)), {"gain": 2.0}) for n in (2, 5, 8)]
"""

OF_RECURRENT = """\
import torch
from torch import randn
from model import Recurrent, State
from pdt_annotate import Call

def model():
    return Recurrent(4)

def step(size, times, **how):
    state = State(randn(size, 4), [randn(size, 4), randn(size, 4)])
    batch = {"ids": torch.randint(0, 9, (size,))}
    return Call((batch, state), {"times": times, "scale": 0.5}, **how)

def calls():
    return [step(3, 3), step(1, 3), step(20, 3), step(8, 3, held_back=True, name="eight"), step(2, 9, held_back=True)]
"""

Export = Callable[[str, str, str], Exported]


@pytest.fixture(scope="module")
def exported(ready: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The export of a target on calls of a spec."""
    files = {"model.py": EXPORTED, "spec.py": SHAPES, "recurrent.py": OF_RECURRENT}
    folder = write(tmp_path_factory.mktemp("exported"), files)

    def run(target: str, spec: str, calls: str) -> Exported:
        options = options_for(folder, f"model.py:{target}", spec, calls, output=str(folder / "x.py"))
        (exported,) = export(options, ready, "pdt-annotate …", print)
        return exported

    return run


def test_nested_arguments_of_sizes_that_vary(exported: Export) -> None:
    found = exported("Recurrent", "recurrent.py", "calls")
    assert found.served == ("call 1", "call 2", "call 3", "eight")
    assert [each.message for each in found.findings] == ["`call 5`: `times` is 9, not 3"]
    for line in (
        "import recurrent\n",
        "from model import State\n",
        'batch = Dim("batch", min=1, max=20)\n',
        '"ids": torch.',  # tensors with many elements are random
        *('    "batch": {"ids": {0: batch}},\n', '    "state": State({0: batch}, [{0: batch}, {0: batch}]),\n'),
        *('    "times": None,\n', '    "scale": None,\n', "    module = recurrent.model()\n"),
    ):
        assert line in found.text


def test_a_relation_that_torch_asks_for_and_a_call_of_another_structure(exported: Export) -> None:
    found = exported("Shift", "spec.py", "shift")
    assert found.served == ("call 1", "call 2", "call 3")
    assert 'y_1 = Dim("y_1", min=3, max=8)\nx_1 = y_1 + 1  # as torch.export asked\n' in found.text
    assert {each.code: each.message for each in found.findings} == {
        "PDT098": "`x_1` is `y_1 + 1`: the code requires this relation between them",
        "PDT096": "`masked`: `mask` is a 2-d torch.bool tensor, not None",
    }


def test_a_function_of_any_arguments_and_the_branch_of_most_calls(exported: Export) -> None:
    found = exported("mix", "spec.py", "mixed")
    assert found.served == ("call 2", "call 3")
    assert "    def forward(self, xs_0, xs_1, *, gain):\n        return mix(xs_0, xs_1, gain=gain)\n" in found.text
    assert 'batch = Dim("batch", min=5, max=8)\n' in found.text


def test_what_torch_does_not_take_and_an_answer_that_differs(exported: Export) -> None:
    said = r"(?s)torch.export does not accept \S*model.py:gate: .*value of a tensor.*at \S*model.py:23"
    with pytest.raises(VerificationError, match=said):
        exported("gate", "spec.py", "twice")
    said = "model.py:Counter differs from eager mode on the call `call 2`"
    with pytest.raises(VerificationError, match=said):
        exported("Counter", "spec.py", "twice")
