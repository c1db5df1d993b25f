"""The comments that speak to us: `# pdt: skip`, `# pdt: skip-file` and `# type:` (PEP 484)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.source.text import Text

SKIP = re.compile(r"#\s*pdt:\s*skip(?![\w-])")
SKIP_FILE = re.compile(r"#\s*pdt:\s*skip-file\b")
TYPE = re.compile(r"#\s*type:\s*(?!ignore\b)\S")


@dataclass(frozen=True)
class Comments:
    """All comments of a file with their offsets, in source order."""

    text: Text
    all: Sequence[tuple[int, str]]

    def match(self, pattern: re.Pattern[str], start: int, end: int) -> bool:
        """Whether a comment that begins in the span matches."""
        first = bisect_left(self.all, (start, ""))
        last = bisect_left(self.all, (end, ""))
        return any(pattern.search(comment) for _, comment in self.all[first:last])

    def skips(self, start: int, end: int) -> bool:
        """Whether a `# pdt: skip` stands in the span or alone on the line above it."""
        line = self.text.line(start)
        above = self.text.line_start(line - 1) if line > 1 else start
        if not self.text.line_bytes(above).lstrip().startswith(b"#"):
            above = start
        return self.match(SKIP, above, end)
