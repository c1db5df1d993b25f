"""`verify --against`: edits that change the behaviour of a model, and edits that do not."""

import subprocess
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from drafted import write

from pdt_annotate.emit.words import judgement
from pdt_annotate.flows import against
from pdt_annotate.flows.against import read_earlier, verify_against
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import SpecSource

MODEL = """
    import torch
    from torch import nn

    sep = "/"

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.shape[0] == 1:
                raise ValueError("too few")
            self.count += 1
            return self.layer(x).relu() * 2.0

        def encode(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x)
    """
INPUTS = """
    import torch
    from pdt_annotate import Call

    example_inputs = [Call((torch.ones(2, 3),)), Call((torch.ones(1, 3),), raises=True)]
    """
EDITS = {
    "another operator": (".relu()", ".clamp(min=0)", ""),
    "a message": ("too few", "too few rows", ""),
    "a name that moves": ('sep = "/"', "from os import sep", ""),
    "a base class": (MODEL, MODEL.replace("Net(", "Base(") + "\n    class Net(Base):\n        pass\n", ""),
    "an answer": (".relu()", ".abs()", "the result differs"),
    "an error": ('raise ValueError("too few")', "x = x * 2", "ValueError"),
    "an effect": ("self.count += 1", "pass", "count"),
    "a name": ("def encode(", "def _encode(", "`Net.encode` no longer exists"),
    "a key": ('"count", torch.zeros(())', '"count", torch.zeros(()), persistent=False', "no longer has `count`"),
    "a new key": (
        "self.layer = nn",
        "self.other = self.layer = nn",
        "cannot be loaded, because it lacks `other.weight`",
    ),
    "a way": (
        "return self.layer(x)",
        "return (lambda y: y)(self.layer(x))",
        "capturing with `script` succeeded before",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write(tmp_path_factory.mktemp("against"), {"net.py": MODEL, "inputs.py": INPUTS})
    for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
        subprocess.run(("git", *words), cwd=made, check=True)
    return made


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_judged(zygote: Zygote, folder: Path, edit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against, "WAYS", "script")
    old, new, said = EDITS[edit]
    text = dedent(MODEL.replace(old, new, 1))
    write(folder, {"net.py": text})
    options = Options(
        (parse(f"{folder}/net.py:Net"),), SpecSource(str(folder / "inputs.py")), str(folder), against="HEAD"
    )
    outcome = verify_against(options, zygote)
    failures = [each.failure for each in outcome.verdicts if not each.ok and each.failure]
    assert outcome.verified is (not said) is (not failures)
    assert not said or any(said in each.message for each in failures), failures
    assert not said or {each.place.line for each in failures} == {text[: text.index(new)].count("\n") + 1}


def test_earlier_files_are_those_of_a_revision_or_a_directory(zygote: Zygote, folder: Path, tmp_path: Path) -> None:
    write(folder, {"net.py": MODEL + "\n    more = 1\n", "new.py": "def f(x):\n    return x\n"})
    write(tmp_path, {"net.py": MODEL})
    for before in ("HEAD", str(tmp_path)):
        assert list(read_earlier(before, str(folder))[0]) == [f"{folder}/net.py"]
    for revision, said in (("nowhere", "is not a directory, and git"), ("-x", "is not a revision")):
        with pytest.raises(UserError, match=f"--against: {revision} {said}"):
            read_earlier(revision, str(folder))
    options = Options((parse(f"{folder}/new.py:f"),), SpecSource(args=("3",)), str(folder), against="HEAD")
    assert judgement(verify_against(options, zygote)).endswith("new.py:f is new: HEAD has no new.py")
    with pytest.raises(UserError, match=r"the directory .* has no new"):
        verify_against(replace(options, against=str(tmp_path)), zygote)


def test_results_that_no_run_repeats_are_no_evidence(zygote: Zygote, folder: Path) -> None:
    model = "import os\n\ndef f(x):\n    return x * {} + int.from_bytes(os.urandom(2), 'big')\n"
    write(folder / "before", {"draws.py": model.format(1)})
    write(folder, {"draws.py": model.format(2)})
    targets = (parse(f"{folder}/draws.py:f"),)
    options = Options(targets, SpecSource(args=("f32[2]",)), str(folder), against=str(folder / "before"))
    with pytest.raises(UserError, match="cannot be judged: the unchanged model behaves differently"):
        verify_against(options, zygote)
