"""Branches that no instance takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.dead_branches import RULE
from pdt_annotate.source.expressions import INT
from pdt_annotate.values.mends import Held
from pdt_annotate.values.places import Place
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure

HEAD = (
    "import torch\ndef exists(v):\n    return v is not None\nclass Net:\n    def forward(self, x, mask=None, **kw):\n"
)
SEEN: dict[str, tuple[TypeExpr, ...]] = {"x": (TENSOR,), "mask": (NONE,)}
HELD = {"flag": held("False"), "width": held("4"), "training": held("False"), "mixed": held("1", "2")}


def mended(
    folder: Path, body: str, seen: Mapping[str, tuple[TypeExpr, ...]] = SEEN, holding: dict[str, Held] = HELD
) -> str:
    """What becomes of the body of a method, in which the compiler stops at the line with `bad` in it."""
    source = HEAD + "".join(f"        {line}\n" for line in body.split("|"))
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "bad" in text)
    failure = Failure("no", place=Place(str(folder / "model.py"), line))
    module = Mended(folder, source, {"Net": holding}, types={"Net.forward": seen}, failures={"Net.forward": failure})
    found = module.find(RULE)
    assert all(mend.left_out for mend in found)
    return module.files.add(found, module.project).project.source(module.file).decode().removeprefix(HEAD)


@pytest.mark.parametrize(
    "body",
    [
        "if x is not None:|    bad(x)",
        "if mask is None:|    bad(x)",
        "if mask is None:|    pass|else:|    return bad(x)",
        "if self.training:|    bad(x)",
        "if self.mixed == 1:|    bad(x)",
        "if self.unknown:|    bad(x)",
        "if other(mask):|    bad(x)",
        "mask = x|if mask is not None:|    bad(x)",
        "for i in x:|    if mask is not None:|        bad(x)|    mask = i",
        "for i in x:|    if self.flag:|        bad(x)|        break",
        "if self.flag:|    return bad(x)",
        "if self.flag: bad(x)",
        "if self.flag:|    bad(kw)",
        "if self.flag:|    super().bad()",
        "if self.flag:|    x = 1|    while x:|        y = bad(x)|    x = 2|return y",
        'if self.flag:|    bad("""|a""")',
        "bad(x)|if self.flag:|    print(x)",
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str) -> None:
    assert mended(tmp_path, body).rstrip("\n").replace("\n        ", "|").removeprefix("        ") == body


def test_a_name_that_had_a_value_decides_nothing(tmp_path: Path) -> None:
    body = "if mask is not None:|    bad(x)"
    assert "_forward" not in mended(tmp_path, body, {"mask": (NONE, TENSOR)})
    assert "_forward" not in mended(tmp_path, body, {})


@pytest.mark.parametrize(
    "test",
    [
        "mask is not None",
        "mask",
        "exists(mask)",
        "not (mask is None)",
        "exists(mask) or self.flag",
        "x.any() and exists(mask)",
    ],
)
def test_what_decides(tmp_path: Path, test: str) -> None:
    assert f"if {test}:\n            self._forward_with_mask(x)" in mended(tmp_path, f"if {test}:|    bad(x)")


def test_what_a_branch_binds_is_given_back(tmp_path: Path) -> None:
    assert mended(tmp_path, "y = x|if self.flag:|    # why|    y = bad(x)  # so|    z = y|return y", {}) == (
        "        y = x\n"
        "        if self.flag:\n"
        "            # why\n"
        "            y = self._forward_with_flag(x)\n"
        "        return y\n"
        "\n"
        "    @torch.jit.unused\n"
        "    def _forward_with_flag(self, x):\n"
        "        y = bad(x)  # so\n"
        "        z = y\n"
        "        return y\n"
    )


def test_the_other_branch_and_types(tmp_path: Path) -> None:
    seen = {"n": (INT,), "x": (TENSOR,)}
    after = mended(tmp_path, "n = 1|if self.width:|    n = 2|else:|    n = bad(n)|    x = x + n|return x, n", seen)
    assert "            n, x = self._forward_without_width(n, x)\n" in after
    assert "def _forward_without_width(self, n, x) -> Tuple[int, torch.Tensor]:\n" in after
    assert "        n = bad(n)\n        x = x + n\n        return n, x\n" in after


def test_a_name_is_taken_once(tmp_path: Path) -> None:
    assert "self._forward_with_flag_2(x)" in mended(
        tmp_path, "if self.flag:|    bad(self._forward_with_flag, x)|print(x)"
    )
