"""`script()` in a new interpreter; most other tests fork warm ones. test_packaging.py runs the command in a new one."""

import subprocess
import sys
from pathlib import Path

import pytest
import warm_interpreters
from repository import ROOT
from tool import write

NET = "def scale(x, times, mask=None):\n    return x * times if mask is None else x * mask\n"
USE = """
    import torch

    import net
    import pdt_annotate

    if __name__ == "__main__":
        scripted = pdt_annotate.script(net.scale, [(torch.ones(2), 3), (torch.ones(2), 3, torch.zeros(2))])
        print(scripted.schema, scripted(torch.ones(1), 2).tolist())
"""


def test_a_program_scripts_what_has_no_annotations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", warm_interpreters.SystemPopen)
    write(tmp_path, {"net.py": NET, "use.py": USE})
    env = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "use.py"], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "scale(Tensor x, int times, Tensor? mask=None) -> Tensor [2.0]\n"
    assert (tmp_path / "net.py").read_text() == NET
