"""What a Python is lent: ours first, the rest last, and only to ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pdt_annotate.interpreters import lending

LEND = "import sys; sys.path.insert(0, {here!r}); import lending; lender = lending.lend({place!r}, {lent!r})\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A package of our name that uses two others; the one of them is installed as well, the other is not."""
    files = {
        "tool/pdt_annotate/__init__.py": "import sys; sys.ours = True\n",
        "tool/pdt_annotate/uses.py": "import rare, common\n",
        "tool/rare.py": "import helper\n",
        "tool/helper.py": "",
        "tool/common.py": "WHOSE = 'the tool'\n",
        "site/common.py": "WHOSE = 'the environment'\n",
        "site/pdt_annotate/__init__.py": "import sys; sys.theirs = True\n",
        "site/pdt_annotate/uses.py": "raise AssertionError\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(place: Path, program: str, before: str = "") -> str:
    tool = str(place / "tool")
    here = str(Path(lending.__file__).parent)
    lent = dict.fromkeys(("rare", "helper", "common"), tool)
    code = before + LEND.format(here=here, place=tool, lent=lent) + program
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(place / 'site')!r})\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().rpartition("\n")[2]


def test_to_others_what_is_lacking_is_lacking_still(place: Path) -> None:
    assert run(place, "import rare") == "ModuleNotFoundError: No module named 'rare'"
    assert run(place, "import importlib.util as u; print(u.find_spec('rare'))") == "None"


def test_ours_comes_first_and_what_is_lent_last(place: Path) -> None:
    assert run(place, "import pdt_annotate.uses, common; print(common.WHOSE)") == "the environment"
    assert run(place, "import pdt_annotate.uses; print('helper' in sys.modules)") == "True"
    for before in ("", "import pdt_annotate\n"):
        shown = run(place, "import pdt_annotate.uses; print(pdt_annotate.__file__)", before)
        assert shown == str(place / "tool/pdt_annotate/__init__.py")
    said = run(place, "sys.meta_path.remove(lender); import pdt_annotate.uses")
    assert said == "ModuleNotFoundError: No module named 'rare'", "it ends when the lender is taken away"
