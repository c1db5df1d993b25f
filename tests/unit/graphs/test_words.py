"""Names that people read."""

from __future__ import annotations

import pytest

from pdt_annotate.graphs import words
from pdt_annotate.graphs.words import accessed, cut
from pdt_annotate.values.graphs import GraphValue


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        ("aten::_convolution", "convolution"),
        ("aten::layer_norm", "norm"),
        ("aten::log_softmax", "activation"),
        ("aten::adaptive_avg_pool2d", "pool"),
        ("aten::scaled_dot_product_attention", "matrix"),
        ("aten::add_", "arithmetic"),
        ("aten::max", "arithmetic"),
        ("aten::max_pool2d", "pool"),
        ("aten::transpose", "shape"),
        ("aten::t", "shape"),
        ("prim::Loop", "control"),
        ("torchvision::nms", "other"),
        ("prim::DictConstruct", "other"),
        ("", "other"),
    ],
)
def test_operators_that_are_alike_look_alike(kind: str, family: str) -> None:
    assert words.family(kind) == family


def test_a_value_without_a_known_shape_has_its_type() -> None:
    assert words.shape(GraphValue("x")) == words.sizes(GraphValue("x")) == "Tensor"
    assert words.shape(GraphValue("x", shape=(), dtype="int64")) == "[] int64"
    assert words.shape(GraphValue("x", "Optional[Tensor]", None, "float32")) == "Optional[Tensor] float32"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "self"),
        ("conv.weight", "self.conv.weight"),
        ("blocks.0.weight", "self.blocks[0].weight"),
        ("other.0.weight", "getattr(self.other, '0').weight"),
        ("blocks.0.class", "getattr(self.blocks[0], 'class')"),
        ("a-b.c", "getattr(self, 'a-b').c"),
    ],
)
def test_how_a_method_reads_what_lies_at_a_path(path: str, said: str) -> None:
    assert accessed(path, ["blocks"]) == said


def test_cutting_paths() -> None:
    assert [cut("a.b.c", depth) for depth in (1, 2, 5)] == ["a", "a.b", "a.b.c"]
