"""A hook of `make site`: README.md becomes the first page, and links to files outside docs/ lead to the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pdt_annotate.values.version import HOMEPAGE, __version__

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(\.\./(?!README\.md)(?P<target>[^)\s]+)\)")


def on_files(files: Any, *, config: Any) -> Any:
    """Add README.md as the first page."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only the site needs mkdocs

    text = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    text = re.sub(r"\]\((?=[A-Z]+(?:\.md)?\))", "](../", text)
    files.append(File.generated(config, "index.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace links to files outside docs/ by links to the repository at this version, or for README.md to index.md."""
    lead = rf"]({HOMEPAGE}/blob/v{__version__}/\g<target>)"
    return LINK.sub(lead, markdown).replace("](../README.md", "](index.md")
