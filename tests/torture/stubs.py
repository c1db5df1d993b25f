"""Two tools that are none: one refuses everything, one accepts everything. No class may hold with either."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock, Mock, patch

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
            kinds = {name: replace(kind, read=reader) for name, kind in inputs.KINDS.items()}
            stack.enter_context(patch.dict(inputs.KINDS, kinds))
        if name == "processes":
            zygote = MagicMock()  # whose sessions answer as those do in which nothing has happened
            session = Mock(**{"run.return_value": "as good as before"})
            zygote.__enter__().session = Mock(return_value=session, side_effect=refusal)
            stack.enter_context(patch("classes.processes.Zygote", return_value=zygote))
        yield
