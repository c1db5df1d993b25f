"""Links to lines: other links and text stay, each leads to its definition, and what is not defined is said."""

from __future__ import annotations

import re

import line_links
import pytest

TASKS = "../pdt_annotate/processes/tasks.py"


@pytest.mark.parametrize(
    "text",
    ["`attempt`", f"[attempt]({TASKS})", f"[`tasks.py`]({TASKS})", "[`attempt`](spec.md)", "[`x`](../tools/pages.py)"],
)
def test_what_names_no_definition_stays(text: str) -> None:
    assert line_links.fill(text) == text


@pytest.mark.parametrize("stale", ["", "#L1", "#L99999"])
def test_a_link_leads_to_its_definition(stale: str) -> None:
    filled = line_links.fill(f"[`attempt`]({TASKS}{stale})")
    line = re.fullmatch(rf"\[`attempt`\]\({re.escape(TASKS)}#L(\d+)\)", filled)
    assert line and (line_links.DOCS / TASKS).read_text().splitlines()[int(line[1]) - 1].startswith("def attempt(")


def test_members_are_named_by_their_class() -> None:
    assert re.search(r"#L\d+", line_links.fill("[`Search.run`](../pdt_annotate/search/best_first.py)"))


def test_what_is_not_defined_is_said() -> None:
    with pytest.raises(LookupError, match=r"tasks\.py defines no no_such_task"):
        line_links.fill(f"[`no_such_task`]({TASKS})")


def test_the_pages_are_fresh() -> None:
    assert line_links.main(["--check"]) == 0, "run `make docs`"
