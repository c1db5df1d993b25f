"""The formats of a graph: the choice of the format, DOT, SVG, the page and JSON; and the layout of a drawing."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import drawn_graphs
import jsonschema
import pytest
from drawn_graphs import HOSTILE, branches, hostile, residual, wild
from html_tree import Element, read
from schemas import GRAPH_SCHEMA, GRAPH_VALIDATOR, at, objects

from pdt_annotate.cli.options import options_of
from pdt_annotate.graphs import dot, graph_formats, html, layered
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.drawing import Rect
from pdt_annotate.graphs.graph_formats import FORMATS, SCHEMA_VERSION, GraphView, format_of, from_json, to_json
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph, GraphState, GraphValue
from pdt_annotate.values.slots import Place

needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="there is no `dot`: install graphviz")


def test_the_formats_are_those_of_the_command_line() -> None:
    (setting,) = (each for each in options_of("graph") if each.key == "format")
    assert {"auto", *FORMATS} == set(setting.type.choices)  # type: ignore[attr-defined]
    assert set(graph_formats.SUFFIXES.values()) == set(FORMATS)


@pytest.mark.parametrize(
    ("name", "file", "meant"),
    [("auto", "", "text"), ("auto", "-", "text"), ("auto", "a/b.SVG", "svg"), ("json", "b.svg", "json")],
)
def test_the_name_of_the_file_says_what_no_option_does(name: str, file: str, meant: str) -> None:
    assert format_of(name, file) == meant


@pytest.mark.parametrize("file", ["net.png", "net", ".svg"])
def test_a_name_that_says_nothing_is_refused(file: str) -> None:
    with pytest.raises(UserError):
        format_of("auto", file)


def test_links_are_relative_and_lead_to_the_users_files_alone(tmp_path: Path) -> None:
    view = GraphView(root=str(tmp_path), directory=str(tmp_path / "out"))
    assert view.link(Place(str(tmp_path / "a b" / "model.py"), 7)) == "../a%20b/model.py#L7"
    assert view.link(Place("/usr/lib/python3/torch/nn/functional.py", 7)) == view.link(Place("")) == ""


@pytest.mark.parametrize(
    ("depth", "most", "shown", "chosen"),
    [(0, 150, "1 2 all", "all"), (1, 150, "1 2 all", "1"), (3, 150, "1 2 3 all", "3"), (0, 5, "1 2 all", "2")],
)
def test_a_page_has_every_depth_that_makes_a_difference(
    depth: int, most: int, shown: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_formats, "MOST_BOXES", most)
    labels = read(FORMATS["html"](residual(), GraphView(depth)).decode()).one("fieldset").all("label")
    assert " ".join(each.text for each in labels) == shown
    assert [each.text for each in labels if "checked" in each.one("input").attributes] == [chosen]


def test_in_dot_modules_are_clusters_and_nodes_are_linked() -> None:
    text = dot.render(arrange(residual()), lambda place: "model.py#L1").decode()
    assert 'subgraph "cluster_m1-0"' in text or 'subgraph "cluster_m2-0"' in text
    assert 'label="blocks.0  Block"' in text
    assert '"n2" [label="conv2d  conv\\lweight [4,3,3,3]\\lstride [1,2]\\l→ [2,3] float32\\l"' in text
    assert 'URL="model.py#L1"' in text
    assert '"in-0" -> "n2"' in text


@needs_dot
@pytest.mark.parametrize("make", [residual, branches, hostile])
def test_graphviz_reads_it(make: Callable[[], Graph]) -> None:
    done = subprocess.run(["dot", "-Tcanon"], input=dot.render(arrange(make())), capture_output=True, check=True)
    assert done.stderr == b""


SVG = "{http://www.w3.org/2000/svg}"


def svg(graph: Graph, link: str = "") -> ET.Element:
    return ET.fromstring(html.render_svg(arrange(graph), lambda place: link))


def classed(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter(f"{SVG}g") if name in (each.get("class") or "").split()]


@pytest.mark.parametrize("make", [residual, branches, hostile])
def test_svg_has_a_box_for_each_node_and_a_line_for_each_edge(make: Callable[[], Graph]) -> None:
    graph = make()
    drawing, root = arrange(graph), svg(graph)
    assert len(classed(root, "box")) == len(list(drawing.root.boxes()))
    assert len(classed(root, "frame")) == len(list(drawing.root.frames()))
    assert len(classed(root, "edge")) == sum(1 for edge in drawing.edges if edge.values)
    assert not list(root.iter(f"{SVG}script"))


def test_svg_has_its_own_colours_shows_all_that_is_known_on_hover_and_lets_nothing_in() -> None:
    text = html.render_svg(arrange(hostile()), lambda place: HOSTILE).decode()
    assert "prefers-color-scheme: dark" in text
    for refused in ("<script", "\0", "@import", "url(http"):
        assert refused not in text
    known = classed(svg(residual()), "convolution")[0].findtext(f"{SVG}title") or ""
    assert "operator: aten::conv2d" in known
    assert "weight: blocks.0.conv.weight: [4,3,3,3] float32" in known


def test_source_lines_are_links_where_there_is_something_to_link_to() -> None:
    graph = residual(Place("/a/model.py", 12))
    links = list(svg(graph, "model.py#L12").iter(f"{SVG}a"))
    assert {link.get("href") for link in links} == {"model.py#L12"}
    assert {"".join(link.itertext()) for link in links} == {"model.py:12"}
    assert not list(svg(graph).iter(f"{SVG}a"))
    assert "model.py:12" in "".join(svg(graph).itertext())


def page(*graphs: Graph, chosen: int = 0) -> Element:
    depths = {str(index): arrange(graph) for index, graph in enumerate(graphs)}
    return read(html.render("model.py:Net", "frozen", depths, chosen).decode())


def test_each_depth_has_a_picture_and_one_is_chosen() -> None:
    shown = page(residual(), branches(), branches(), chosen=1)
    assert [each.attributes["id"] for each in shown.all(class_="picture")] == [f"picture-{n}" for n in range(3)]
    assert [each.attributes["id"] for each in shown.all("input", type="radio") if "checked" in each.attributes] == [
        "depth-1"
    ]
    assert "hidden" in page(residual()).one("fieldset").attributes
    ids = [each.attributes["id"] for each in shown if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_every_node_leads_to_what_is_known_of_it() -> None:
    graph = residual()
    shown = page(graph, graph)
    articles = {each.attributes["id"]: each for each in shown.all("article")}
    links = shown.all("a", class_="node")
    assert len(links) == 2 * len(list(arrange(graph).root.boxes()))
    assert {(each.attributes["href"] or "")[1:] for each in links} == set(articles)
    assert "blocks.0.conv.weight: [4,3,3,3] float32" in articles[(links[1].attributes["href"] or "")[1:]].text


@pytest.mark.parametrize(("line", "around"), [(12, range(9, 16)), (0, ()), (99, ())])
def test_a_node_shows_the_source_around_its_line(line: int, around: range, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("".join(f"line_{number} = {number}\n" for number in range(1, 30)))
    article = page(residual(Place(str(file), line))).all("article")[1]
    rows = article.all(class_="row")
    assert [row.one(class_="no").text for row in rows] == [str(number) for number in around]
    here = [row.one(class_="text").text for row in rows if "here" in row.classes]
    assert here == ([f"line_{line} = {line}\n"] if around else [])
    assert f"model.py:{line}" in article.text


def test_no_text_of_the_users_is_markup() -> None:
    assert len(page(hostile()).all("script")) == 2


STATE = (
    GraphState("conv.weight", (4, 3)),
    GraphState("steps", (), "int64", parameter=False, saved=False, constant="torch.tensor(1)"),
    GraphState("count", (), "", "3", False, False),
)


def full() -> Graph:
    graph = residual(Place("/root/net.py", 3))
    values = {**graph.values, HOSTILE: GraphValue(HOSTILE, "str", constant=repr(HOSTILE))}
    return replace(graph, values=values, state=STATE, defaults={"x": "None"})


@pytest.mark.parametrize("graph", [full(), branches(), wild(3)])
def test_json_comes_back_as_it_was(graph: Graph) -> None:
    text = to_json(graph, "/root")
    GRAPH_VALIDATOR.validate(json.loads(text))
    assert from_json(text, "/root") == graph
    assert to_json(from_json(text, "/root"), "/root") == text


def test_the_schema_has_a_version_refuses_a_key_too_many_and_names_files_from_the_root() -> None:
    nodes = json.loads(to_json(full(), "/root"))["body"]["nodes"]
    assert {node["file"] for node in nodes if "file" in node} == {"net.py"}
    jsonschema.Draft202012Validator.check_schema(GRAPH_SCHEMA)
    assert GRAPH_SCHEMA["$id"] == f"urn:pdt-annotate:graph:{SCHEMA_VERSION}"
    document = json.loads(to_json(full()))
    for path in objects(document):
        if path not in [("values",), ("defaults",), ("modules",)]:
            at(document, path)["surprise"] = 1
            assert not GRAPH_VALIDATOR.is_valid(document), path
            del at(document, path)["surprise"]
    with pytest.raises(ValueError, match="schema_version 99"):
        from_json('{"schema_version": 99}')


GRAPHS = [
    drawn_graphs.residual(),
    drawn_graphs.branches(),
    drawn_graphs.called_twice(),
    drawn_graphs.late_taker(),
    drawn_graphs.gathering(),
    drawn_graphs.mixed_order(),
    drawn_graphs.hostile(),
    *(drawn_graphs.wild(seed) for seed in range(3)),
    Graph("empty", "frozen", drawn_graphs.Sketch().graph([], [], []).body),
]
SLACK = 0.2
"""Numbers are rounded to one decimal place."""


def within(inner: Rect, outer: Rect, slack: float = SLACK) -> bool:
    across = outer.x - slack <= inner.x and inner.right <= outer.right + slack
    return across and outer.y - slack <= inner.y and inner.bottom <= outer.bottom + slack


def apart(one: Rect, other: Rect) -> bool:
    across = one.right <= other.x + SLACK or other.right <= one.x + SLACK
    return across or one.bottom <= other.y + SLACK or other.bottom <= one.y + SLACK


def point(at: tuple[float, float]) -> Rect:
    return Rect(*at, 0, 0)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.target[:12])
def test_boxes_are_in_their_frames_and_edges_lead_down(graph: Graph) -> None:
    drawing = arrange(graph)
    layout = layered.lay_out(drawing)
    whole = Rect(0, 0, *layout.size)
    keys = [box.key for box in drawing.root.boxes()] + [frame.key for frame in drawing.root.frames()]
    assert sorted(layout.places) == sorted(keys)
    for frame in (drawing.root, *drawing.root.frames()):
        around, inside = layout.places.get(frame.key, whole), [layout.places[each.key] for each in frame.members]
        assert all(within(each, around) for each in inside)
        assert all(apart(one, other) for one, other in combinations(inside, 2))
    assert set(layout.routes) == {(edge.source, edge.target) for edge in drawing.edges if edge.values}
    for (source, target), route in layout.routes.items():
        start, end = layout.places[source], layout.places[target]
        assert start.bottom <= end.y + SLACK
        assert len(route) % 3 == 1
        assert all(within(point(each), whole, slack=0) for each in route)
        assert within(point(route[0]), start)
        assert within(point(route[-1]), end)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.target[:12])
def test_no_edge_crosses_a_box(graph: Graph) -> None:
    """An edge passes between the boxes of a row, and only bends where there are none."""
    drawing = arrange(graph)
    layout = layered.lay_out(drawing)
    for ends, route in layout.routes.items():
        points = list(map(point, sampled(route)))
        for key in (box.key for box in drawing.root.boxes()):
            if key not in ends:
                assert all(apart(each, layout.places[key]) for each in points), (ends, key)


def sampled(route: tuple[tuple[float, float], ...]) -> Iterator[tuple[float, float]]:
    for index in range(0, len(route) - 1, 3):
        for step in range(7):
            t = step / 6
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            four = list(zip(weights, route[index : index + 4], strict=True))
            yield sum(w * x for w, (x, _) in four), sum(w * y for w, (_, y) in four)


def test_the_same_drawing_has_the_same_layout() -> None:
    one, other = (layered.lay_out(arrange(drawn_graphs.wild(3))) for _ in range(2))
    assert one == other


def test_many_boxes_are_laid_out() -> None:
    assert len(layered.lay_out(arrange(drawn_graphs.wild(1, 400))).places) > 400
