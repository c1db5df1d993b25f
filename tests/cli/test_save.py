"""`save`, and `verify` and `graph` of a saved file, on the command line."""

import zipfile
from pathlib import Path

import pytest
from tool import run, write

MODEL = "import torch\n\n\ndef f(x, k=2):\n    return torch.relu(x) * k\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"model.py": MODEL, "other.pt": "no archive"})


def test_a_saved_file_can_be_verified_and_shown(project: Path) -> None:
    call = ("-a", "f32[2,3]", "-a", "k=3")
    done = run(project, "save", "model.py:f", *call, "-o", "f.pt", "--cpp", "cpp")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "wrote f.pt; loaded without your project, the file returns the model's results on 1 call" in done.stderr
    assert (project / "model.py").read_text() == MODEL
    assert {each.name for each in (project / "cpp").iterdir()} == {"CMakeLists.txt", "main.cpp", "f.pt", "calls.pt"}
    assert any(name.endswith("/pdt-annotate.json") for name in zipfile.ZipFile(project / "f.pt").namelist())
    verified = run(project, "verify", "f.pt", *call)
    assert (verified.returncode, "f.pt is right" in verified.stderr) == (0, True)
    write(project, {"model.py": MODEL.replace("relu", "neg")})
    verified = run(project, "verify", "f.pt", *call)
    assert (verified.returncode, "changed since the file was saved: model.py" in verified.stderr) == (3, True)
    assert "relu" in run(project, "graph", "f.pt").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("save", "model.py:f", "-a", "f32[2]"), "`save` needs the name of the file to write"),
        (("save", "model.py:f", "model.py:g", "-a", "f32[2]", "-o", "f.pt"), "2 targets are given"),
        (("save", "model.py:f", "-a", "f32[2]", "-o", "f.pt", "--allow", "all"), "must be baked, not 'all'"),
        (("save", "model.py:f", "-a", "f32[2]", "-o", "f.pt2", "--freeze"), "--freeze needs a TorchScript file"),
        (("save", "model.py:f", "-a", "f32[2]", "-o", "."), "directory"),
        (("verify", "other.pt", "-a", "f32[2]"), "not a file that `pdt-annotate save` wrote"),
        (("verify", "none.pt", "-a", "f32[2]"), "cannot read the file: No such file or directory"),
        (("verify", "other.pt", "other.pt"), "one saved file at a time"),
        (
            ("verify", "model.py:f", "-a", "f32[2]", "--against", "HEAD"),
            "--against: HEAD is not a directory, and git reports: not a git repository",
        ),
        (("graph", "other.pt"), "other.pt has no graph to show"),
    ],
)
def test_mistakes_are_named(project: Path, words: tuple[str, ...], said: str) -> None:
    done = run(project, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
