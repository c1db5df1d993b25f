"""Which format is meant, where links lead, and which depths a page has."""

from __future__ import annotations

from pathlib import Path

import drawn_graphs
import pytest
from html_tree import read

from pdt_annotate.cli.options import options_of
from pdt_annotate.graphs import formats
from pdt_annotate.graphs.formats import FORMATS, GraphView, format_of
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.places import Place


def test_the_formats_are_those_of_the_command_line() -> None:
    (setting,) = (each for each in options_of("graph") if each.key == "format")
    assert {"auto", *FORMATS} == set(setting.type.choices)  # type: ignore[attr-defined]
    assert set(formats.SUFFIXES.values()) == set(FORMATS)


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
    assert view.link(Place("/usr/lib/python3/torch/nn/functional.py", 7)) == ""
    assert view.link(Place("")) == ""


def depths(depth: int = 0) -> tuple[list[str], str]:
    """The depths that a page has, and the one that it shows first."""
    shown = read(FORMATS["html"](drawn_graphs.residual(), GraphView(depth)).decode())
    labels = shown.one("fieldset").all("label")
    (chosen,) = (each.text for each in labels if "checked" in each.one("input").attributes)
    return [each.text for each in labels], chosen


def test_a_page_has_every_depth_that_makes_a_difference() -> None:
    assert depths() == (["1", "2", "all"], "all")
    assert depths(1) == (["1", "2", "all"], "1")
    assert depths(3) == (["1", "2", "3", "all"], "3")


def test_a_large_graph_is_first_shown_from_afar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MOST_BOXES", 5)
    assert depths()[1] == "2"
