"""Functions that no example enters."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.unused_functions import RULE
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure

SOURCE = """\
class Net:
    def forward(self, x):
        return self.{}(x)

    # Slow.
{}    def {}(self, x):
        return max(x, key=len)
"""


def mended(folder: Path, source: str, entered: tuple[str, ...], line: int = 7) -> str:
    file = str(folder / "model.py")
    failure = Failure("no", "RuntimeError", Place(file, line), (Place(file, 3),))
    names = [part.partition("(")[0].strip() for part in source.split("def ")[1:]]
    failures = {f"Net.{names[-1]}": failure}
    module = Mended(folder, source, entered=entered, failures=failures)
    return module.files.add(module.find(RULE), module.project).project.source(module.file).decode()


@pytest.mark.parametrize(
    ("name", "decorator", "entered"),
    [
        ("search", "", ("Net.forward", "Net.search")),
        ("search", "    @cache\n", ("Net.forward",)),
        ("__call__", "", ("Net.forward",)),
    ],
)
def test_what_is_left_alone(tmp_path: Path, name: str, decorator: str, entered: tuple[str, ...]) -> None:
    source = SOURCE.format(name, decorator, name)
    assert mended(tmp_path, source, entered, line=7 + bool(decorator)) == source


def test_what_no_example_enters_is_marked(tmp_path: Path) -> None:
    after = "import torch\n\n\n" + SOURCE.format("search", "    @torch.jit.unused\n", "search")
    assert mended(tmp_path, SOURCE.format("search", "", "search"), ("Net.forward",)) == after
