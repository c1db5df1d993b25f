"""The pages of reports and graphs in a real browser, offline: the visible parts, the mouse, keys and zoom."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import browser
import drawn_graphs
import pytest
from browser import Browser, Tab
from captured import make_captures
from outcomes import blamed, hostile, make_outcome, many_modules

from pdt_annotate.emit import html
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.words import TIMES
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.html import render, render_svg
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Finding, Place

EXECUTABLE = browser.find()

pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="there is no browser: install chromium")

SEEN = f"Tensor {TIMES}3 in a, b"
TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening")
CARD = "getComputedStyle(document.querySelector('.card')).display"
UNFOLD = "document.querySelectorAll('details').forEach(each => each.open = true)"
BUTTONS = "[...document.querySelectorAll('button')].filter(e => e.offsetHeight).length"

with_and_without_scripts = pytest.mark.parametrize("scripts", [True, False])

Show = Callable[..., Tab]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.launch(EXECUTABLE) as started:
        yield started


@pytest.fixture
def show(chromium: Browser, tmp_path: Path) -> Iterator[Show]:
    """Write the page of an outcome, of captures or of graphs, which a function makes in a folder, and open it."""
    with ExitStack() as opened:

        def run(make: Callable[[Path], Any], **how: Any) -> Tab:
            (tmp_path / "page.html").write_bytes(page(make(tmp_path)))
            return opened.enter_context(chromium.open(tmp_path / "page.html", **how))

        yield run


def page(made: bytes | Outcome | Graph | tuple[Graph, ...]) -> bytes:
    if isinstance(made, bytes):
        return made
    if isinstance(made, Outcome):
        return html.render(made, Invocation(made.root))
    graphs = made if isinstance(made, tuple) else (made,)
    return render("model.py:Net", "frozen", {str(index): arrange(graph) for index, graph in enumerate(graphs)})


def failed(root: Path) -> Outcome:
    return blamed(make_outcome(root))


def findings(root: Path) -> Outcome:
    outcome = make_outcome(root)
    return replace(outcome, findings=(*outcome.findings, Finding("PDT002", "two", Place(outcome.changes[0].file, 5))))


def residual(root: Path) -> Graph:
    return drawn_graphs.residual(Place(str(root / "model.py"), 2))


def branches(root: Path) -> Graph:
    return drawn_graphs.branches()


def wild(root: Path) -> Graph:
    return drawn_graphs.wild(1)


@pytest.mark.parametrize(
    "make", [make_outcome, hostile, failed, residual, branches, lambda root: drawn_graphs.hostile()]
)
def test_it_loads_without_a_complaint_or_a_request(show: Show, make: Callable[[Path], Any], tmp_path: Path) -> None:
    tab = show(make)
    assert tab.happened(*TROUBLE) == []
    requests = [each["request"]["url"] for each in tab.happened("Network.requestWillBeSent")]
    assert requests == [(tmp_path / "page.html").as_uri()]
    assert tab.evaluate("typeof pwned + document.images.length") == "undefined0"


def test_nothing_else_may_run_in_it(show: Show) -> None:
    foreign = b"<script>pwned = 1</script><p style='color:red'></body>"
    tab = show(lambda root: page(make_outcome(root)).replace(b"</body>", foreign))
    assert tab.evaluate("typeof pwned") == "undefined"
    assert len(tab.happened("Log.entryAdded")) == 2


@with_and_without_scripts
def test_evidence_shows_on_hover_and_for_the_keyboard(show: Show, scripts: bool) -> None:
    tab = show(make_outcome, scripts=scripts)
    assert tab.evaluate(CARD) == "none"
    for selector in (".mark", ".card"):
        tab.point(selector)
        assert tab.evaluate(CARD) == "block"
    assert SEEN in tab.evaluate("document.querySelector('.card').innerText")
    tab.point("h1")
    tab.wait_for(f"{CARD} === 'none'")
    tab.evaluate("document.querySelector('.source summary').focus()")
    tab.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "mark sure"
    assert tab.evaluate(CARD) == "block"


def test_a_tap_shows_the_evidence_and_escape_puts_it_away(show: Show) -> None:
    tab = show(make_outcome)
    tab.evaluate("document.querySelector('.mark').focus()")
    tab.press("Escape")
    tab.wait_for(f"{CARD} === 'none'")
    tab.press("Tab")
    assert tab.evaluate("getComputedStyle(document.querySelectorAll('.card')[1]).display") == "block"
    tab = show(make_outcome, width=390)
    tab.tap(".mark")
    tab.wait_for(f"{CARD} === 'block'")


def test_a_screen_reader_reads_the_evidence(show: Show) -> None:
    nodes = show(make_outcome).send("Accessibility.getFullAXTree")["nodes"]
    descriptions = [node["description"]["value"] for node in nodes if node.get("description", {}).get("value")]
    assert any(SEEN in each for each in descriptions)
    assert {"banner", "navigation", "main", "region"} <= {node["role"]["value"] for node in nodes}


@with_and_without_scripts
def test_files_fold(show: Show, scripts: bool) -> None:
    tab = show(make_outcome, scripts=scripts)
    assert tab.sees(".row")
    tab.click(".file > summary")
    assert not tab.sees(".row")


def test_a_link_unfolds_what_it_leads_to(show: Show) -> None:
    tab = show(findings)
    tab.evaluate(UNFOLD.replace("true", "false"))
    tab.evaluate("document.querySelector('#n1 a').click()")
    tab.wait_for("location.hash === '#f1-l7' && document.querySelector('#f1').open")
    tab.evaluate("document.querySelector('[data-code=PDT002].group').hidden = true")
    tab.evaluate("document.querySelector('.flag[href=\"#n1\"]').click()")
    tab.wait_for(
        "!document.querySelector('#n1').closest('.group').hidden && document.querySelector('#n1').offsetHeight"
    )


def test_a_page_opened_at_a_line_shows_it(show: Show) -> None:
    def many_files(root: Path) -> Outcome:
        outcome = make_outcome(root)
        return replace(
            outcome, changes=tuple(replace(outcome.changes[0], file=str(root / f"{n}.py")) for n in range(9))
        )

    tab = show(many_files, fragment="#f9-l5")
    assert 0 <= tab.evaluate("document.querySelector('#f9-l5').getBoundingClientRect().top") < 900


def test_findings_are_filtered_by_code(show: Show) -> None:
    tab = show(findings)
    seen = "[...document.querySelectorAll('.group')].filter(e => e.offsetHeight).map(e => e.dataset.code).join()"
    assert tab.evaluate(seen) == "PDT002,PDT030"
    tab.click(".filter [data-code=PDT030]")
    assert tab.evaluate(seen) == "PDT002"
    assert tab.evaluate("document.querySelector('[data-code=PDT030]').getAttribute('aria-pressed')") == "false"
    tab.click(".filter [data-code=PDT030]")
    assert tab.evaluate(seen) == "PDT002,PDT030"


@pytest.mark.parametrize("make", [findings, residual])
def test_without_scripts_there_is_no_button_that_does_nothing(show: Show, make: Callable[[Path], Any]) -> None:
    assert show(make, scripts=False).evaluate(BUTTONS) == 0


def test_modules_are_filtered_by_name_and_by_how_they_fare(show: Show) -> None:
    seen = "[...document.querySelectorAll('#modules [data-name]')].filter(e => e.checkVisibility()).length"
    said = "document.querySelector('#modules output').textContent"
    tab = show(lambda root: many_modules(make_outcome(root)))
    assert tab.evaluate(seen) == 2, "what passes is folded"
    tab.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}))")
    assert tab.evaluate("document.activeElement.type") == "search"
    tab.send("Input.insertText", text="STEM7 model")
    tab.wait_for(f"{said} === '1 of 42 modules'")
    assert tab.evaluate(seen) == 2, "itself, and what holds it"
    tab.press("Escape")
    assert (tab.evaluate(seen), tab.evaluate(said)) == (2, "")
    tab.click("#modules .sieve [data-tone=ok]")
    assert (tab.evaluate(seen), tab.evaluate(said)) == (41, "40 of 42 modules")
    tab.click(".steps a")
    tab.wait_for("location.hash === '#f1-l8'")
    tab.evaluate("document.querySelector('.flag[href=\"#x1\"]').click()")
    tab.wait_for(f"document.querySelector('#x1').checkVisibility() && {said} === ''")


@pytest.mark.parametrize(
    ("make", "visible"),
    [
        (failed, ".card"),
        (hostile, ".card"),
        (lambda root: html.captures_page(make_captures(root)).encode(), ".captures .fate"),
        (lambda root: (wild(root), residual(root)), ".stage"),
    ],
)
def test_nothing_is_wider_than_the_window(show: Show, make: Callable[[Path], Any], visible: str) -> None:
    tab = show(make)
    assert tab.happened(*TROUBLE) == []
    tab.evaluate(UNFOLD)
    for width in (320, 390, 800, 1400):
        tab.resize(width)
        if visible == ".card":
            tab.point(".mark")
            tab.wait_for(f"{CARD} === 'block'")
            assert tab.evaluate("document.querySelector('.card').getBoundingClientRect().right") <= width
        assert tab.sees(visible)
        assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert visible != ".stage" or tab.evaluate("document.querySelector('.stage').clientHeight") > 200


@pytest.mark.parametrize(
    ("name", "ground"),
    [
        ("report.html", "document.body).backgroundColor"),
        ("graph.html", "document.querySelector('.convolution rect')).fill"),
        ("graph.svg", "document.querySelector('.convolution rect')).fill"),
    ],
)
def test_light_and_dark_are_both_drawn(chromium: Browser, name: str, ground: str, tmp_path: Path) -> None:
    picture = render_svg(arrange(residual(tmp_path)), lambda place: "")
    made = {"report.html": page(make_outcome(tmp_path)), "graph.html": page(residual(tmp_path)), "graph.svg": picture}
    (tmp_path / name).write_bytes(made[name])
    grounds = set()
    for scheme in ("light", "dark"):
        with chromium.open(tmp_path / name, scheme=scheme) as tab:
            grounds.add(tab.evaluate(f"getComputedStyle({ground}"))
            # An empty page compresses to almost nothing.
            assert len(set(zlib.decompress(pixels(tab.screenshot())))) > 100
    assert len(grounds) == 2


def pixels(png: bytes) -> bytes:
    """The compressed pixels of a PNG: its IDAT chunks."""
    place, found = 8, b""
    while place < len(png):
        size = int.from_bytes(png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            found += png[place + 8 : place + 8 + size]
        place += size + 12
    return found


def test_on_paper_all_is_unfolded_but_the_listing(show: Show) -> None:
    tab = show(make_outcome, scheme="dark")
    tab.send("Emulation.setEmulatedMedia", media="print", features=[])
    tab.wait_for("!document.querySelector('nav').checkVisibility()")
    assert [tab.sees(part) for part in ("table", ".diff .row", ".source .row")] == [True, True, False]
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


ARTICLES = "[...document.querySelectorAll('article')].filter(e => e.offsetHeight).map(e => e.innerText).join('|')"
CONVOLUTION = "#picture-0 a.node:has(.convolution)"


@with_and_without_scripts
def test_a_node_that_is_pressed_shows_what_is_known_and_its_line(show: Show, scripts: bool, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("first = 1\nsecond = 2\n")
    tab = show(residual, scripts=scripts)
    assert tab.evaluate(ARTICLES) == ""
    tab.click(CONVOLUTION)
    tab.wait_for(f"{ARTICLES}.includes('aten::conv2d')")
    assert "second = 2" in tab.evaluate(ARTICLES)


@with_and_without_scripts
def test_one_depth_is_seen_at_a_time(show: Show, scripts: bool) -> None:
    tab = show(lambda root: (residual(root), branches(root)), scripts=scripts)
    assert [tab.sees(f"#picture-{depth} .box") for depth in (0, 1)] == [True, False]
    tab.click("#depth-1")
    assert [tab.sees(f"#picture-{depth} .box") for depth in (0, 1)] == [False, True]


def test_a_chosen_node_shows_its_edges_and_escape_lets_go(show: Show) -> None:
    tab = show(residual)
    tab.click(CONVOLUTION)
    tab.wait_for("document.querySelectorAll('.edge.from, .edge.to').length === 2")
    assert tab.evaluate("document.querySelectorAll('.chosen').length") == 1
    tab.press("Escape")
    tab.wait_for("document.querySelectorAll('.chosen, .edge.from').length === 0")
    assert tab.evaluate(ARTICLES) == ""


def test_a_page_opened_at_a_node_shows_it(show: Show) -> None:
    tab = show(wild, fragment="#x40")
    inside = "(b => s => b.top >= s.top && b.bottom <= s.bottom && b.left >= s.left && b.right <= s.right)"
    box, stage = (f"document.querySelector('{name}').getBoundingClientRect()" for name in (".chosen", ".stage"))
    assert tab.evaluate(f"{inside}({box})({stage})")


def test_search_finds_operators_and_modules(show: Show) -> None:
    tab, search = show(residual), "document.querySelector('[type=search]')"
    for text, found in (("conv2d", 2), ("blocks.1", 3), ("nowhere", 0)):
        tab.evaluate(f"(e => {{ e.value = {text!r}; e.dispatchEvent(new Event('input')); }})({search})")
        assert tab.evaluate("document.querySelectorAll('a.node.hit').length") == found
        assert tab.evaluate("document.querySelector('output').innerText") == f"{found} found"


def test_zoom_keeps_what_is_in_the_middle(show: Show) -> None:
    tab, width = show(wild), "document.querySelector('#picture-0 svg').getBoundingClientRect().width"
    before = tab.evaluate(width)
    tab.click("[data-zoom=in]")
    assert tab.evaluate(width) == pytest.approx(before * 1.25, rel=0.01)
    tab.click("[data-zoom=fit]")
    fits = "(s => s.scrollWidth <= s.clientWidth && s.scrollHeight <= s.clientHeight)"
    assert tab.evaluate(f"{fits}(document.querySelector('.stage'))")


def test_arrows_go_along_the_edges(show: Show) -> None:
    tab = show(branches)
    tab.evaluate("document.querySelector('a.node').focus()")
    tab.press("ArrowDown")
    tab.wait_for(f"{ARTICLES}.includes('aten::Bool')")
