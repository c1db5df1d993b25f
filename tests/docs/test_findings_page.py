"""docs/findings.md is what the catalogue and the compiler say now."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import findings_page
import pages
import pytest

from pdt_annotate.findings.catalogue import CatalogueEntry, entries

PAGE = findings_page.FILE.read_text()


def test_a_stale_page_becomes_fresh_whatever_the_hashes(tmp_path: Path) -> None:
    stale = tmp_path / "stale.md"
    stale.write_text(PAGE.replace("recursion", "recursions", 1))
    subprocess.run([sys.executable, findings_page.__file__, str(stale)], env={"PYTHONHASHSEED": "7"}, check=True)
    assert stale.read_text() == PAGE, "run `make docs`"


@pytest.mark.parametrize("entry", entries().values(), ids=list(entries()))
def test_every_code_is_in_the_index_and_has_its_section(entry: CatalogueEntry) -> None:
    anchor = entry.code.lower()
    assert f"| [{entry.code}](#{anchor}) |" in PAGE
    section = PAGE.partition(f'<a id="{anchor}"></a>')[2].partition("<a id=")[0]
    for part in (f"## {entry.code}: ", entry.example.strip(), "**What to do:** "):
        assert part in section


def test_messages_have_nothing_of_this_process_or_of_the_build() -> None:
    assert re.findall(r"0x[0-9a-f]+|/tmp|__w", PAGE) == []
    assert PAGE.count("```text\n") > 30


def test_the_readme_links_the_page() -> None:
    link = findings_page.FILE.relative_to(pages.ROOT)
    assert f"({link})" in pages.README.read_text()
