"""Models whose traces are right, those that nothing can be done about, and those that a diff makes right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows.trace_mend import mend_trace
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome

SPEC = """
    import torch
    from pdt_annotate import Call

    example_inputs = [
        Call((torch.ones(3, 2),)),
        Call((-torch.ones(5, 2),)),
        Call((torch.full((7, 2), -2.0),), held_back=True),
    ]
"""

HEAD = "import torch\nfrom torch import nn\n\n\n"

PLAIN = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x):
            return torch.relu(self.layer(x))
"""

LAYERS = PLAIN.replace("return torch.relu(self.layer(x))", "return self.layer(x) if x.sum() > 0 else x")

MIXED = """
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


    def count(x, steps):
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

Run = Callable[[str], Outcome]


@pytest.fixture
def run(tmp_path: Path, zygote: Zygote) -> Run:
    def run(source: str) -> Outcome:
        (tmp_path / "model.py").write_text(HEAD + dedent(source))
        (tmp_path / "spec.py").write_text(dedent(SPEC))
        target = parse(str(tmp_path / "model.py:Net"))
        return mend_trace(Options((target,), spec_source(str(tmp_path / "spec.py"), ()), str(tmp_path)), zygote, target)

    return run


def test_a_trace_that_answers_right_needs_nothing(run: Run) -> None:
    outcome = run(PLAIN)
    assert outcome.verified and not (outcome.changes or outcome.findings)


def test_what_calls_layers_is_told_and_nothing_is_shown(run: Run) -> None:
    outcome = run(LAYERS)
    assert not outcome.verified and not outcome.changes
    assert {finding.code for finding in outcome.findings} == {"PDT088"}
    (told,) = [each for each in outcome.findings if "layer" in each.message]
    assert told.place.line == 12 and told.message.endswith(": it calls `self.layer`")


def test_branches_and_loops_are_compiled_while_tracing(run: Run) -> None:
    outcome = run(MIXED)
    assert outcome.verified and [mend.rewrite for mend in outcome.mends] == ["script_if_tracing"] * len(outcome.mends)
    (change,) = outcome.changes
    after = change.after.decode()
    compile(after, "model.py", "exec")
    assert dedent(LOOP).strip() in after
    assert {verdict.judge for verdict in outcome.verdicts} >= {
        "parses",
        "stable",
        "undone",
        "behaves as before",
        "trace answers",
        "traces alike",
    }
