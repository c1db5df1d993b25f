"""Methods that a class makes from the annotations of its others: what the compiler says of them ends in the others."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows import annotate as flow
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options

MODEL = """
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


    class Written(nn.Module):
        def forward(self, x):
            x, scale = parts(x)
            return self.run(x, scale)

        def run(self, x, scale):
            return self.step(x, scale)

        def step(self, x, scale_i):
            return x if scale_i is None else x * scale_i
"""


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Options]:
    """By name of the target; what the model writes lies beside it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    model, spec = tmp_path / "project" / "model.py", tmp_path / "project" / "inputs.py"
    model.parent.mkdir()
    model.write_text(dedent(MODEL).lstrip())
    spec.write_text("import torch\n\nexample_inputs = [(torch.ones(2),)]\n")
    source = spec_source(str(spec), ())
    names = ("Net", "Packed", "Written")
    return {name: Options((parse(f"{model}:{name}"),), source, str(model.parent)) for name in names}


@pytest.mark.parametrize(("name", "makes_code"), [("Written", False), ("Net", True)])
def test_the_run_tells_whether_code_was_made(
    zygote: Zygote, options: dict[str, Options], name: str, makes_code: bool
) -> None:
    _, runs = observe_targets(options[name], zygote, lambda text: None)
    assert [run.observed.makes_code for run in runs] == [makes_code]


@pytest.mark.parametrize("name", ["Written", "Net", "Packed"])
def test_the_method_that_it_was_made_of_takes_what_is_passed(
    zygote: Zygote, options: dict[str, Options], name: str
) -> None:
    outcome = flow.annotate(options[name], zygote)
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts]
    types = {(a.slot.owner.qualname, a.slot.name): str(a.type) for a in outcome.annotations}
    assert types[f"{name}.step", "scale_i"] == "Optional[Tensor]"
