"""The page in a real browser, offline: what a person sees, points at and presses."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import browser
import pytest
from captured import make_captures
from outcomes import blamed, hostile, make_outcome, many_modules

from pdt_annotate.emit import html
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding

EXECUTABLE = browser.find()

pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="there is no browser: install chromium")

SEEN = f"Tensor {TIMES}3 in a, b"

TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening")

CARD = "getComputedStyle(document.querySelector('.card')).display"


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    with browser.launch(EXECUTABLE) as started:
        yield started


def write(outcome: Outcome, root: Path) -> Path:
    file = root / "report.html"
    file.write_bytes(html.render(outcome, Invocation(outcome.root)))
    return file


def findings(outcome: Outcome) -> Outcome:
    """The outcome with findings of two codes."""
    return replace(outcome, findings=(*outcome.findings, Finding("PDT002", "two", Place(outcome.changes[0].file, 5))))


@pytest.mark.parametrize("make", [make_outcome, hostile, lambda root: blamed(make_outcome(root))])
def test_it_loads_without_a_complaint_or_a_request(
    chromium: browser.Browser, make: Callable[[Path], Outcome], tmp_path: Path
) -> None:
    file = write(make(tmp_path), tmp_path)
    with chromium.open(file) as tab:
        assert tab.happened(*TROUBLE) == []
        assert [each["request"]["url"] for each in tab.happened("Network.requestWillBeSent")] == [file.as_uri()]
        assert tab.evaluate("typeof pwned + document.images.length") == "undefined0"


def test_nothing_else_may_run_in_it(chromium: browser.Browser, tmp_path: Path) -> None:
    file = write(make_outcome(tmp_path), tmp_path)
    file.write_text(file.read_text().replace("</body>", "<script>pwned = 1</script><p style='color:red'></body>"))
    with chromium.open(file) as tab:
        assert tab.evaluate("typeof pwned") == "undefined"
        assert len(tab.happened("Log.entryAdded")) == 2


@pytest.mark.parametrize("scripts", [True, False])
def test_evidence_shows_on_hover_and_stays_while_the_pointer_is_on_it(
    chromium: browser.Browser, scripts: bool, tmp_path: Path
) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path), scripts=scripts) as tab:
        assert tab.evaluate(CARD) == "none"
        tab.point(".mark")
        assert tab.evaluate(CARD) == "block"
        tab.point(".card")
        assert tab.evaluate(CARD) == "block"
        assert SEEN in tab.evaluate("document.querySelector('.card').innerText")
        tab.point("h1")
        tab.wait_for(f"{CARD} === 'none'")


@pytest.mark.parametrize("scripts", [True, False])
def test_evidence_shows_for_the_keyboard(chromium: browser.Browser, scripts: bool, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path), scripts=scripts) as tab:
        tab.evaluate("document.querySelector('.source summary').focus()")
        tab.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "mark sure"
        assert tab.evaluate(CARD) == "block"


def test_escape_puts_the_evidence_away(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path)) as tab:
        tab.evaluate("document.querySelector('.mark').focus()")
        tab.press("Escape")
        tab.wait_for(f"{CARD} === 'none'")
        tab.press("Tab")
        assert tab.evaluate("getComputedStyle(document.querySelectorAll('.card')[1]).display") == "block"


def test_a_tap_shows_the_evidence(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path), width=390) as tab:
        tab.tap(".mark")
        tab.wait_for(f"{CARD} === 'block'")


def test_a_screen_reader_is_told_the_evidence(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path)) as tab:
        nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
    told = [node["description"]["value"] for node in nodes if node.get("description", {}).get("value")]
    assert any(SEEN in each for each in told)
    roles = {node["role"]["value"] for node in nodes}
    assert {"banner", "navigation", "main", "region"} <= roles


@pytest.mark.parametrize("scripts", [True, False])
def test_files_fold(chromium: browser.Browser, scripts: bool, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path), scripts=scripts) as tab:
        assert tab.sees(".row")
        tab.click(".file > summary")
        assert not tab.sees(".row")


def test_a_link_unfolds_what_it_leads_to(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(findings(make_outcome(tmp_path)), tmp_path)) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = false)")
        tab.evaluate("document.querySelector('#n1 a').click()")
        tab.wait_for("location.hash === '#f1-l7' && document.querySelector('#f1').open")
        tab.evaluate("document.querySelector('[data-code=PDT002].group').hidden = true")
        tab.evaluate("document.querySelector('.flag[href=\"#n1\"]').click()")
        tab.wait_for(
            "!document.querySelector('#n1').closest('.group').hidden && document.querySelector('#n1').offsetHeight"
        )


def test_a_page_opened_at_a_line_shows_it(chromium: browser.Browser, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    changes = [replace(outcome.changes[0], file=str(tmp_path / f"m{n}.py")) for n in range(9)]
    file = write(replace(outcome, changes=tuple(changes)), tmp_path)
    with chromium.open(file, fragment="#f9-l5") as tab:
        top = tab.evaluate("document.querySelector('#f9-l5').getBoundingClientRect().top")
        assert 0 <= top < 900


def test_findings_are_filtered_by_code(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(findings(make_outcome(tmp_path)), tmp_path)) as tab:
        seen = "[...document.querySelectorAll('.group')].filter(e => e.offsetHeight).map(e => e.dataset.code).join()"
        assert tab.evaluate(seen) == "PDT002,PDT030"
        tab.click(".filter [data-code=PDT030]")
        assert tab.evaluate(seen) == "PDT002"
        assert tab.evaluate("document.querySelector('[data-code=PDT030]').getAttribute('aria-pressed')") == "false"
        tab.click(".filter [data-code=PDT030]")
        assert tab.evaluate(seen) == "PDT002,PDT030"


def test_without_scripts_there_is_no_button_that_does_nothing(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(findings(make_outcome(tmp_path)), tmp_path), scripts=False) as tab:
        assert tab.evaluate("[...document.querySelectorAll('button')].filter(e => e.offsetHeight).length") == 0


def test_modules_are_filtered_by_name_and_by_how_they_fare(chromium: browser.Browser, tmp_path: Path) -> None:
    seen = "[...document.querySelectorAll('#modules [data-name]')].filter(e => e.checkVisibility()).length"
    told = "document.querySelector('#modules output').textContent"
    with chromium.open(write(many_modules(make_outcome(tmp_path)), tmp_path)) as tab:
        assert tab.evaluate(seen) == 2, "what passes is folded"
        tab.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}))")
        assert tab.evaluate("document.activeElement.type") == "search"
        tab.send("Input.insertText", text="STEM7 model")
        tab.wait_for(f"{told} === '1 of 42 modules'")
        assert tab.evaluate(seen) == 2, "itself, and what holds it"
        tab.press("Escape")
        assert (tab.evaluate(seen), tab.evaluate(told)) == (2, "")
        tab.click("#modules .sieve [data-tone=ok]")
        assert (tab.evaluate(seen), tab.evaluate(told)) == (41, "40 of 42 modules")
        tab.click(".steps a")
        tab.wait_for("location.hash === '#f1-l8'")
        tab.evaluate("document.querySelector('.flag[href=\"#x1\"]').click()")
        tab.wait_for(f"document.querySelector('#x1').checkVisibility() && {told} === ''")


CARD_WIDTHS = (320, 390, 800, 1400)
WIDTHS = (320, 800, 1024, 1400)


@pytest.mark.parametrize("make", [lambda root: blamed(make_outcome(root)), hostile])
def test_nothing_is_wider_than_the_window(
    chromium: browser.Browser, make: Callable[[Path], Outcome], tmp_path: Path
) -> None:
    wide: dict[int, int] = {}
    cards: dict[int, bool] = {}
    with chromium.open(write(make(tmp_path), tmp_path)) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width in CARD_WIDTHS:
            tab.resize(width)
            tab.point(".mark")
            tab.wait_for(f"{CARD} === 'block'")
            wide[width] = tab.evaluate("document.documentElement.scrollWidth")
            cards[width] = tab.evaluate("document.querySelector('.card').getBoundingClientRect().right") <= width
    assert wide == {width: width for width in CARD_WIDTHS}
    assert cards == dict.fromkeys(CARD_WIDTHS, True)


def test_captures_fit_any_window(chromium: browser.Browser, tmp_path: Path) -> None:
    html.emit_captures(make_captures(tmp_path), str(tmp_path / "captures.html"))
    wide: dict[int, int] = {}
    seen: dict[int, bool] = {}
    with chromium.open(tmp_path / "captures.html") as tab:
        assert tab.happened(*TROUBLE) == []
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width in WIDTHS:
            tab.resize(width)
            wide[width] = tab.evaluate("document.documentElement.scrollWidth")
            seen[width] = tab.sees(".captures .fate")
    assert wide == {width: width for width in WIDTHS}
    assert seen == dict.fromkeys(WIDTHS, True)


def test_light_and_dark_are_both_drawn(chromium: browser.Browser, tmp_path: Path) -> None:
    file = write(make_outcome(tmp_path), tmp_path)
    grounds = set()
    for scheme in ("light", "dark"):
        with chromium.open(file, scheme=scheme) as tab:
            grounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
            # A page without anything on it compresses to almost nothing.
            assert len(set(zlib.decompress(pixels(tab.screenshot())))) > 100
    assert len(grounds) == 2


def test_on_paper_all_is_unfolded_but_the_listing(chromium: browser.Browser, tmp_path: Path) -> None:
    with chromium.open(write(make_outcome(tmp_path), tmp_path), scheme="dark") as tab:
        tab.send("Emulation.setEmulatedMedia", media="print", features=[])
        tab.wait_for("!document.querySelector('nav').checkVisibility()")
        assert [tab.sees(part) for part in ("table", ".diff .row", ".source .row")] == [True, True, False]
        assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def pixels(png: bytes) -> bytes:
    """The compressed pixels of a PNG: its IDAT chunks."""
    place, found = 8, b""
    while place < len(png):
        size = int.from_bytes(png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            found += png[place + 8 : place + 8 + size]
        place += size + 12
    return found
