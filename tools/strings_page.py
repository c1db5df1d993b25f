"""tools/strings.txt: all sentences that users may read, file by file, so that they can be reviewed together.

    python tools/strings_page.py [--check] [FILE]

writes the list. With --check it writes nothing, and exits with 1 if the list is stale. The list contains the help of
commands and options, the catalogue of findings, the text of the HTML page, and string literals of the package that look
like prose. A variable part is written as `{…}`.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import made_page

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tools" / "strings.txt"
PACKAGE = ROOT / "pdt_annotate"

HEAD = "Every sentence that users may read. Made by `make docs`, held fresh by `make lint`; CONTRIBUTING.md, Words.\n"

WORDS = re.compile(r"[A-Za-z{`'\"][^\s]*( \S+)* [a-z`{]+\b")
# Arguments of these functions are not for users: patterns, generated code, words of the protocol between processes.
UNREAD = re.compile(r"re\.|ast\.|cst\.|parse_|(?s:'.*'\.split$)")
PATTERN = re.compile(r"\(\?|\[\^|\\\w|\\\(|\.\*|\bSELECT\b|CREATE TABLE")
COMPILER = {"findings/messages/__init__.py", "findings/messages/said.py"}  # patterns of torch's own messages
MARKUP = re.compile(r"\{%.*?%\}|\{#.*?#\}|<(style|script).*?</\1>", re.DOTALL)


def make() -> str:
    """The whole list."""
    parts = []
    for file in sorted(PACKAGE.rglob("*")):
        name = file.relative_to(PACKAGE).as_posix()
        read = READERS.get(file.suffix) if name not in COMPILER else None
        strings = dict.fromkeys(read(file.read_text())) if read else ()
        if strings:
            parts.append(f"\n# {name}\n\n" + "".join(f"{each}\n" for each in strings))
    return HEAD + "".join(parts)


def in_python(source: str) -> Iterator[str]:
    """The literals of a module that are sentences, in order, and the docstrings of commands."""
    yield from _below(ast.parse(source))


def _below(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and UNREAD.match(ast.unparse(node.func)):
        return
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
        return
    if isinstance(node, (ast.FunctionDef, ast.Module)):
        document = ast.get_docstring(node) or ""
        if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(each) for each in node.decorator_list):
            yield " ".join(document.split())
    text = shown(node)
    if text is not None:
        if WORDS.search(text) and not PATTERN.search(text) and not _is_code(text):
            yield " ".join(text.split())
        children = [each for each in children if isinstance(each, ast.FormattedValue)]
    for child in children:
        yield from _below(child)


def _is_code(text: str) -> bool:
    try:
        ast.parse(text.replace("{…}", "_").strip())
    except SyntaxError:
        return False
    return True


def shown(node: ast.AST) -> str | None:
    """The text of a literal, with `{…}` for variable parts; None for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(shown(each) or "{…}" for each in node.values)
    return None


def in_catalogue(source: str) -> Iterator[str]:
    for code, entry in tomllib.loads(source).items():
        for text in (entry["title"], entry["meaning"], entry["advice"], *(h["advice"] for h in entry.get("hints", ()))):
            yield f"{code} " + " ".join(text.split())


def in_template(source: str) -> Iterator[str]:
    for text in re.split(r"<[^>]*>", MARKUP.sub("", source)):
        if re.search("[A-Za-z]", re.sub(r"\{\{.*?\}\}", "", text)):
            yield " ".join(re.sub(r"\{\{.*?\}\}", "{…}", text).split())


READERS = {".py": in_python, ".toml": in_catalogue, ".html": in_template}

if __name__ == "__main__":
    sys.exit(made_page.main(__doc__, FILE, make))
