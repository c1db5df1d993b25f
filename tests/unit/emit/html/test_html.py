"""The page: whole, self-contained, and nothing that a user wrote is markup in it."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePath

import pytest
from html_outcomes import HOSTILE, blamed, hostile
from html_tree import Element, read
from mended_outcomes import advised_outcome, mended_outcome
from outcomes import AFTER, BEFORE, fail, make_outcome

from pdt_annotate.emit import html
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome, Overlaid
from pdt_annotate.values.slots import Finding, Origin, Owner

OURS = """
    html head meta title link style body script header nav main section h1 h2 h3 h4 p a ul li dl dt dd div span b
    code pre details summary table thead tbody tr th td button ins del
"""


def page(outcome: Outcome) -> Element:
    return read(html.render(outcome).decode())


def variants(root: Path) -> dict[str, Outcome]:
    """An outcome of each kind."""
    good = make_outcome(root)
    return {
        "verified": good,
        "failed": fail(good),
        "blamed": blamed(good),
        "nothing may change": replace(blamed(good), changes=(), kept=()),
        "nothing": Outcome((), str(root)),
        "third party": replace(good, changes=(), overlaid=(Overlaid("model", good.changes[0]),)),
        "hostile": hostile(root),
        "mended": mended_outcome(root),
        "advised": advised_outcome(root),
    }


KINDS = ("verified", "failed", "blamed", "nothing may change", "nothing", "third party", "hostile", "mended", "advised")


@pytest.fixture(params=KINDS)
def shown(request: pytest.FixtureRequest, tmp_path: Path) -> Element:
    return page(variants(tmp_path)[request.param])


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


def test_the_same_outcome_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        outcome = blamed(make_outcome(tmp_path / name))
        message = f'in {tmp_path / name}/model.py:\n  File "{tmp_path / name}/model.py", line 3'
        findings = (*outcome.findings, replace(outcome.findings[0], code="PDT001", message=message))
        other = replace(outcome, findings=findings[::-1], annotations=outcome.annotations)
        pages += [html.render(replace(outcome, findings=findings)), html.render(other)]
    assert len(set(pages)) == 1
    assert str(tmp_path).encode() not in pages[0]


def test_the_listing_is_the_annotated_source(tmp_path: Path) -> None:
    listing = page(make_outcome(tmp_path)).one("details", class_="source")
    rows = listing.all("div", class_="row")
    assert "".join(row.one("div", class_="text").without("card", "flag") for row in rows).encode() == AFTER
    assert [row.one("a", class_="no").text for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    assert [row.attributes["id"] for row in rows if "added" in row.classes] == ["f1-l1", "f1-l2", "f1-l3", "f1-l7"]


def test_every_annotation_has_its_evidence_beside_it(tmp_path: Path) -> None:
    shown = page(make_outcome(tmp_path))
    marks = shown.all("span", class_="mark")
    assert [(mark.text, mark.attributes["tabindex"]) for mark in marks] == [("Tensor", "0"), ("Optional[Tensor]", "0")]
    cards = [shown.one(id=str(mark.attributes["aria-describedby"])) for mark in marks]
    facts = [dict(zip((e.text for e in c.all("dt")), (e.text for e in c.all("dd")), strict=True)) for c in cards]
    assert facts[0] == {"seen": f"Tensor {TIMES}3 in a, b", "rules": "tensor"}
    assert facts[1]["seen"] == f"Tensor {TIMES}2 in bNone {TIMES}1 in a"
    assert facts[1]["also legal"] == "Optional[int]"
    assert "review it" in facts[1]["why"]
    assert [card.one("span", class_="badge").text for card in cards] == ["observed", "guess"]


def test_the_table_holds_the_same_evidence(tmp_path: Path) -> None:
    rows = page(make_outcome(tmp_path)).one("table").one("tbody").all("tr")
    assert [[cell.text for cell in row.all("td")][:3] for row in rows] == [
        ["Net.forward", "x: Tensor", "observed"],
        ["Net.forward", "mask: Optional[Tensor]", "guess"],
    ]
    assert f"seen: Tensor {TIMES}3 in a, b" in rows[0].text


@pytest.mark.parametrize("origin", Origin)
def test_every_origin_is_explained(origin: Origin, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    annotation = replace(outcome.annotations[0], origin=origin, evidence=())
    card = page(replace(outcome, annotations=(annotation,))).one("div", class_="card")
    assert card.one("span", class_="badge").text
    assert ("why" in card.text) == (origin is not Origin.OBSERVED)


def test_of_many_calls_some_are_named(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    seen = replace(outcome.annotations[0].evidence[0], calls=tuple(f"c{n}" for n in range(9)))
    shown = page(replace(outcome, annotations=(replace(outcome.annotations[0], evidence=(seen,)),)))
    assert f"Tensor {TIMES}3 in c0, c1, c2, c3, c4, c5, 3 more calls" in shown.text
    assert "c6" not in shown.one("main").text


def test_what_the_compiler_said_of_a_repair_is_there(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    repair = replace(outcome.annotations[0], origin=Origin.REPAIR, because=f"found 'int'\n  in {tmp_path}/model.py")
    assert "found 'int'\n  in model.py" in page(replace(outcome, annotations=(repair,))).one("div", class_="card").text


def test_a_finding_leads_to_its_line_and_the_line_to_it(tmp_path: Path) -> None:
    shown = page(make_outcome(tmp_path))
    group = shown.one("details", class_="group")
    item = group.one(id="n1")
    # Line 5 of the file on disk; the imports have moved it.
    assert (item.one("a").text, item.one("a").attributes["href"]) == ("model.py:7:34", "#f1-l7")
    assert group.attributes["data-code"] == "PDT030"
    assert group.one("p", class_="advice").text.startswith("→ Add an example call")
    flag = shown.one(id="f1-l7").one("a", class_="flag")
    assert (flag.text, flag.attributes["href"]) == ("PDT030", "#n1")


def test_findings_of_several_codes_can_be_filtered(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    assert page(outcome).all("div", class_="filter") == []
    more = replace(outcome, findings=(*outcome.findings, Finding("PDT002", "no place")))
    filters = page(more).one("div", class_="filter")
    assert [button.attributes["data-code"] for button in filters.all("button")] == ["PDT002", "PDT030"]
    assert "hidden" in filters.attributes, "without a script it would do nothing"


def test_a_verified_outcome_shows_its_functions(tmp_path: Path) -> None:
    tree = page(make_outcome(tmp_path)).one(id="modules").one("ul", class_="tree")
    assert [each.text for each in tree.all("b")] == ["model.py", "Net", "forward"]
    assert {"review"} == {name for item in tree.all("li") for name in item.classes}
    assert tree.all("span", class_="verdict")[-1].text == "2 annotations, 1 guess"


def test_a_failed_outcome_shows_its_modules(tmp_path: Path) -> None:
    shown = page(blamed(make_outcome(tmp_path))).one(id="modules")
    items = shown.one("ul", class_="tree").all("li")
    tones = [(item.one("b").text, *item.classes) if len(item.all("b")) == 1 else tuple(item.classes) for item in items]
    assert tones[0] == ("bad",)
    assert ("stem", "ok") in tones
    assert ("idle", "idle") in tones
    assert [sign.text for sign in shown.all("span", class_="sign")] == ["✗", "✗", "✓", "○"]
    assert [fault.one("b").text for fault in shown.all("div", class_="fault")] == ["PDT004", "PDT005"]
    assert shown.text.count("Write it plainly.") == 1
    assert "Stem model.py:6 (stem)" in shown.text


def test_a_failure_is_told_with_its_place(tmp_path: Path) -> None:
    failure = page(fail(make_outcome(tmp_path))).one("details", class_="failure")
    assert "open" in failure.attributes
    # The judges read the annotated file.
    assert failure.all("a")[0].attributes["href"] == "#f1-l8"
    assert failure.all("pre")[0].text == AFTER.decode().splitlines()[7].strip()
    assert "Arguments for call are not valid." in failure.text
    assert "open" not in page(blamed(make_outcome(tmp_path))).one("details", class_="failure").attributes


def test_a_file_that_may_not_change_still_has_its_table(tmp_path: Path) -> None:
    shown = page(replace(blamed(make_outcome(tmp_path)), changes=(), kept=())).one(id="files")
    assert shown.all("details", class_="source") == []
    assert "unchanged" in shown.text
    assert len(shown.one("tbody").all("tr")) == 2


def test_a_line_of_a_file_that_does_not_change_is_read_from_disk(tmp_path: Path) -> None:
    shown = page(replace(blamed(make_outcome(tmp_path)), changes=(), kept=()))
    assert shown.all("code", class_="quoted")[0].text == BEFORE.decode().splitlines()[5].strip()


def test_third_party_files_are_told_apart(tmp_path: Path) -> None:
    shown = page(variants(tmp_path)["third party"])
    assert "model: Net.forward" in shown.one(id="third-party").text.replace(" model.py", "")
    assert "third party: model, overlay only" in shown.one("details", class_="file").text
    assert page(make_outcome(tmp_path)).all(id="third-party") == []


def test_many_files_are_folded(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    changes = [replace(outcome.changes[0], file=str(tmp_path / f"m{n}.py")) for n in range(100)]
    files = page(replace(outcome, changes=tuple(changes), annotations=())).all("details", class_="file")
    assert len(files) == 100
    assert not [each for each in files if "open" in each.attributes]
    assert "open" in page(outcome).one("details", class_="file").attributes


def test_an_outside_file_is_named_by_its_import_path(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    elsewhere = tmp_path.parent / f"{tmp_path.name}-lib"
    sys.path.append(str(elsewhere))
    try:
        shown = page(replace(outcome, unreached=(Owner(str(elsewhere / "pkg" / "m.py"), "f", 3),)))
    finally:
        sys.path.remove(str(elsewhere))
    assert "f pkg/m.py:3" in shown.text


def test_writes_the_file_or_says_why_not(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    html.emit(outcome, str(tmp_path / "sub" / "report.html"))
    assert (tmp_path / "sub" / "report.html").read_bytes() == html.render(outcome)
    with pytest.raises(UserError):
        html.emit(outcome, str(tmp_path))


def test_the_package_carries_its_style_and_script() -> None:
    root = Path(html.__file__).parents[3]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    for name in ("style.css", "script.js"):
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


def test_mends_are_shown_with_the_message_that_asked_for_them(tmp_path: Path) -> None:
    assert page(make_outcome(tmp_path)).all(id="mends") == []
    section = page(mended_outcome(tmp_path)).one(id="mends")
    first, *_ = section.one("tbody").all("tr")
    cells = [cell.text for cell in first.all("td")]
    assert cells == [
        "model.py:7:12",
        "halve",
        "exact",
        "(lambda t: t / by)(x) is written otherwise (local_functions)",
        "Lambda aren't supported",
    ]
    assert "Left out of the scripted model: what **kwargs took" in section.text


def test_what_would_have_helped_is_shown_with_its_size(tmp_path: Path) -> None:
    section = page(advised_outcome(tmp_path)).one(id="mends")
    lead = section.one("p", class_="advice").text
    assert lead == ("With --mend all it would script: 3 changes of code in 1 file, +5 -4 lines with the annotations.")
    assert len(section.one("tbody").all("tr")) == 3
