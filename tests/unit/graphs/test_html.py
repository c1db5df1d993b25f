"""The page's elements, as a parser reads them."""

from __future__ import annotations

from pathlib import Path

import drawn_graphs
import pytest
from html_tree import Element, read

from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.html import render
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.places import Place


def page(*graphs: Graph, chosen: int = 0) -> Element:
    depths = {str(index): arrange(graph) for index, graph in enumerate(graphs)}
    return read(render("model.py:Net", "frozen", depths, chosen).decode())


def test_each_depth_has_a_picture_and_one_is_chosen() -> None:
    shown = page(drawn_graphs.residual(), drawn_graphs.branches(), chosen=1)
    assert [each.attributes["id"] for each in shown.all(class_="picture")] == ["picture-0", "picture-1"]
    assert [each.attributes["id"] for each in shown.all("input", type="radio") if "checked" in each.attributes] == [
        "depth-1"
    ]
    assert "hidden" in page(drawn_graphs.residual()).one("fieldset").attributes


def test_every_node_leads_to_what_is_known_of_it() -> None:
    graph = drawn_graphs.residual()
    shown = page(graph, graph)
    articles = {each.attributes["id"]: each for each in shown.all("article")}
    links = shown.all("a", class_="node")
    assert len(links) == 2 * len(list(arrange(graph).root.boxes()))
    assert {(each.attributes["href"] or "")[1:] for each in links} == set(articles)
    assert "blocks.0.conv.weight: [4,3,3,3] float32" in articles[(links[1].attributes["href"] or "")[1:]].text


def test_ids_are_unique() -> None:
    shown = page(drawn_graphs.branches(), drawn_graphs.branches())
    ids = [each.attributes["id"] for each in shown if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_the_source_stands_beside_a_node(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("".join(f"line_{number} = {number}\n" for number in range(1, 30)))
    shown = page(drawn_graphs.residual(Place(str(file), 12)))
    rows = shown.all("article")[1].all(class_="row")
    assert [row.one(class_="no").text for row in rows] == [str(number) for number in range(9, 16)]
    assert [row.one(class_="text").text for row in rows if "here" in row.classes] == ["line_12 = 12\n"]


@pytest.mark.parametrize("line", [0, 99])
def test_a_line_that_is_not_there_is_named_alone(line: int, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("a = 1\n")
    shown = page(drawn_graphs.residual(Place(str(file), line)))
    assert not shown.all(class_="row")
    assert f"model.py:{line}" in shown.all("article")[1].text


def test_no_text_of_the_users_is_markup() -> None:
    assert len(page(drawn_graphs.hostile()).all("script")) == 2
