"""The Python sources that a draft is made from. They are read, never imported."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pdt_annotate.source.module import Module, load_module
from pdt_annotate.source.text import Text, parse_module
from pdt_annotate.values.installed import is_environment
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.places import Place, column_at


def is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def module_name_of(file: str) -> str:
    """The dotted name under which a file is imported, with its packages; "" if no import statement can spell it."""
    path = Path(os.path.abspath(file))
    parts = [] if path.stem == "__init__" else [path.stem]
    for folder in path.parents:
        if not (os.path.isfile(folder / "__init__.py") and folder.name.isidentifier()):
            break
        parts.insert(0, folder.name)
    name = ".".join(parts)
    return name if is_dotted(name) else ""


def import_folder(file: str) -> Path:
    """The directory that must be on the import path for a file to be imported under its name."""
    path = Path(os.path.abspath(file))
    return path.parents[module_name_of(file).count(".") + (path.stem == "__init__")]


LARGEST = 1_000_000  # bytes; a longer file is data, or was generated
NOT_LOOKED_INTO = frozenset(("build", "dist", "node_modules", "venv", "__pycache__"))
TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py|conftest\.py")
TEST_FOLDERS = frozenset(("test", "tests", "testing"))
EXAMPLE_FOLDERS = frozenset(("demo", "demos", "doc", "docs", "example", "examples", "script", "scripts", "tools"))
FENCED = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Sources:
    """The files of a project and of the import path; each is parsed once.

    Args:
        root: the directory to search for usages.
        path: the import path of the Python that runs them; by default that of this process.
    """

    def __init__(self, root: str, path: Iterable[str] | None = None) -> None:
        self.root = root
        here = os.getcwd()
        own = (here, os.path.join(here, "src"), root, os.path.join(root, "src"))
        self._path = tuple(dict.fromkeys((*own, *map(os.path.abspath, sys.path if path is None else path))))
        self.module = functools.cache(load_module)

    def file_of(self, module: str, beside: str = "") -> str:
        """The source file of a dotted module, "" if not found; `beside` is a folder to look in first."""
        path = os.path.join(*module.split("."))
        names = (f"{path}.py", os.path.join(path, "__init__.py"))
        files = (os.path.join(folder, name) for folder in (*filter(None, [beside]), *self._path) for name in names)
        return next(filter(os.path.isfile, files), "")

    def with_words(self, words: Iterable[str]) -> Iterator[Module]:
        """The code below the root that contains one of the words: tests first, then examples, then the rest."""
        wanted = re.compile("|".join(map(re.escape, words)).encode())
        for file in sorted(_files(self.root), key=lambda file: (_rank(file, self.root), file)):
            if wanted.search(_read(file)):
                yield from filter(None, [self.module(file)]) if file.endswith(".py") else _blocks(file)

    def place(self, file: str, node: ast.expr) -> str:
        """A place as comments spell it: "tests/test_net.py:12:5"."""
        column = column_at(linecache.getline(file, node.lineno), node.col_offset)
        return str(Place(named_from(file, self.root), node.lineno, column))


def is_importable(module: Module) -> bool:
    """Whether a spec may import from a module; from a test it should not."""
    return module.file.endswith(".py") and not is_test(module.file)


def is_test(file: str) -> bool:
    path = Path(file)
    return bool(TEST_FILE.fullmatch(path.name)) or path.parent.name in TEST_FOLDERS


def _rank(file: str, root: str) -> int:
    """Tests pass valid arguments; documentation is often out of date, and comes last."""
    if file.endswith(".md"):
        return 3
    folders = Path(os.path.relpath(file, root)).parts[:-1]
    if is_test(file) or TEST_FOLDERS.intersection(folders):
        return 0
    return 1 if EXAMPLE_FOLDERS.intersection(folders) else 2


def _files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        shown = [name for name in folders if not name.startswith(".") and name not in NOT_LOOKED_INTO]
        folders[:] = [name for name in shown if not is_environment(os.path.join(folder, name))]
        yield from (os.path.join(folder, name) for name in names if name.endswith((".py", ".md")))


def _read(file: str) -> bytes:
    """The bytes of a file; empty if it cannot be read or is too long."""
    try:
        return Path(file).read_bytes() if os.path.getsize(file) <= LARGEST else b""
    except OSError:
        return b""


def _blocks(file: str) -> Iterator[Module]:
    """The Python blocks of a Markdown file that parse, with the line numbers of the file."""
    text = _read(file).decode(errors="replace").replace("\r\n", "\n")
    for block in FENCED.finditer(text):
        code = "\n" * text.count("\n", 0, block.start(1)) + block[1]
        with contextlib.suppress(SyntaxError, ValueError):
            yield Module(file, Text(code.encode()), parse_module(code))
