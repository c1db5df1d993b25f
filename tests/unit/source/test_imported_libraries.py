"""The installed packages that a program imports first."""

from pathlib import Path
from typing import ClassVar

import pytest

from pdt_annotate.source.imported_libraries import libraries_of
from pdt_annotate.source.imports import Sources

INSTALLED = (
    "site-packages/one/__init__.py",
    "site-packages/one/part.py",
    "site-packages/two.py",
    "site-packages/sub.py",
    "site-packages/torch/nn.py",
    "site-packages/torch/fx.py",
)
FILES = {
    "net.py": "from pkg import layers\nfrom .away import x\n",
    "pkg/__init__.py": "",
    "pkg/layers.py": "from . import inner\nimport net\n",
    "pkg/inner.py": "import one.part, torch.nn, os\nfrom missing import x\n",
    "sub.py": "import two\n",
    "both.py": "import sub\ntry:\n    from one import part, x\nexcept ImportError:\n    import two\n",
    "late.py": "import one\nif one:\n    import two\n\n\ndef f():\n    import two\n",
    "reads.py": "import os, sys, one\nflag = os.environ.get('FLAG')\nme = sys.modules[__name__]\n",
    "moves.py": "import sys\nsys.path.insert(0, 'vendor')\nimport one\n",
    "adds.py": "import sys\nsys.path += ['vendor']\nimport one\n",
    "sets.py": "import os\nos.environ['FLAG'] = '1'\nimport one\n",
    "mocks.py": "import sys\nsys.modules['one'] = None\nimport reads, one\n",
    "broken.py": "import one\n)",
    "quotes.py": '"""\nimport two\n"""\nfrom torch import (\n    nn, fx\n)\nimport one, \\\n  sub  # import two\n',
}


@pytest.mark.parametrize(
    ("file", "found", "root"),
    [
        ("net.py", "one one.part", ""),
        ("both.py", "two one one.part", ""),
        ("late.py", "one", ""),
        ("broken.py", "one", ""),
        ("quotes.py", "one torch.fx two", ""),
        ("reads.py", "one", ""),
        *((f"{name}.py", "", "") for name in ("moves", "adds", "sets", "mocks", "nowhere")),
        ("site-packages/one/__init__.py", "two", "site-packages/one"),
    ],
)
def test_what_a_program_imports_first(tmp_path: Path, file: str, found: str, root: str) -> None:
    for name, text in (FILES | dict.fromkeys(INSTALLED, "import two, one.part\n")).items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    sources = Sources(str(tmp_path / root), [str(tmp_path / "site-packages")])
    assert sorted(libraries_of([str(tmp_path / file)], sources)) == sorted(found.split())


def test_of_many_modules_of_the_project_only_the_first_are_looked_for(tmp_path: Path) -> None:
    package = tmp_path / "many"
    package.mkdir()
    for number in range(300):
        (package / f"m{number}.py").write_text("from many import m0\n")
    (package / "__init__.py").write_text("".join(f"from many.m{number} import *\n" for number in range(300)))

    class Counting(Sources):
        asked: ClassVar[list[str]] = []

        def file_of(self, module: str, folder: str = "") -> str:
            self.asked.append(module)
            return super().file_of(module, folder)

    assert libraries_of([str(package / "__init__.py")], Counting(str(tmp_path), [])) == ()
    assert len(Counting.asked) < 250
