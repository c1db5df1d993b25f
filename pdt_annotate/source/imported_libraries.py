"""The installed packages that a program imports first, read from its source before it runs."""

import ast
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import decode_source
from pathlib import Path

from pdt_annotate.source.identifiers import import_folder, module_name_of
from pdt_annotate.source.imports import Sources, absolute, package_of, parents
from pdt_annotate.source.module import parse
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.source.text import parse_module
from pdt_annotate.values.installed import is_installed, is_own

LOADED = (  # `import torch` imports these
    *("__future__", "typing", "torch", "torch.autograd", "torch.cuda", "torch.distributed", "torch.jit", "torch.nn"),
    *("torch.nn.functional", "torch.nn.init", "torch.optim", "torch.utils", "torch.utils.data"),
)
DECISIVE = ("sys.path", "sys.modules", "os.environ", "environ")
"""An import depends on these."""
BLOCK = re.compile(r"\n(?:try|with)\b")
LONG_STRING = re.compile(r"(\"{3}|'{3}).*?\1", re.DOTALL)
IMPORT = re.compile(r"^(?:from[ \t][^(\n]*\([^)]*\)|(?:from|import)[ \t](?:\\\n|[^\n])*)", re.MULTILINE)
MOST = 100  # files to read, the nearest first: reading them must not take longer than importing torch


def libraries_of(files: Iterable[str], sources: Sources) -> tuple[str, ...]:
    """The modules of installed packages that files, and the project's files that they import, import at the top.

    Empty if one of them sets the import path or a variable of the environment at the top: an import depends on these.
    """
    root, found, looked_up = os.path.realpath(sources.root), dict[str, None](), set[str]()
    pending = [os.path.realpath(each) for each in files]
    folders = [import_folder(each) for each in pending]
    own: set[str] = set()  # packages and modules of the project
    for file in itertools.islice(pending, MOST):  # which grows meanwhile
        package = package_of(module_name_of(file), file)
        for statement in _at_top(file):
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                if any(map(_changes_imports, ast.walk(statement))):
                    return ()
                continue
            for name in _imported(statement, package):
                top = name.partition(".")[0]
                if name in LOADED or name in looked_up or (top in own and len(pending) >= MOST):
                    continue
                looked_up.add(name)
                meant = next(filter(None, (sources.file_of(name, str(folder)) for folder in (*folders, ""))), "")
                real = os.path.realpath(meant) if meant else ""
                if is_own(real, root):
                    own.add(top)
                    pending += [] if real in pending else [real]
                elif is_installed(meant) or is_installed(real):
                    found[name] = None
    return tuple(found)


def _changes_imports(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value, ctx=ast.Store() | ast.Del()):
            return dotted_name(value) in DECISIVE
        case ast.Attribute(ctx=ast.Store()):
            return dotted_name(node) in DECISIVE
        case ast.Attribute(value, name):
            return dotted_name(value) in DECISIVE and name != "get"
    return False


def _at_top(file: str) -> Iterator[ast.stmt]:
    """The statements that run whenever a file is imported and may import something; none if it cannot be read."""
    try:
        source = Path(file).read_bytes()
        text = decode_source(source)
        if any(word in text for word in DECISIVE) or BLOCK.search(f"\n{text}"):
            tree = parse(file, source).tree
        else:  # of most files the imports alone are parsed, which takes a tenth of the time
            tree = parse_module("\n".join(found[0] for found in IMPORT.finditer(LONG_STRING.sub("", text))), file)
        yield from _run_always(tree.body)
    except (OSError, SyntaxError, ValueError):
        return


def _run_always(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run whenever a module is imported, without definitions and tests."""
    for statement in body:
        if isinstance(statement, (ast.Try, ast.With)):
            yield from _run_always(statement.body)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If)):
            yield statement


def _imported(statement: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """The modules that an import may import, and the packages around them."""
    names = [alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        module = absolute("." * statement.level + (statement.module or ""), package)
        names = [module, *(f"{module}.{name}" for name in names if name != "*")]
    for name in names:
        yield from (*reversed([*parents(name)]), name)
