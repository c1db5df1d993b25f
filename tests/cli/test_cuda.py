"""Models on CUDA: a process that has used CUDA cannot be forked. A fake CUDA refuses to work in forks."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tool import run, write

from pdt_annotate import script
from pdt_annotate.errors import UserError
from pdt_annotate.flows.live_session import IN_USE

FILES = {
    "device.py": """
        import os

        import torch

        users = []

        def use(net):
            users[:] = users or [os.getpid()]
            torch.cuda._initialized = True
            if users != [os.getpid()]:
                raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")
            return net
        """,
    "model.py": """
        import torch
        from torch import nn

        import device

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Linear(3, 3)
                device.use(self)

            def forward(self, x, scale=None):
                if not torch.jit.is_scripting():
                    device.use(self)
                y = x if scale is None else x * scale
                return getattr(self, f"conv{1}")(y)

        class Plain(Net):
            def forward(self, x, scale=None):
                if not torch.jit.is_scripting():
                    device.use(self)
                return x if scale is None else x * scale
        """,
}


@pytest.mark.forks
@pytest.mark.parametrize("options", [("model:Plain",), ("model:Net", "--mend")])
def test_every_process_makes_the_model(options: tuple[str, ...], tmp_path: Path) -> None:
    inputs = "import torch\n\nexample_inputs = [(torch.ones(2, 3),), (torch.ones(2, 3), 2.0)]\n"
    folder = write(tmp_path, FILES | {"inputs.py": inputs})
    done = run(folder, *options, "-i", "inputs.py")
    assert done.returncode == 0, done.stderr
    assert "scale: Optional[float] = None" in (folder / "model.py").read_text()


@pytest.mark.forks
def test_a_live_model_is_sent_to_a_process_that_has_not_used_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(write(tmp_path, FILES))
    monkeypatch.setattr(torch.cuda, "_initialized", False)
    monkeypatch.setattr("pdt_annotate.flows.live_session._is_on_device", lambda obj, inputs: True)
    monkeypatch.delitem(sys.modules, "device", raising=False)
    model = __import__("model")
    examples = [(torch.ones(2, 3),), (torch.ones(2, 3), 2.0)]
    scripted = script(model.Plain(), examples)
    assert torch.equal(scripted(torch.ones(2, 3), 3.0), torch.full((2, 3), 3.0))
    model.Plain.__module__ = "__main__"
    monkeypatch.setattr(sys.modules["__main__"], "Plain", model.Plain, raising=False)
    with pytest.raises(UserError) as refused:
        script(model.Plain(), examples)
    assert refused.value.hint == IN_USE


@pytest.mark.forks
@pytest.mark.parametrize("calls", ["(torch.ones(2),), (torch.ones(2), 3)", "(device.use(torch.ones(2)), 3)"])
def test_an_object_on_the_cpu_needs_no_other_process(
    calls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"import device, torch\n\nexample_inputs = [{calls}]\n"
    double = "def double(x, times=2):\n    return x * times\n"
    files = {"device.py": FILES["device.py"], "inputs.py": spec, "typed_in.py": double}
    monkeypatch.syspath_prepend(write(tmp_path, files))
    monkeypatch.delitem(sys.modules, "device", raising=False)
    monkeypatch.setattr(torch.cuda, "_initialized", "use" not in calls)
    typed_in: Any = __import__("typed_in").double
    typed_in.__module__ = "__main__"
    scripted = script(typed_in, str(tmp_path / "inputs.py"), probe=False)
    assert torch.equal(scripted(torch.ones(2), 4), torch.full((2,), 4.0))
