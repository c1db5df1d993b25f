"""Properties that nothing compiled reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.unused_properties import RULE
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure

MODULE = """\
class Net:
{}    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, x):
        return {}
"""
FAILURE = Failure("no", "RuntimeError", Place("model.py", 4))


def mended(folder: Path, body: str = "", value: str = "x", name: str = "Net.device") -> str:
    module = Mended(folder, MODULE.format(body, value), failures={name: FAILURE})
    return module.files.add(module.find(RULE), module.project).project.source(module.file).decode()


@pytest.mark.parametrize(
    ("body", "value", "name"),
    [
        ("", "x.to(self.device)", "Net.device"),
        ("", "x", "Net.forward"),
        ("    __jit_unused_properties__ = NAMES\n", "x", "Net.device"),
        ('    __jit_unused_properties__ = ["device"]\n', "x", "Net.device"),
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str, value: str, name: str) -> None:
    assert mended(tmp_path, body, value, name) == MODULE.format(body, value)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("", '    __jit_unused_properties__ = ["device"]\n\n'),
        ('    """Doc."""\n\n', '    """Doc."""\n\n    __jit_unused_properties__ = ["device"]\n\n'),
        (
            '    __jit_unused_properties__ = ["other"]\n',
            '    __jit_unused_properties__ = ["other", "device"]\n',
        ),
    ],
)
def test_the_class_names_it(tmp_path: Path, body: str, after: str) -> None:
    assert mended(tmp_path, body) == MODULE.format(after, "x")
