"""Output. Faults and findings of an outcome become one list of messages (`messages`), which all forms of output show.

words         phrases that outputs share, and the module tree of a target that failed
capture_rows  results of captures in words
terminal      for people; html, the same as a page
machine       JSON, SARIF, GitHub, JUnit
files         diffs, overlays, and the guards of paths; stubs, `.pyi` files

One table has the emitters, which write or print the annotations themselves (in place, too), and report that in a few
words. The other has the formats of a whole document. To show something new, add a field to `Message`, then show it.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import BinaryIO

from pdt_annotate.emit import stubs
from pdt_annotate.emit.files import assert_within, diff
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.outcome import Outcome, sources_of
from pdt_annotate.writes.transaction import write_files


def write_in_place(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """The default: write the annotated source over the old, or raise UserError and leave every file as it was."""
    assert_within((change.file for change in outcome.changes), outcome.root)
    before = {change.file: change.before for change in outcome.changes}
    write_files(sources_of(outcome.changes), before, outcome.root)
    annotations, files = tally(outcome)
    return f"wrote {annotations} into {files}"


def check(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """`--check`: write nothing; the exit code says whether annotations are missing."""
    annotations, files = tally(outcome)
    return f"{annotations} missing in {files}, nothing written (the same command without --check writes them)"


# (outcome, options, stdout) → the beginning of a sentence that reports the work
EMITTERS: Mapping[WriteBack, Callable[[Outcome, Options, BinaryIO], str]] = {
    WriteBack.IN_PLACE: write_in_place,
    WriteBack.DIFF: diff.emit,
    WriteBack.CHECK: check,
    WriteBack.STUBS: stubs.emit,
}
FORMATS: Mapping[str, str] = {  # the modules of the formats, by their names on the command line; each has a `render`
    "json": "machine.json_file",
    "github": "machine.github",
    "sarif": "machine.sarif",
    "junit": "machine.junit",
    "html": "html",
    "text": "terminal.report",
}


def render(name: str, outcome: Outcome, invocation: Invocation) -> bytes:
    """The whole document in a format. The modules of the other formats are not imported."""
    module = importlib.import_module(f"{__package__}.{FORMATS[name]}")
    document: bytes = module.render(outcome, invocation)
    return document
