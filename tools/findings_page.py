"""docs/findings.md, made from the catalogue of findings and the compiler's errors for its examples.

    python tools/findings_page.py [--check] [FILE]

writes the page. With --check it writes nothing, and exits with 1 if the page is stale. The compiler's message may
depend on earlier compilations in the process. So the page is made in its own process, and each message in a fork of it.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import made_page
from compiler_messages import compile_failure, load
from made_page import escape

from pdt_annotate.findings.catalogue import CatalogueEntry, entries
from pdt_annotate.findings.messages import classify
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.values.verdicts import Failure

FILE = Path(__file__).resolve().parent.parent / "docs" / "findings.md"

HEAD = """\
# Findings

<!-- Made by `make docs` from pdt_annotate/findings/catalogue.toml. -->

A finding reports a fact that you should know or a problem that you should solve. `pdt-annotate explain PDT004` prints
one of these entries in the terminal. The examples import `torch`, `Tensor`, the names of `typing`, `enum` and
`dataclasses`. If the compiler of torch 2.13 reports an error for an example, the first line of its message follows.

| code | finding |
|---|---|
"""

# The part of a message that differs between builds of torch.
DIRECTORY = re.compile(r'"/[^"]*/')


def make() -> str:
    """The whole page."""
    index = "".join(f"| [{e.code}](#{e.code.lower()}) | {escape(e.title)} |\n" for e in entries().values())
    with tempfile.TemporaryDirectory() as folder:
        return HEAD + index + "".join(section(e, Path(folder)) for e in entries().values())


def section(entry: CatalogueEntry, folder: Path) -> str:
    """The section of one code. The example becomes a module in the folder."""
    parts = (
        f'<a id="{entry.code.lower()}"></a>\n\n## {entry.code}: {escape(entry.title)}',
        escape(entry.meaning),
        f"```python\n{entry.example.strip()}\n```",
        *(f"```text\n{said}\n```" for said in [compiler_says(entry, folder)] if said),
        f"**What to do:** {escape(entry.advice)}",
    )
    return "".join(f"\n{part}\n" for part in parts)


def compiler_says(entry: CatalogueEntry, folder: Path) -> str:
    """The first line of the compiler's message for the example; empty if no message belongs to the code.

    If a line ends with a colon, the next line is included, because it finishes the sentence.
    """
    try:
        subject = getattr(load(entry.example, folder, f"example_{entry.code}"), "f", None)
    except ImportError:  # an example of several files
        return ""
    failure: Failure | None = in_fork(compile_failure, subject) if subject is not None else None
    if failure is None or classify(failure.text) != entry.code:
        return ""
    lines = [line for line in failure.message.splitlines() if line.strip()]
    end = next((number for number, line in enumerate(lines, start=1) if not line.endswith(":")), len(lines))
    return DIRECTORY.sub('"…/', "\n".join(lines[:end]))


if __name__ == "__main__":
    sys.exit(made_page.main(__doc__, FILE, make))
