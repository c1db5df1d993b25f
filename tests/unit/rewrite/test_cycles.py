"""Circles of imports."""

from __future__ import annotations

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


def _cycles(importer: str, imported: str) -> bool:
    return would_cycle(importer, imported, lambda name: GRAPH.get(name, frozenset()))


def test_a_chain_is_no_circle() -> None:
    assert not _cycles("pkg.b", "pkg.a")
    assert not _cycles("pkg.b", "pkg.c")
    assert not _cycles("pkg.a", "elsewhere")


def test_a_circle_elsewhere_is_none_of_ours() -> None:
    assert not _cycles("pkg.a", "pkg.d")


def test_the_package_around_both_is_running_already() -> None:
    assert not _cycles("pkg.a", "pkg.z")


def test_the_way_back_is_a_circle() -> None:
    assert _cycles("pkg.a", "pkg.c")
    assert _cycles("pkg.a", "pkg.b")
    assert _cycles("pkg.a", "pkg.a")


def test_another_package_runs_first() -> None:
    assert _cycles("pkg.a", "other.x")
