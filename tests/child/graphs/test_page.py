"""The page of a graph in a real browser, offline: what a person sees, presses, searches and zooms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import browser
import drawn_graphs
import pytest

from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.html import render, render_svg
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.places import Place

EXECUTABLE = browser.find()

pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="there is no browser: install chromium")

TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening")

SHOWN = "[...document.querySelectorAll('article')].filter(e => e.offsetHeight).map(e => e.innerText).join('|')"

SEARCH = "document.querySelector('[type=search]')"

CONVOLUTION = "#picture-0 a.node:has(.convolution)"


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    with browser.launch(EXECUTABLE) as started:
        yield started


def write(root: Path, *graphs: Graph) -> Path:
    file = root / "graph.html"
    depths = {str(index): arrange(graph) for index, graph in enumerate(graphs)}
    file.write_bytes(render("model.py:Net", "frozen", depths))
    return file


@pytest.mark.parametrize("make", [drawn_graphs.residual, drawn_graphs.branches, drawn_graphs.hostile])
def test_it_loads_without_a_complaint_or_a_request(
    chromium: browser.Browser, make: Callable[[], Graph], tmp_path: Path
) -> None:
    file = write(tmp_path, make())
    with chromium.open(file) as tab:
        assert tab.happened(*TROUBLE) == []
        assert [each["request"]["url"] for each in tab.happened("Network.requestWillBeSent")] == [file.as_uri()]
        assert tab.evaluate("typeof pwned") == "undefined"


@pytest.mark.parametrize("scripts", [True, False])
def test_pressing_a_node_tells_of_it_and_of_its_line(chromium: browser.Browser, scripts: bool, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text("first = 1\nsecond = 2\n")
    with chromium.open(write(tmp_path, drawn_graphs.residual(Place(str(model), 2))), scripts=scripts) as tab:
        assert tab.evaluate(SHOWN) == ""
        tab.click(CONVOLUTION)
        tab.wait_for(f"{SHOWN}.includes('aten::conv2d')")
        assert "second = 2" in tab.evaluate(SHOWN)


@pytest.mark.parametrize("scripts", [True, False])
def test_one_depth_is_seen_at_a_time(chromium: browser.Browser, scripts: bool, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.residual(), drawn_graphs.branches()), scripts=scripts) as tab:
        assert tab.sees("#picture-0 .box") and not tab.sees("#picture-1 .box")
        tab.click("#depth-1")
        assert tab.sees("#picture-1 .box") and not tab.sees("#picture-0 .box")


def test_a_chosen_node_shows_its_edges_and_escape_lets_go(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.residual())) as tab:
        tab.click(CONVOLUTION)
        tab.wait_for("document.querySelectorAll('.edge.from, .edge.to').length === 2")
        assert tab.evaluate("document.querySelectorAll('.chosen').length") == 1
        tab.press("Escape")
        tab.wait_for("document.querySelectorAll('.chosen, .edge.from').length === 0")
        assert tab.evaluate(SHOWN) == ""


def test_a_page_opened_at_a_node_shows_it(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.wild(1)), fragment="#x40") as tab:
        inside = "(b => s => b.top >= s.top && b.bottom <= s.bottom && b.left >= s.left && b.right <= s.right)"
        ends = ("document.querySelector('.chosen')", "document.querySelector('.stage')")
        box, stage = (f"{end}.getBoundingClientRect()" for end in ends)
        assert tab.evaluate(f"{inside}({box})({stage})")


def test_search_finds_operators_and_modules(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.residual())) as tab:
        for text, found in (("conv2d", 2), ("blocks.1", 3), ("nowhere", 0)):
            tab.evaluate(f"(e => {{ e.value = {text!r}; e.dispatchEvent(new Event('input')); }})({SEARCH})")
            assert tab.evaluate("document.querySelectorAll('a.node.hit').length") == found
            assert tab.evaluate("document.querySelector('output').innerText") == f"{found} found"


def test_zoom_keeps_what_is_in_the_middle(chromium: browser.Browser, tmp_path: Path) -> None:
    width = "document.querySelector('#picture-0 svg').getBoundingClientRect().width"
    with chromium.open(write(tmp_path, drawn_graphs.wild(1))) as tab:
        before = tab.evaluate(width)
        tab.click("[data-zoom=in]")
        assert tab.evaluate(width) == pytest.approx(before * 1.25, rel=0.01)
        tab.click("[data-zoom=fit]")
        fits = "(s => s.scrollWidth <= s.clientWidth && s.scrollHeight <= s.clientHeight)"
        assert tab.evaluate(f"{fits}(document.querySelector('.stage'))")


def test_arrows_go_along_the_edges(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.branches())) as tab:
        tab.evaluate("document.querySelector('a.node').focus()")
        tab.press("ArrowDown")
        tab.wait_for(f"{SHOWN}.includes('aten::Bool')")


def test_without_scripts_there_is_no_button_that_does_nothing(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.residual()), scripts=False) as tab:
        assert not tab.sees(".graph-tools")


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_the_window_is_as_wide_as_the_page(chromium: browser.Browser, width: int, tmp_path: Path) -> None:
    with chromium.open(write(tmp_path, drawn_graphs.wild(1), drawn_graphs.residual()), width=width) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert tab.evaluate("document.querySelector('.stage').clientHeight") > 200


@pytest.mark.parametrize("name", ["graph.html", "graph.svg"])
def test_light_and_dark_are_both_drawn(chromium: browser.Browser, name: str, tmp_path: Path) -> None:
    write(tmp_path, drawn_graphs.residual())
    (tmp_path / "graph.svg").write_bytes(render_svg(arrange(drawn_graphs.residual()), lambda place: ""))
    fills = set()
    for scheme in ("light", "dark"):
        with chromium.open(tmp_path / name, scheme=scheme) as tab:
            fills.add(tab.evaluate("getComputedStyle(document.querySelector('.convolution rect')).fill"))
    assert len(fills) == 2
