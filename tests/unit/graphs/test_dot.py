"""The DOT text."""

from __future__ import annotations

import shutil
import subprocess

import drawn_graphs
import pytest

from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.dot import render


def test_modules_are_clusters_and_nodes_are_linked() -> None:
    text = render(arrange(drawn_graphs.residual()), lambda place: "model.py#L1").decode()
    assert 'subgraph "cluster_m1-0"' in text or 'subgraph "cluster_m2-0"' in text
    assert 'label="blocks.0  Block"' in text
    assert '"n2" [label="conv2d  conv\\lweight [4,3,3,3]\\lstride [1,2]\\l→ [2,3] float32\\l"' in text
    assert 'URL="model.py#L1"' in text
    assert '"in-0" -> "n2"' in text


@pytest.mark.skipif(not shutil.which("dot"), reason="there is no `dot`: install graphviz")
@pytest.mark.parametrize("make", [drawn_graphs.residual, drawn_graphs.branches, drawn_graphs.hostile])
def test_graphviz_reads_it(make: object) -> None:
    text = render(arrange(make()))  # type: ignore[operator]
    done = subprocess.run(["dot", "-Tcanon"], input=text, capture_output=True, check=True)
    assert done.stderr == b""
