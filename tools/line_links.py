"""The links in docs/ to lines of the package: `[name](../pdt_annotate/file.py#L12)` links to the definition of a name.

    python tools/line_links.py [--check]

updates the line in each link. With --check it writes nothing, and exits with 1 if a link is stale.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
LINK = re.compile(r"\[`(?P<name>(?![\w/]+\.py\b)[\w.]+)`\]\((?P<file>\.\./pdt_annotate/[\w/]+\.py)(?:#L\d+)?\)")


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The functions, classes and constants of a file by qualified name, each with its line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + node.name, node.lineno
            yield from definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((prefix + target.id, node.lineno) for target in targets if isinstance(target, ast.Name))


def fill(text: str) -> str:
    """The text of a page, with the right line in every link.

    Raises:
        LookupError: a file does not define the name in a link.
    """

    def follow(link: re.Match[str]) -> str:
        file = DOCS / link["file"]
        lines = dict(definitions(ast.parse(file.read_text()))) if file.is_file() else {}
        if link["name"] not in lines:
            raise LookupError(f"{link['file']} defines no {link['name']}")
        return f"[`{link['name']}`]({link['file']}#L{lines[link['name']]})"

    return LINK.sub(follow, text)


def main(words: list[str]) -> int:
    stale = {
        page: filled for page in sorted(DOCS.glob("*.md")) if (filled := fill(page.read_text())) != page.read_text()
    }
    for page, filled in stale.items():
        if "--check" in words:
            print(f"docs/{page.name}: links to lines are stale; run `make docs`", file=sys.stderr)
        else:
            page.write_text(filled)
    return int("--check" in words and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
