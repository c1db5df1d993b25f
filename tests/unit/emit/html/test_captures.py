"""The page of captures: whole, and nothing that a user wrote is markup in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import REFUSED, make_captures
from html_outcomes import HOSTILE
from html_tree import Element, read

from pdt_annotate.emit import html
from pdt_annotate.emit.html import captures_page
from pdt_annotate.values.captures import Capture, Captures
from pdt_annotate.values.runs import Target


def page(found: tuple[Captures, ...]) -> Element:
    return read(captures_page(found))


def cells(row: Element) -> list[str]:
    return [each.text for each in row.all("td")]


def test_a_table_has_all_versions_and_each_has_one_of_its_own(tmp_path: Path) -> None:
    both, *alone = page(make_captures(tmp_path)).all("table", class_="captures")
    heads = [head.text for head in both.one("thead").all("th")]
    assert heads[:4] == ["Way", "As it is", "Annotated", "Calls"]
    rows = {row.one("code").text: cells(row) for row in both.one("tbody").all("tr")}
    assert list(rows) == ["script", "trace", "fx", "compile-breaks", "lazy"]
    assert all(len(row) == len(heads) - 1 for row in rows.values())
    assert rows["script"][:3] == ["\N{EN DASH} refused", "✓ same", "2 of 2"]
    assert rows["trace"][1:7] == ["✗ differs !", "2 of 2", "0 of 1", "1, whole", "no", "out of the box"]
    assert [table.all("th")[1].text for table in alone] == ["As it is", "Annotated"]


def test_one_version_has_one_table(tmp_path: Path) -> None:
    assert len(page(make_captures(tmp_path)[:1]).all("table", class_="captures")) == 1


def test_sections_say_why_and_what_is_to_be_known(tmp_path: Path) -> None:
    shown = page(make_captures(tmp_path))
    assert [each.text for each in shown.one("nav").all("a")] == [
        "What works",
        "What does not, and why",
        "Findings",
        "Operators",
    ]
    assert REFUSED in shown.one("section", id="reasons").text
    assert "model.py:3:5" in shown.one("section", id="findings").text
    assert str(tmp_path) not in shown.text


def test_the_banner_says_what_works_or_what_was_required_and_does_not(tmp_path: Path) -> None:
    as_it_is, annotated = make_captures(tmp_path)
    assert page((as_it_is, annotated)).one(class_="banner").text == "✗Required, and fails: fx"
    (works,) = page((replace(annotated, required=annotated.required[:1]),)).all(class_="banner")
    assert works.text == "✓Answers as eager mode does: script, compile-breaks" and "ok" in works.classes
    assert "idle" in page((as_it_is,)).one(class_="banner").classes


def test_several_targets_have_sections_of_their_own(tmp_path: Path) -> None:
    first = make_captures(tmp_path)
    other = tuple(replace(each, target=Target("other:f", "other", "", "f")) for each in first)
    shown = page((*first, *other))
    ids = [each.attributes["id"] for each in shown.all("section")]
    assert len(set(ids)) == len(ids) == 8
    assert "other:f: what works" in [each.text for each in shown.all("h2")]


@pytest.mark.parametrize("where", ["note", "absent", "target", "operator"])
def test_no_text_is_markup(where: str, tmp_path: Path) -> None:
    found = make_captures(tmp_path)[1]
    changed = {
        "note": replace(found, note=HOSTILE),
        "absent": replace(found, captures=(*found.captures[:-1], Capture("lazy", absent=HOSTILE))),
        "target": replace(found, target=Target(HOSTILE, "", "", "f")),
        "operator": replace(found, captures=(*found.captures[:-1], Capture(HOSTILE, True, operators={HOSTILE: 1}))),
    }
    shown = page((changed[where],))
    assert HOSTILE in shown.text
    assert not shown.all("img")


def test_it_is_written(tmp_path: Path) -> None:
    html.emit_captures(make_captures(tmp_path), str(tmp_path / "deep" / "captures.html"))
    assert (tmp_path / "deep" / "captures.html").read_text() == captures_page(make_captures(tmp_path))
