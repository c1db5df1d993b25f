"""The page of captures: whole, and nothing that a user wrote is markup in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import make_captures
from html_tree import Element, read
from outcomes import HOSTILE

from pdt_annotate.emit import html
from pdt_annotate.emit.html import captures_page
from pdt_annotate.values.captures import Capture, Captures
from pdt_annotate.values.runs import Target


def page(found: tuple[Captures, ...]) -> Element:
    return read(captures_page(found))


def test_the_banner_says_what_works(tmp_path: Path) -> None:
    _, annotated = make_captures(tmp_path)
    (works,) = page((replace(annotated, required=annotated.required[:1]),)).all(class_="banner")
    assert works.text == "✓Answers as eager mode does: script, compile-breaks" and "ok" in works.classes


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
