"""The pages are complete and self-contained, and contain no text of the user as markup."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from captured import make_captures
from html_tree import Element, read
from outcomes import HOSTILE, OUTCOMES, fail, hostile, make_outcome, many_modules

import pdt_annotate
from pdt_annotate.emit import html
from pdt_annotate.emit.html.book import PageContent
from pdt_annotate.emit.html.document import environment, show_unseen
from pdt_annotate.emit.html.page_texts import ending_of
from pdt_annotate.emit.html.source import LONGEST, Comparison, highlight
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.capture_results import Capture
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding, Origin, Place

OURS = """
    html head meta title link style body script header nav main section h1 h2 h3 h4 p a ul li dl dt dd div span b
    code pre details summary table thead tbody tr th td button ins del ol input output wbr
"""


def render(outcome: Outcome) -> str:
    return html.render(outcome, Invocation(outcome.root)).decode()


def page(outcome: Outcome) -> Element:
    return read(render(outcome))


@pytest.fixture(scope="module", params=OUTCOMES)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Element:
    return read(html.render(*OUTCOMES[request.param](tmp_path_factory.mktemp("root"))).decode())


def test_the_page_has_only_elements_of_ours_and_landmarks(shown: Element) -> None:
    assert {each.name for each in shown} - {""} <= set(OURS.split())
    for each in shown:
        assert not [name for name in each.attributes if name.startswith("on") or name == "style"]
    assert [each.name for each in shown if each.name in ("header", "nav", "main")] == ["header", "nav", "main"]
    assert shown.one("html").attributes["lang"] == "en"
    assert {section.attributes["aria-labelledby"] for section in shown.all("section")}
    assert shown.one("a", class_="skip").attributes["href"] == f"#{shown.one('main').attributes['id']}"
    levels = [int(each.name[1]) for each in shown if re.fullmatch(r"h\d", each.name)]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels)), "no level is left out"


def test_nothing_leads_out_of_the_page_and_the_policy_lets_nothing_else_in(shown: Element) -> None:
    ids = [each.attributes["id"] for each in shown if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for each in shown:
        assert "src" not in each.attributes
        href = each.attributes.get("href", "data:,")
        assert href == "data:," or (href and href[0] == "#" and href[1:] in ids), href
        for name in ("aria-describedby", "aria-labelledby"):
            assert each.attributes.get(name, ids and ids[0]) in (ids or [None])
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


def test_only_what_lies_around_a_place_is_shown_of_a_file_that_does_not_change(tmp_path: Path) -> None:
    outcome, file = make_outcome(tmp_path), tmp_path / "long.py"
    file.write_text("".join(f"x{n} = {n}\n" for n in range(1, 101)))
    finding = Finding("PDT030", "here", Place(str(file), 50, 1))
    shown = page(replace(outcome, findings=(finding, replace(finding, place=Place(str(file), 90)))))
    assert shown.one(id="n1").one("a").attributes["href"] == "#f2-l50"
    sheet = shown.one("details", id="f2")
    assert [row.one("a", class_="no").text for row in sheet.all("div", class_="row")][::16] == ["42", "58", "97"]
    assert [gap.text for gap in sheet.all("div", class_="hunk")] == ["41 lines", "23 lines"]


def test_many_files_and_of_many_modules_what_passes_are_folded(tmp_path: Path) -> None:
    assert page(many_modules(make_outcome(tmp_path), 3)).all("div", class_="sieve") == []
    modules = page(many_modules(make_outcome(tmp_path))).one(id="modules")
    folded = modules.one("details", class_="passing")
    assert len(folded.all("li", class_="ok")) == 40
    assert "open" not in folded.attributes
    assert folded.one("summary").text == "✓ 40 that pass"
    named = [each.attributes["data-name"] for each in modules.all("li") if "data-name" in each.attributes]
    assert (len(named), named[1]) == (42, "act act model.py")
    assert "hidden" in modules.one("div", class_="sieve").attributes, "without a script it would do nothing"
    outcome = make_outcome(tmp_path)
    changes = tuple(replace(outcome.changes[0], file=str(tmp_path / f"m{n}.py")) for n in range(6))
    files = page(replace(outcome, changes=changes, annotations=(), findings=())).all("details", class_="file")
    assert ["open" in each.attributes for each in files] == [False] * 6
    assert "open" in page(outcome).one("details", class_="file").attributes


@pytest.mark.parametrize("origin", Origin)
def test_every_origin_is_explained(origin: Origin, tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    annotation = replace(outcome.annotations[0], origin=origin, evidence=())
    card = page(replace(outcome, annotations=(annotation,))).one("div", class_="card")
    assert card.one("span", class_="badge").text
    assert ("why" in card.text) == (origin is not Origin.OBSERVED)


PALETTE = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
WORDS = (
    *((text, ground) for text in ("text", "dim", "link") for ground in ("ground", "raised", "added", "gone", "target")),
    *((tone, f"{tone}-ground") for tone in ("ok", "bad", "review", "idle")),
    *((tone, ground) for tone in ("ok", "bad", "review") for ground in ("ground", "raised", "added", "gone")),
    *((kind, ground) for kind in ("keyword", "string", "comment", "number", "name", "builtin", "decorator")
      for ground in ("ground", "added", "target", "ok-ground", "review-ground", "idle-ground")),
    *(("text", ground) for ground in ("added-word", "gone-word", "ok-ground", "review-ground", "idle-ground")),
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(scheme: str, tmp_path: Path) -> None:
    """WCAG 2.2, 1.4.3, requires a contrast of 4.5."""
    style = page(make_outcome(tmp_path)).one("style").text
    assert not re.search(r"url\(|@import|@font-face", style)
    light, _, dark = style.partition("prefers-color-scheme: dark")
    palette = dict(PALETTE.findall(light if scheme == "light" else dark))
    assert {(a, b): ratio for a, b in WORDS if (ratio := contrast(palette[a], palette[b])) < 4.5} == {}
    assert contrast(palette["edge"], palette["ground"]) >= 3, "1.4.11: what a control is known by"


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


HOLDS = "he scripted model returns the same results as Python on 3 calls (1 held back)"
ONLY_TEXT = "he annotations were checked as text only, not compiled; to verify them, add example inputs (-i)"
WRITTEN = "Written: 2 annotations into 1 file. "
FAILED = "Failed: it does not script"
MADE: dict[str, Callable[[Path], Outcome]] = {
    "whole": make_outcome,
    "unchanged": lambda root: replace(make_outcome(root), changes=(), annotations=()),
    "unjudged": lambda root: replace(make_outcome(root), verified=False, verdicts=make_outcome(root).verdicts[:1]),
    "of a profile": lambda root: OUTCOMES["profile_alone"](root)[0],
    "joined": lambda root: replace(make_outcome(root), verified=False, joined=True),
    "failed": lambda root: fail(make_outcome(root)),
    "failed and joined": lambda root: replace(fail(make_outcome(root)), joined=True),
}
UNKNOWN = "The profile has no observations of 1 function without annotations"


@pytest.mark.parametrize(
    ("made", "write_back", "code", "tone", "said"),
    [
        ("whole", WriteBack.IN_PLACE, 1, "review", f"{WRITTEN}T{HOLDS}"),
        ("whole", WriteBack.CHECK, 0, "review", f"2 annotations missing in 1 file. With them, t{HOLDS}"),
        ("unchanged", WriteBack.CHECK, 0, "ok", f"Nothing to annotate. T{HOLDS}"),
        ("unjudged", WriteBack.IN_PLACE, 0, "idle", f"{WRITTEN}T{ONLY_TEXT}"),
        ("unjudged", WriteBack.DIFF, 0, "idle", f"To be written: 2 annotations into 1 file. T{ONLY_TEXT}"),
        ("unjudged", WriteBack.CHECK, 1, "bad", f"Check failed: 2 annotations missing in 1 file. T{ONLY_TEXT}"),
        ("of a profile", WriteBack.DIFF, 0, "review", f"{UNKNOWN}. T{ONLY_TEXT}"),
        ("joined", WriteBack.IN_PLACE, 0, "idle", f"{WRITTEN}Not verified"),
        ("failed and joined", WriteBack.IN_PLACE, 3, "bad", f"{FAILED}. {WRITTEN[:-2]}, for the parts that verify"),
        *(("failed", each, 3, "bad", FAILED) for each in WriteBack),
    ],
)
def test_what_is_said_first(made: str, write_back: WriteBack, code: int, tone: str, said: str, tmp_path: Path) -> None:
    outcome = MADE[made](tmp_path)
    assert ending_of(PageContent(outcome, Invocation(outcome.root, write_back, code))) == (tone, said)


def test_the_page_of_captures_says_what_works(tmp_path: Path) -> None:
    as_it_is, annotated = make_captures(tmp_path)
    shown = read(html.captures_page((replace(annotated, required=annotated.required[:1]),)))
    (works,) = shown.all(class_="banner")
    assert works.text == "✓Same results as eager mode: script, compile-breaks"
    assert "ok" in works.classes
    other = (replace(each, target=Target("other:f", "other", "", "f")) for each in (as_it_is, annotated))
    shown = read(html.captures_page((as_it_is, annotated, *other)))
    ids = [each.attributes["id"] for each in shown.all("section")]
    assert len(set(ids)) == len(ids) == 8
    assert "other:f: what works" in [each.text for each in shown.all("h2")]


def test_no_text_of_captures_is_markup_and_what_cannot_be_seen_is_shown_by_its_number(tmp_path: Path) -> None:
    found = make_captures(tmp_path)[1]
    hostiles = (Capture(HOSTILE, True, operators={f"{HOSTILE}2": 1}), Capture("lazy", absent=f"{HOSTILE}3"))
    target, captures = Target(f"{HOSTILE}0", "", "", "f"), (*found.captures[:-2], *hostiles)
    shown = read(html.captures_page((replace(found, note=f"{HOSTILE}1", target=target, captures=captures),)))
    assert {text for text in (f"{HOSTILE}{n}" for n in range(4)) if text not in shown.text} == set()
    assert not shown.all("img")
    for character in "\0\x1b\x0c\x85\u202e\u2066\u200b\ufeff\ud800":
        assert show_unseen(f"a{character}b") == f"a⟨U+{ord(character):04X}⟩b"
    unseen = "a\0\x1b\u202e\ufeff\ud800"
    text = render(replace(fail(make_outcome(tmp_path), unseen), findings=(Finding("PDT030", unseen),)))
    assert not set(text) & set(unseen[1:])
    assert text.count("a⟨U+0000⟩⟨U+001B⟩⟨U+202E⟩⟨U+FEFF⟩⟨U+D800⟩") >= 3


BEFORE = ["import a", "", "def f(x, n=1):", "    return x", *(f"x{i} = {i}" for i in range(20)), "last"]
AFTER = ["import a", "import b", "", "def f(x: Tensor, n: int = 1):", *BEFORE[3:-1], "last: int"]


def diff(before: list[str], after: list[str]) -> Element:
    module = environment().get_template("source.html").make_module({"book": None, "standings": {}})
    return read(str(module.diff(Comparison(before, after))))  # type: ignore[attr-defined]


def rows(page: Element, *kinds: str) -> list[str]:
    found = [row for row in page.all("div", class_="row") if row.classes & set(kinds)]
    return [row.one("div", class_="text").text.removesuffix("\n") for row in found]


def test_the_diff_shows_both_sides_with_numbers_and_marks_new_words() -> None:
    page = diff(BEFORE, AFTER)
    assert rows(page, "same", "gone") == BEFORE[:6] + BEFORE[-4:]
    assert rows(page, "same", "added") == AFTER[:7] + AFTER[-4:]
    assert [hunk.text for hunk in page.all("div", class_="hunk")] == ["@@ -1,6 +1,7 @@", "@@ -22,4 +23,4 @@"]
    added = page.all("div", class_="added")
    numbers = [[number.text for number in row.all("span", class_="no")] for row in added]
    assert numbers == [["", "2"], ["", "4"], ["", "26"]]
    assert {row.one("span", class_="sign").text for row in added} == {"+"}
    marked = [[b.text for b in row.all("b")] for row in page.all("ins")]
    assert marked == [[], [": Tensor", ": int ", " "], [": int"]]
    assert [b.text for row in page.all("del") for b in row.all("b")] == []


def test_the_diff_of_equal_files_and_of_lines_that_are_added_and_changed() -> None:
    for lines in ([], ["a"], ["<b>"]):
        assert diff(lines, lines).all("div", class_="row") == []
    assert diff(["x" * LONGEST], [f"{'x' * LONGEST} y"]).all("b") == []
    page = diff(["a"], ["<script>alert(1)</script>"])
    assert page.all("script") == []
    assert rows(page, "added") == ["<script>alert(1)</script>"]
    same = Comparison(["a", "b"], ["a", "b"])
    assert (list(same.hunks()), same.changed) == ([], frozenset())
    before = ["import b", "", "def f(x):", "    return x"]
    assert Comparison(before, ["import a", *before[:2], "def f(x: T):", before[3]]).changed == {1, 4}
    source, text = b"# coding: latin-1\r\n# caf\xe9\r\n", ("# coding: latin-1", "# café")
    outcome = Outcome((), "/", (FileChange("m.py", source, source + b"x = 1\r\n"),))
    assert PageContent(outcome, Invocation("/")).sheets["m.py"].lines == Comparison(text, (*text, "x = 1"))


PLAIN = ["", "x = y\n", "a @ v\n", "x.int\n", "m @ [\n  n\n]\n", "self.x", "a\r\nb"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, []) for text in PLAIN),
        ("def f(x): pass", [("def", "keyword"), ("f", "name"), ("pass", "keyword")]),
        ("class A:\n  @b.c\n  def g(): 1", [("class", "keyword"), ("A", "name"), ("@b", "decorator")]),
        ("x = 1.5e3  # why", [("1.5e3", "number"), ("# why", "comment")]),
        ("len('a')", [("len", "builtin"), ("'a'", "string")]),
        ("f'{x!r} {3}'", [("f'{", "string"), ("!r} {", "string"), ("3", "number"), ("}'", "string")]),
        ("x is not None", [("is", "keyword"), ("not", "keyword"), ("None", "keyword")]),
        ("raise ValueError", [("raise", "keyword"), ("ValueError", "builtin")]),
        ('"""a"""\\\n  # é\n\tif x', [('"""a"""', "string"), ("# é", "comment"), ("if", "keyword")]),
        ("x = '''a\nb'''", [("'''a", "string"), ("b'''", "string")]),
    ],
)
def test_words_of_a_kind_are_coloured(text: str, expected: list[tuple[str, str]]) -> None:
    lines, found = text.split("\n"), highlight(text)
    kinds = [(lines[line - 1][low:high], kind) for line in sorted(found) for low, high, kind in found[line]]
    assert kinds[: len(expected) or None] == expected


NO_PYTHON = ["$ ?\n", "'''never closed\n", "x = (\n", "\0\n", " indent\nno\n"]
OUR_SOURCES = [file.read_text() for file in sorted(Path(pdt_annotate.__file__).parent.glob("emit/html/*.py"))]


@pytest.mark.parametrize("text", [*NO_PYTHON, *OUR_SOURCES], ids=lambda text: ascii(text[:20]))
def test_spans_lie_in_their_lines_one_after_the_other(text: str) -> None:
    lines = text.split("\n")
    for line, spans in highlight(text).items():
        edges = [edge for low, high, _ in spans for edge in (low, high)]
        assert edges == sorted(edges)
        assert edges[-1] <= len(lines[line - 1])
