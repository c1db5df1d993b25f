"""What `make site` makes of the pages: README.md is the first one, and links to files of the repository lead there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pdt_annotate.values.version import HOMEPAGE, __version__

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(\.\./(?!README\.md)(?P<target>[^)\s]+)\)")


def on_files(files: Any, *, config: Any) -> Any:
    """Add README.md as the first page."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - which only the site needs

    text = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    text = re.sub(r"\]\((?=[A-Z]+(?:\.md)?\))", "](../", text)
    files.append(File.generated(config, "index.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead links that leave docs/ to the repository, at this version; those to README.md to the first page."""
    lead = rf"]({HOMEPAGE}/blob/v{__version__}/\g<target>)"
    return LINK.sub(lead, markdown).replace("](../README.md", "](index.md")
