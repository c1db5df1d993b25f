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
from html_outcomes import HOSTILE, blamed, hostile, many_modules
from html_tree import Element, read
from mended_outcomes import advised_outcome, mended_outcome
from outcomes import AFTER, BEFORE, fail, make_outcome

from pdt_annotate.emit import html
from pdt_annotate.emit.machine.invocation import Invocation, NoResult
from pdt_annotate.emit.words import TIMES
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome, Outdated, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding, Origin, Owner
from pdt_annotate.values.verdicts import Verdict

OURS = """
    html head meta title link style body script header nav main section h1 h2 h3 h4 p a ul li dl dt dd div span b
    code pre details summary table thead tbody tr th td button ins del ol input output wbr
"""


def render(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE, code: int = 0) -> bytes:
    return html.render(outcome, Invocation(outcome.root, write_back, code, ("pdt-annotate", "model.py:Net")))


def page(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE, code: int = 0) -> Element:
    return read(render(outcome, write_back, code).decode())


def lines(source: bytes) -> list[str]:
    return source.decode().splitlines(keepends=True)


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


@pytest.mark.parametrize("character", ["\0", "\x1b", "\u202e", "\ufeff", "\ud800"])
def test_what_cannot_be_seen_is_shown_by_its_number(character: str, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    finding = Finding("PDT030", f"a{character}b")
    shown = render(replace(fail(outcome, f"a{character}b"), findings=(finding,))).decode()
    assert character not in shown
    assert shown.count(f"a⟨U+{ord(character):04X}⟩b") >= 3


def test_the_same_outcome_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        outcome = blamed(make_outcome(tmp_path / name))
        message = f'in {tmp_path / name}/model.py:\n  File "{tmp_path / name}/model.py", line 3'
        findings = (*outcome.findings, replace(outcome.findings[0], code="PDT001", message=message))
        other = replace(outcome, findings=findings[::-1], annotations=outcome.annotations)
        pages += [render(replace(outcome, findings=findings)), render(other)]
    assert len(set(pages)) == 1
    assert str(tmp_path).encode() not in pages[0]


def test_the_listing_is_the_annotated_source(tmp_path: Path) -> None:
    listing = page(make_outcome(tmp_path)).one("details", class_="source")
    rows = listing.all("div", class_="row")
    assert "".join(row.one("div", class_="text").without("card", "flag") for row in rows).encode() == AFTER
    assert [row.one("a", class_="no").text for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    assert [row.attributes["id"] for row in rows if "added" in row.classes] == ["f1-l1", "f1-l2", "f1-l3", "f1-l7"]


@pytest.mark.parametrize("write_back", [WriteBack.CHECK, WriteBack.DIFF, WriteBack.STUBS])
def test_lines_of_what_is_not_written_have_the_numbers_of_those_on_disk(write_back: WriteBack, tmp_path: Path) -> None:
    shown = page(make_outcome(tmp_path), write_back, 1)
    rows = shown.one("details", class_="source").all("div", class_="row")
    assert [row.all(class_="no")[0].text for row in rows] == ["", "", "1", "2", "3", "4", "5", "6"]
    assert [row.attributes["id"] for row in rows][1:3] == ["f1-new2", "f1-l1"]
    item = shown.one(id="n1").one("a")
    assert (item.text, item.attributes["href"]) == ("model.py:5:26", "#f1-l5")
    assert "mask: Optional[Tensor]" in shown.one(id="f1-l5").one("div", class_="text").without("card")
    assert shown.one(id="f1-l5").one("a", class_="flag").text == "PDT030"
    assert "Nothing of this is written." in shown.one("details", class_="source").text


def test_only_what_lies_around_a_place_is_shown_of_a_file_that_does_not_change(tmp_path: Path) -> None:
    outcome, file = make_outcome(tmp_path), tmp_path / "long.py"
    file.write_text("".join(f"x{n} = {n}\n" for n in range(1, 101)))
    finding = Finding("PDT030", "here", Place(str(file), 50, 1))
    shown = page(replace(outcome, findings=(finding, replace(finding, place=Place(str(file), 90)))))
    assert shown.one(id="n1").one("a").attributes["href"] == "#f2-l50"
    sheet = shown.one("details", id="f2")
    assert [row.one("a", class_="no").text for row in sheet.all("div", class_="row")][::16] == ["42", "58", "97"]
    assert [gap.text for gap in sheet.all("div", class_="hunk")] == ["41 lines", "23 lines"]


def test_a_fault_leads_to_its_line_and_the_line_to_it(tmp_path: Path) -> None:
    shown = page(replace(blamed(make_outcome(tmp_path)), changes=(), kept=()), WriteBack.CHECK, 3)
    for section in ("steps", "modules"):
        assert shown.one(id=section).all("a", href="#f1-l6")
    flags = shown.one(id="f1-l6").all("a", class_="flag")
    assert [(flag.text, flag.attributes["href"]) for flag in flags] == [("PDT004", "#x1"), ("PDT005", "#x2")]
    assert "try blocks" in shown.one(id="x1").text


def test_a_failed_run_says_what_to_do(tmp_path: Path) -> None:
    shown = page(replace(blamed(make_outcome(tmp_path)), findings=(), changes=(), kept=()), code=3)
    steps = shown.one(id="steps").one("ol").all("li")
    assert steps[0].text.strip().startswith("PDT004 ")
    assert "model.py:6: try blocks aren't supported" in steps[0].text
    assert "→ Write it plainly." in shown.one(id="steps").text
    assert "othing to" not in shown.one("main").text
    assert shown.all(id="findings") == []


def test_of_a_check_by_a_profile_it_says_once_how_to_renew_that(tmp_path: Path) -> None:
    finding, judged = Finding("PDT070", "changed", Place(str(tmp_path / "model.py"), 7)), (Verdict("parses", True),)
    outcome = replace(make_outcome(tmp_path), verified=False, verdicts=judged, findings=(finding,))
    shown = page(replace(outcome, targets=(), outdated=Outdated((finding,), "run it again")), WriteBack.CHECK, 1)
    assert shown.one("h1").text == "From a profile"
    assert shown.one(id="steps").text.count("run it again") == 1
    assert "run it again" in [each.text for each in shown.one(id="steps").all("code")]


def test_what_there_was_no_time_to_judge_is_in_the_tree(tmp_path: Path) -> None:
    shown = page(many_modules(make_outcome(tmp_path), 2, unjudged=3), code=3)
    said = "1 line is in the way, in 1 of 7 modules, of which 3 were not judged for lack of time"
    assert said in shown.one("p", class_="banner").text
    assert "late.0 … late.2 Late model.py:6 not judged, for lack of time" in shown.one(id="modules").text


def test_a_target_without_a_result_stands_beside_the_others(tmp_path: Path) -> None:
    outcome = blamed(make_outcome(tmp_path))
    without = NoResult(("other.py:Net",), "importing other: ValueError", hint="import it")
    invocation = Invocation(outcome.root, exit_code=3, without_result=(without,))
    shown = read(html.render(outcome, invocation).decode())
    banner = shown.one("p", class_="banner").text
    assert "No result for 1 of 2 targets: other.py:Net: importing other: ValueError. Failed: " in banner
    assert "other.py:Net" in shown.one("h1").text
    assert "1 of 2 targets failed" in shown.one("header").text
    assert "Import it" in shown.one(id="steps").text and "PDT004" in shown.one(id="steps").text


def test_advice_stands_once_in_the_tree(tmp_path: Path) -> None:
    outcome = blamed(make_outcome(tmp_path))
    (blame,) = outcome.blame
    again = replace(blame.parts[1], path="act2", name="Act2")
    shown = page(replace(outcome, blame=(replace(blame, parts=(*blame.parts, again)),)), code=3)
    assert shown.one(id="modules").text.count("→ Write it plainly.") == 1


def test_a_check_says_what_is_missing_and_how_it_is_written(tmp_path: Path) -> None:
    shown = page(make_outcome(tmp_path), WriteBack.CHECK, 1)
    assert shown.one("p", class_="banner").classes == {"banner", "bad"}
    assert "Check failed: 2 annotations missing in 1 file." in shown.one("p", class_="banner").text
    assert "Exit code 1" in shown.one("p", class_="banner").text
    assert "2 annotations missing" in shown.one(id="functions").text
    assert "without --check" in shown.one(id="steps").text


STORIES = {
    (WriteBack.IN_PLACE, 0): "2 annotations into 1 file:model.py",
    (WriteBack.CHECK, 1): "Nothing: it was a check. Every file is as it was.",
    (WriteBack.DIFF, 0): "Nothing: it was a dry run. Every file is as it was.",
    (WriteBack.STUBS, 0): "Stubs of 1 file, with 2 annotations, below ; no source is changed.",
    (WriteBack.NOTHING, 0): "Nothing: what is there was judged. Every file is as it was.",
}


@pytest.mark.parametrize(("write_back", "code"), STORIES)
def test_the_head_says_what_was_asked_found_and_written(write_back: WriteBack, code: int, tmp_path: Path) -> None:
    story = page(make_outcome(tmp_path), write_back, code).one("header").one("dl", class_="story")
    assert [each.text for each in story.all("dt")] == ["What was asked", "What was found", "What was written"]
    asked, _, written = (each.text.replace("\n", "") for each in story.all("dd"))
    assert asked.endswith("pdt-annotate model.py:Net")
    assert written == STORIES[write_back, code]


def test_of_a_failed_run_nothing_is_said_to_be_written(tmp_path: Path) -> None:
    written = page(fail(make_outcome(tmp_path)), code=3).one("dl", class_="story").all("dd")[2].text.strip()
    assert written == "Nothing, because it is not verified. Every file is as it was."


def test_beside_what_failed_the_functions_of_other_targets_are_shown(tmp_path: Path) -> None:
    failed = blamed(make_outcome(tmp_path))
    assert "2 annotations written" in page(failed, code=3).one(id="functions").text
    assert page(replace(failed, changes=(), kept=()), code=3).all(id="functions") == []


def test_what_fails_stands_first_and_what_passes_is_folded(tmp_path: Path) -> None:
    tree = page(many_modules(make_outcome(tmp_path), 40)).one(id="modules").one("ul", class_="tree")
    assert [each.text for each in tree.all("b") if not each.classes][:3] == ["model.py:Net", "act", "stem0"]
    folded = tree.one("details", class_="passing")
    assert len(folded.all("li", class_="ok")) == 40
    assert "open" not in folded.attributes
    assert folded.one("summary").text == "✓ 40 that pass"


def test_many_modules_can_be_filtered_by_name_and_by_how_they_fare(tmp_path: Path) -> None:
    assert page(many_modules(make_outcome(tmp_path), 3)).all("div", class_="sieve") == []
    modules = page(many_modules(make_outcome(tmp_path), 40)).one(id="modules")
    sieve = modules.one("div", class_="sieve")
    assert "hidden" in sieve.attributes, "without a script it would do nothing"
    assert [button.text for button in sieve.all("button")] == ["✗ 2 failing", "✓ 40 passing"]
    assert sieve.one("input").attributes["aria-label"] and sieve.one("output").attributes["aria-live"] == "polite"
    named = [each for each in modules.all("li") if "data-name" in each.attributes]
    assert len(named) == 42
    assert named[1].attributes["data-name"] == "act act model.py"


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
    tree = page(make_outcome(tmp_path)).one(id="functions").one("ul", class_="tree")
    assert [each.text for each in tree.all("b")] == ["model.py", "Net", "forward"]
    assert {"review"} == {name for item in tree.all("li") for name in item.classes}
    assert tree.all("span", class_="verdict")[-1].text == "2 annotations written (1 guess)"


def test_a_failed_outcome_shows_its_modules(tmp_path: Path) -> None:
    shown = page(blamed(make_outcome(tmp_path))).one(id="modules")
    items = shown.one("ul", class_="tree").all("li")
    tones = [(item.one("b").text, *item.classes) if len(item.all("b")) == 1 else tuple(item.classes) for item in items]
    assert tones[0] == ("bad",)
    assert ("stem", "ok") in tones
    assert ("idle", "idle") in tones
    assert [sign.text for sign in shown.all("span", class_="sign")] == ["✗", "✗", "○", "✓"]
    assert [fault.one("b").text for fault in shown.all("div", class_="fault")] == ["PDT004", "PDT005"]
    assert shown.text.count("Write it plainly.") == 1
    assert "Stem model.py:6 (stem)" in shown.text


def test_a_failure_is_told_with_its_place(tmp_path: Path) -> None:
    failure = page(fail(make_outcome(tmp_path))).one("details", class_="failure")
    assert "open" in failure.attributes
    # The judges read the annotated file, line 8 of it; that is line 6 of the one on disk, since it is not written.
    assert (failure.all("a")[0].attributes["href"], failure.all("a")[0].text) == ("#f1-l6", "model.py:6:39")
    assert failure.all("pre")[0].text == AFTER.decode().splitlines()[7].strip()
    assert "Arguments for call are not valid." in failure.text
    assert "open" not in page(blamed(make_outcome(tmp_path))).one("details", class_="failure").attributes


def test_a_file_that_may_not_change_still_has_its_table(tmp_path: Path) -> None:
    shown = page(replace(blamed(make_outcome(tmp_path)), changes=(), kept=())).one(id="files")
    listing = shown.one("details", class_="source")
    assert [row.one("div", class_="text").without("flag") for row in listing.all("div", class_="row")] == lines(BEFORE)
    assert shown.all("details", class_="changes") == []
    assert "2 annotations found, not written" in shown.text
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
    files = page(replace(outcome, changes=tuple(changes), annotations=(), findings=())).all("details", class_="file")
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
