"""A saved file returns the model's results in C++, or in Python if there is no C++ compiler."""

import re
import shutil
import subprocess
from pathlib import Path

import torch
from projects import environment, run_tool, scratch
from tally import WRONG, Means, Tally

LEAST = 5

MODELS = Path(__file__).parents[2] / "helpers" / "data" / "captured"
NAMES = ("plain_cnn", "optional_mask", "dict_in_out", "data_branch", "list_attribute", "script_if", "shape_loop")
TORCH = Path(torch.__file__).parent


def run(means: Means, tally: Tally) -> None:
    with scratch() as folder:
        program: Path | None = None
        for name in NAMES[: means.times(len(NAMES))]:
            source = (MODELS / f"{name}.py").read_text()
            cls = re.findall(r"^class (\w+)\(nn\.Module\)", source, re.MULTILINE)[-1]
            file = shutil.copy(MODELS / f"{name}.py", folder)
            words = ("save", f"{file}:{cls}", "-i", str(file), "-o", f"{name}.pt", "--cpp", name)
            saved = run_tool(words, folder, environment(folder / "home"))
            program = program or compile_in(folder / name)
            fell = [(WRONG, saved.said)] if saved.code else []
            if program:
                made = [program, folder / name / f"{name}.pt", folder / name / "calls.pt"]
                ran = subprocess.run(made, capture_output=True, text=True)
                fell += [(WRONG, ran.stdout + ran.stderr)] if ran.returncode else []
            tally.count(name, *fell)


def compile_in(folder: Path) -> Path | None:
    """The program that runs the file; None without a compiler."""
    if shutil.which("c++") is None or not (folder / "main.cpp").exists():
        return None
    include = TORCH / "include"
    flags = [f"-I{include}", f"-I{include / 'torch/csrc/api/include'}", f"-L{TORCH / 'lib'}", "-Wl,--no-as-needed"]
    libraries = ["-ltorch", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{TORCH / 'lib'}"]
    program = folder / "run_saved"
    subprocess.run(["c++", "-std=c++20", "-O0", "main.cpp", "-o", program, *flags, *libraries], cwd=folder, check=True)
    return program
