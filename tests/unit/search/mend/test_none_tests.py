"""Tests for truth that become comparisons with None."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.none_tests import RULE
from pdt_annotate.values.mends import Held, HeldValue
from pdt_annotate.values.types import NONE, TypeExpr

LAYER = HeldValue("torch.nn.modules.linear.Linear", always_true=True)
LAYERS = HeldValue("torch.nn.modules.container.ModuleList", length=2)
PAIR = HeldValue("builtins.tuple", length=2)
NOTHING = HeldValue("builtins.NoneType", literal="None")
CLASS = "class Net(nn.Module):\n    def forward(self, x, scale=None):\n        {}\n        return x\n"


def mended(folder: Path, line: str, attribute: Held, types: tuple[TypeExpr, ...] = ()) -> str:
    """The line once it is mended."""
    module = Mended(folder, CLASS.format(line), {"Net": {"down": attribute}}, types={"Net.forward": {"scale": types}})
    return module.apply(RULE).splitlines()[2].strip()


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("if self.down: pass", held("1", "0")),
        ("if self.down: pass", held("None", "3")),
        ("if self.down: pass", Held((HeldValue("torch.Tensor"),))),
        ("if self.down: pass", Held((LAYER,), lacking=True)),
        ("if self.down: pass", Held((HeldValue("builtins.list", length=2),))),
        ("if self.down: pass", Held((LAYER, LAYERS))),
        ("if self.down: pass", Held()),
        ("if self.other: pass", Held((LAYER,))),
        ("x = self.down or x", Held((LAYER, NOTHING))),
        ("if self.down is None: pass", Held((LAYER, NOTHING))),
        ("if x: pass", held("1")),
        ("if scale is not None and scale: pass", held("1")),
        ("if scale is None or not scale: pass", held("1")),
        ("y = 1 if scale is not None and not (x and scale) else 2", held("1")),
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str, attribute: Held) -> None:
    assert mended(tmp_path, line, attribute) == line


@pytest.mark.parametrize(
    ("line", "attribute", "after"),
    [
        ("if self.down: pass", Held((LAYER, NOTHING)), "if self.down is not None: pass"),
        ("if self.down: pass", Held((NOTHING,)), "if self.down is not None: pass"),
        ("if not self.down: pass", Held((LAYER,)), "if self.down is None: pass"),
        ("x = 1 if self.down and x else 2", Held((LAYER,)), "x = 1 if self.down is not None and x else 2"),
        ("while self.down or x: pass", Held((LAYERS,)), "while len(self.down) > 0 or x: pass"),
        ("if not self.down: pass", Held((PAIR,)), "if len(self.down) == 0: pass"),
        (
            "if not self.down and x: pass",
            Held((PAIR, NOTHING)),
            "if (self.down is None or len(self.down) == 0) and x: pass",
        ),
        ("if scale: pass", Held(), "if scale is not None and scale: pass"),
        ("if x or scale: pass", Held(), "if x or (scale is not None and scale): pass"),
        ("if not scale: pass", Held(), "if scale is None or not scale: pass"),
        ("y = [i for i in x if scale]", Held(), "y = [i for i in x if scale is not None and scale]"),
    ],
)
def test_what_is_mended(tmp_path: Path, line: str, attribute: Held, after: str) -> None:
    assert mended(tmp_path, line, attribute) == after


def test_a_tuple_is_asked_for_its_length(tmp_path: Path) -> None:
    types = (NONE, TypeExpr("tuple", (TypeExpr("int"),)))
    assert mended(tmp_path, "if scale: pass", Held(), types) == "if scale is not None and len(scale) > 0: pass"
