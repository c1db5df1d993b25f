"""The SVG by itself: well-formed, nothing lost, nothing let in."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import drawn_graphs
import pytest

from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.html import render_svg
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.places import Place

SVG = "{http://www.w3.org/2000/svg}"


def parsed(graph: Graph, link: str = "") -> ET.Element:
    return ET.fromstring(render_svg(arrange(graph), lambda place: link))


def classed(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter(f"{SVG}g") if name in (each.get("class") or "").split()]


@pytest.mark.parametrize("make", [drawn_graphs.residual, drawn_graphs.branches, drawn_graphs.hostile])
def test_it_is_xml_with_a_box_for_each_node_and_a_line_for_each_edge(make: object) -> None:
    graph = make()  # type: ignore[operator]
    drawing, root = arrange(graph), parsed(graph)
    assert len(classed(root, "box")) == len(list(drawing.root.boxes()))
    assert len(classed(root, "frame")) == len(list(drawing.root.frames()))
    assert len(classed(root, "edge")) == sum(1 for edge in drawing.edges if edge.values)
    assert not list(root.iter(f"{SVG}script"))


def test_no_text_of_the_users_is_markup() -> None:
    text = render_svg(arrange(drawn_graphs.hostile()), lambda place: drawn_graphs.HOSTILE).decode()
    assert "<script" not in text
    assert "\0" not in text


def test_source_lines_are_links_where_there_is_something_to_link_to() -> None:
    graph = drawn_graphs.residual(Place("/a/model.py", 12))
    links = list(parsed(graph, "model.py#L12").iter(f"{SVG}a"))
    assert {link.get("href") for link in links} == {"model.py#L12"}
    assert {"".join(link.itertext()) for link in links} == {"model.py:12"}
    assert not list(parsed(graph).iter(f"{SVG}a"))
    assert "model.py:12" in "".join(parsed(graph).itertext())


def test_all_that_is_known_is_told_on_hover() -> None:
    box = classed(parsed(drawn_graphs.residual()), "convolution")[0]
    told = box.findtext(f"{SVG}title") or ""
    assert "operator: aten::conv2d" in told
    assert "weight: blocks.0.conv.weight: [4,3,3,3] float32" in told


def test_it_has_its_own_colours_and_asks_for_nothing() -> None:
    text = render_svg(arrange(drawn_graphs.residual()), lambda place: "").decode()
    assert "prefers-color-scheme: dark" in text
    assert "@import" not in text
    assert "url(http" not in text
