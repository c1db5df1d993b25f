"""The page: whole, self-contained, and nothing that a user wrote is markup in it."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePath

import pytest
from html_tree import Element, read
from outcomes import HOSTILE, OUTCOMES, fail, hostile, make_outcome, many_modules

from pdt_annotate.emit import html
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding, Origin

OURS = """
    html head meta title link style body script header nav main section h1 h2 h3 h4 p a ul li dl dt dd div span b
    code pre details summary table thead tbody tr th td button ins del ol input output wbr
"""


def render(outcome: Outcome) -> bytes:
    return html.render(outcome, Invocation(outcome.root))


def page(outcome: Outcome) -> Element:
    return read(render(outcome).decode())


@pytest.fixture(scope="module", params=OUTCOMES)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Element:
    """The page of each outcome."""
    return read(html.render(*OUTCOMES[request.param](tmp_path_factory.mktemp("root"))).decode())


def test_the_page_has_only_elements_of_ours(shown: Element) -> None:
    assert {each.name for each in shown} - {""} <= set(OURS.split())
    for each in shown:
        assert not [name for name in each.attributes if name.startswith("on") or name == "style"]


def test_nothing_leads_out_of_the_page(shown: Element) -> None:
    ids = [each.attributes["id"] for each in shown if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for each in shown:
        assert "src" not in each.attributes
        href = each.attributes.get("href", "data:,")
        assert href == "data:," or (href and href[0] == "#" and href[1:] in ids), href
        for name in ("aria-describedby", "aria-labelledby"):
            assert each.attributes.get(name, ids and ids[0]) in (ids or [None])


def test_headings_leave_out_no_level(shown: Element) -> None:
    levels = [int(each.name[1]) for each in shown if re.fullmatch(r"h\d", each.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_has_landmarks(shown: Element) -> None:
    assert [each.name for each in shown if each.name in ("header", "nav", "main")] == ["header", "nav", "main"]
    assert shown.one("html").attributes["lang"] == "en"
    assert {section.attributes["aria-labelledby"] for section in shown.all("section")}
    assert shown.one("a", class_="skip").attributes["href"] == f"#{shown.one('main').attributes['id']}"


def test_the_policy_lets_in_what_is_there_and_nothing_else(shown: Element) -> None:
    policy = shown.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert policy
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for name in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(shown.one(name).text.encode()).digest()).decode()
        assert rules[f"{name}-src"] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "style-src", "script-src", "img-src", "base-uri", "form-action"}


def test_hostile_text_is_shown_as_it_is(tmp_path: Path) -> None:
    shown = page(hostile(tmp_path))
    assert HOSTILE in shown.all("div", class_="card")[0].text
    seen = shown.text.count(HOSTILE)
    assert seen > 20
    assert shown.text.count("pwned") == seen


@pytest.mark.parametrize("character", ["\0", "\x1b", "\u202e", "\ufeff", "\ud800"])
def test_what_cannot_be_seen_is_shown_by_its_number(character: str, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    finding = Finding("PDT030", f"a{character}b")
    shown = render(replace(fail(outcome, f"a{character}b"), findings=(finding,))).decode()
    assert character not in shown
    assert shown.count(f"a⟨U+{ord(character):04X}⟩b") >= 3


def test_only_what_lies_around_a_place_is_shown_of_a_file_that_does_not_change(tmp_path: Path) -> None:
    outcome, file = make_outcome(tmp_path), tmp_path / "long.py"
    file.write_text("".join(f"x{n} = {n}\n" for n in range(1, 101)))
    finding = Finding("PDT030", "here", Place(str(file), 50, 1))
    shown = page(replace(outcome, findings=(finding, replace(finding, place=Place(str(file), 90)))))
    assert shown.one(id="n1").one("a").attributes["href"] == "#f2-l50"
    sheet = shown.one("details", id="f2")
    assert [row.one("a", class_="no").text for row in sheet.all("div", class_="row")][::16] == ["42", "58", "97"]
    assert [gap.text for gap in sheet.all("div", class_="hunk")] == ["41 lines", "23 lines"]


def test_of_many_modules_what_passes_is_folded_and_all_can_be_filtered(tmp_path: Path) -> None:
    assert page(many_modules(make_outcome(tmp_path), 3)).all("div", class_="sieve") == []
    modules = page(many_modules(make_outcome(tmp_path))).one(id="modules")
    folded = modules.one("details", class_="passing")
    assert len(folded.all("li", class_="ok")) == 40
    assert "open" not in folded.attributes
    assert folded.one("summary").text == "✓ 40 that pass"
    named = [each.attributes["data-name"] for each in modules.all("li") if "data-name" in each.attributes]
    assert (len(named), named[1]) == (42, "act act model.py")
    assert "hidden" in modules.one("div", class_="sieve").attributes, "without a script it would do nothing"


@pytest.mark.parametrize("origin", Origin)
def test_every_origin_is_explained(origin: Origin, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    annotation = replace(outcome.annotations[0], origin=origin, evidence=())
    card = page(replace(outcome, annotations=(annotation,))).one("div", class_="card")
    assert card.one("span", class_="badge").text
    assert ("why" in card.text) == (origin is not Origin.OBSERVED)


def test_many_files_are_folded(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    changes = [replace(outcome.changes[0], file=str(tmp_path / f"m{n}.py")) for n in range(6)]
    files = page(replace(outcome, changes=tuple(changes), annotations=(), findings=())).all("details", class_="file")
    assert len(files) == 6
    assert not [each for each in files if "open" in each.attributes]
    assert "open" in page(outcome).one("details", class_="file").attributes


def test_the_package_carries_its_templates_style_and_script() -> None:
    root = Path(html.__file__).parents[3]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    for name in ("style.css", "script.js", "templates/page.html"):
        assert any(PurePath("emit/html", name).match(pattern) for pattern in patterns["pdt_annotate"])


PALETTE = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
WORDS = (
    *((text, ground) for text in ("text", "dim", "link") for ground in ("ground", "raised", "added", "gone", "target")),
    *((tone, f"{tone}-ground") for tone in ("ok", "bad", "review", "idle")),
    *((tone, ground) for tone in ("ok", "bad", "review") for ground in ("ground", "raised", "added", "gone")),
    *((kind, ground) for kind in ("keyword", "string", "comment", "number", "name", "builtin", "decorator")
      for ground in ("ground", "added", "target", "ok-ground", "review-ground", "idle-ground")),
    ("text", "added-word"),
    ("text", "gone-word"),
    ("text", "ok-ground"),
    ("text", "review-ground"),
    ("text", "idle-ground"),
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(scheme: str, tmp_path: Path) -> None:
    """WCAG 2.2, 1.4.3: a contrast of 4.5."""
    light, _, dark = page(make_outcome(tmp_path)).one("style").text.partition("prefers-color-scheme: dark")
    palette = dict(PALETTE.findall(light if scheme == "light" else dark))
    low = {(a, b): ratio for a, b in WORDS if (ratio := contrast(palette[a], palette[b])) < 4.5}
    assert low == {}
    assert contrast(palette["edge"], palette["ground"]) >= 3, "1.4.11: what a control is known by"


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_style_asks_for_nothing(tmp_path: Path) -> None:
    style = page(make_outcome(tmp_path)).one("style").text
    assert not re.search(r"url\(|@import|@font-face", style)
