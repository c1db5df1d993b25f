"""What linters and formatters say of annotated fixtures, in projects that are configured in different ways."""

from __future__ import annotations

from pathlib import Path

import lint
import pytest


@pytest.mark.parametrize("configuration", lint.CONFIGURATIONS, ids=lambda each: each.name)
def test_the_rewrite_gives_no_tool_anything_new_to_say(configuration: lint.Configuration, tmp_path: Path) -> None:
    found = lint.measure(configuration, tmp_path)
    assert found == {tool: [] for tool in configuration.tools}
    assert list(tmp_path.glob("*/model.py"))


@pytest.mark.parametrize("tool", lint.CONFIGURATIONS[0].tools)
def test_each_tool_is_heard(tool: str, tmp_path: Path) -> None:
    """A tool that does not run, or whose words are misread, has nothing to say either."""
    (tmp_path / "model.py").write_text("import b\nimport a\nx = {'a':1}\n")
    assert lint.complaints(lint.CONFIGURATIONS[0], tmp_path)[tool]
