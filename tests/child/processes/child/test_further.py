"""Traps of a target that verifies, in a real session: with the annotations that it needs, in the user's files alone."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.tasks import PREPARE, look_further
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Candidate, SpecSource

MODEL = """
    import functools
    from typing import List, Optional

    from torch import Tensor, nn


    def halved(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) / 2

        return wrapper


    class Net(nn.Module):
        def forward(self, x, sizes=None):
            return self.decode(x) * len(sizes)

        @halved
        def decode(self, x):
            return x
"""
SPEC = "import torch\n\nexample_inputs = [(torch.ones(1), [1])]\n"


def test_traps_with_the_types_of_a_candidate(tmp_path: Path, zygote: Zygote) -> None:
    file, spec = tmp_path / "model.py", tmp_path / "inputs.py"
    file.write_text(dedent(MODEL))
    spec.write_text(SPEC)
    session = zygote.session(PREPARE, parse(f"{file}:Net"), SpecSource(file=str(spec)), str(tmp_path), {})
    assert [trap.code for trap in look_further(session, Candidate(), 0).traps] == [
        "PDT100"
    ]  # of a Tensor, `len` is right

    annotated = file.read_text().replace("sizes=None", "sizes: Optional[List[int]] = None")
    wrapper, length = look_further(session, Candidate(sources={str(file): annotated.encode()}), 0).traps
    lines = annotated.splitlines()
    assert (wrapper.code, wrapper.place) == ("PDT100", Place(str(file), lines.index("    @halved") + 1, 6))
    assert (length.code, length.place.line) == ("PDT110", wrapper.place.line - 2)
    assert length.owner is not None and length.owner.qualname == "Net.forward"
