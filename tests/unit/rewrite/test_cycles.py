"""Circles of imports."""

from __future__ import annotations

import pytest

from pdt_annotate.rewrite import would_cycle

GRAPH = {
    "pkg": frozenset({"pkg.a"}),
    "pkg.a": frozenset({"os"}),
    "pkg.b": frozenset({"pkg.c"}),
    "pkg.c": frozenset({"pkg.a"}),
    "pkg.d": frozenset({"pkg.e"}),
    "pkg.e": frozenset({"pkg.d"}),
    "other": frozenset({"pkg.a"}),
}


@pytest.mark.parametrize(
    ("importer", "imported", "is_circle"),
    [
        pytest.param("pkg.b", "pkg.a", False, id="a chain"),
        pytest.param("pkg.b", "pkg.c", False, id="a longer chain"),
        pytest.param("pkg.a", "elsewhere", False, id="another project"),
        pytest.param("pkg.a", "pkg.d", False, id="a circle elsewhere"),
        pytest.param("pkg.a", "pkg.z", False, id="the package around both is running already"),
        pytest.param("pkg.a", "pkg.c", True, id="the way back"),
        pytest.param("pkg.a", "pkg.b", True, id="a longer way back"),
        pytest.param("pkg.a", "pkg.a", True, id="itself"),
        pytest.param("pkg.a", "other.x", True, id="another package runs first"),
    ],
)
def test_circles(importer: str, imported: str, is_circle: bool) -> None:
    assert would_cycle(importer, imported, lambda name: GRAPH.get(name, frozenset())) is is_circle
