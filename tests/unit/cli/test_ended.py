"""What an error leaves in the documents that were asked for."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click
import pytest
from html_tree import read

from pdt_annotate.cli.ended import telling_documents
from pdt_annotate.cli.group import main_group
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import NothingTaken, UserCodeError
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import SpecSource

DOCUMENTS = {"html": "page.html", "text": "report.txt", "json": "out.json", "sarif": "out.sarif", "junit": "out.xml"}


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """One target, and every document, each of which holds an older result; one place is no file."""
    (tmp_path / "net.py").write_text("x = 1\nraise ValueError\n")
    for name in DOCUMENTS.values():
        (tmp_path / name).write_text("all is well")
    (tmp_path / "folder").mkdir()
    places = [f"{format_}:{tmp_path / name}" for format_, name in DOCUMENTS.items()]
    more = (f"github:{tmp_path / 'folder'}", "github:-")
    return Options((parse(f"{tmp_path}/net.py:Net"),), SpecSource(), str(tmp_path), output_file=(*places, *more))


@pytest.mark.parametrize("ended", [None, NothingTaken("nothing was chosen")])
def test_what_ends_well_leaves_documents_alone(ended: NothingTaken | None, options: Options, tmp_path: Path) -> None:
    with contextlib.suppress(NothingTaken), telling_documents([options]):
        if ended:
            raise ended
    assert all((tmp_path / name).read_text() == "all is well" for name in DOCUMENTS.values())


def test_an_error_is_told_where_people_read_and_leaves_nothing_to_programs(options: Options, tmp_path: Path) -> None:
    error = UserCodeError("importing net: ValueError", place=Place(str(tmp_path / "net.py"), 2, 1), hint="mend it")
    with click.Context(main_group, obj=("net.py:Net",)), pytest.raises(UserCodeError), telling_documents([options]):
        raise error
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"net.py", "folder", DOCUMENTS["html"], DOCUMENTS["text"]}
    assert (tmp_path / DOCUMENTS["text"]).read_text().startswith("error: importing net: ValueError\n  at ")
    page = read((tmp_path / DOCUMENTS["html"]).read_text())
    banner = page.one("p", class_="banner")
    assert banner.classes == {"banner", "bad"}
    assert "No result: importing net: ValueError." in banner.text and "Exit code 2" in banner.text
    assert "net.py:2:1" in page.one(id="errors").text
    assert "Mend it" in page.one(id="steps").text
    assert "raise ValueError" in page.one(id="files").text


def test_a_bug_does_not_say_that_nothing_was_written(options: Options, tmp_path: Path) -> None:
    with click.Context(main_group, obj=()), pytest.raises(KeyError), telling_documents([options]):
        raise KeyError("x")
    said = read((tmp_path / DOCUMENTS["html"]).read_text()).one("header").text
    assert "Exit code 70" in said and "unless the terminal says so" in said
