"""Two tools that are none: one refuses everything, one accepts everything. No class may hold with either."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import Mock, patch

import projects
from classes import inputs

from pdt_annotate.rewrite import Rewritten
from pdt_annotate.values.errors import UserError

sys.path.insert(0, str(projects.REPOSITORY / "tests" / "helpers"))

import warm_interpreters

KINDS = ("refuses", "accepts")
COMMAND = """\
import sys


def main():
    if {refuses}:
        sys.exit(print("error: no", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()
"""


class _Zygote:
    """It has sessions, and each answers as one does in which nothing has happened."""

    def __init__(self, **_: object) -> None: ...

    def __enter__(self) -> _Zygote:
        return self

    def __exit__(self, *_: object) -> None: ...

    def session(self, *_: object) -> _Zygote:
        return self

    def run(self, *_: object, **__: object) -> str:
        return "as good as before"

    def close(self) -> None: ...

    def await_end(self, deadline: float) -> None: ...


class _Deaf(_Zygote):
    def session(self, *_: object) -> _Zygote:
        raise UserError("no")


@contextmanager
def stubbed(name: str, kind: str) -> Iterator[None]:
    """Have the attacks of a class made on a stub, its commands and its calls."""
    refuses = kind == "refuses"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()), "pdt_annotate")
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "__main__.py").write_text(COMMAND.format(refuses=refuses))
        stack.enter_context(patch("projects.TOOL", str(folder.parent)))
        stack.enter_context(patch.dict(os.environ, PYTHONPATH=str(folder.parent)))
        stack.enter_context(patch.dict(warm_interpreters.WORDS, clear=True))
        refusal = UserError("no") if refuses else None
        stack.enter_context(patch("written.write_files", side_effect=refusal))
        if name == "rewriting":
            accepted = refusal or (lambda source, *_, **__: Rewritten(source))
            stack.enter_context(patch("classes.rewriting.rewrite", side_effect=accepted))
        if name == "inputs":
            reader = Mock(return_value=None, side_effect=refusal)
            stack.enter_context(patch.dict(inputs.READERS, dict.fromkeys(inputs.READERS, reader)))
        if name == "processes":
            stack.enter_context(patch("classes.processes.Zygote", _Deaf if refuses else _Zygote))
        yield
