"""Methods that a class makes from the annotations of its others: what the compiler says of them ends in the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from repaired_module import options_for, search

from pdt_annotate.processes.zygote import Zygote

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


@pytest.mark.parametrize(("name", "makes_code"), [("Written", False), ("Net", True), ("Packed", True)])
def test_the_method_that_it_was_made_of_takes_what_is_passed(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, makes_code: bool
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what the model writes lies beside the project
    (tmp_path / "project").mkdir()
    repaired = search(zygote, options_for(tmp_path / "project", MODEL, names=[name]))
    assert repaired.trials.makes_code is makes_code
    assert repaired.step.trial.ok, repaired.step.trial.failure
    assert f"{name}.step.scale_i: Optional[Tensor]" in repaired.said
