"""A reader of SARIF logs, written from the text of the standard, and not from our writer."""

import codecs
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

Json = dict[str, Any]


def apply_fixes(log: Json, root: Path, results: list[Json] | None = None) -> dict[Path, bytes]:
    """The bytes of each file after the fixes of the results. A replacement in several fixes is made once."""
    (run,) = log["runs"]
    replacements: dict[str, list[Json]] = {}
    for result in run["results"] if results is None else results:
        for fix in result.get("fixes", ()):
            for change in fix["artifactChanges"]:
                assert change["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
                mine = replacements.setdefault(change["artifactLocation"]["uri"], [])
                mine += [each for each in change["replacements"] if each not in mine]
    return {resolve(root, uri): _apply(run, root, uri, found) for uri, found in replacements.items()}


def resolve(root: Path, uri: str) -> Path:
    return root / unquote_to_bytes(uri).decode("utf-8", "surrogateescape")


def text_of(run: Json, root: Path, location: Json, region: Json) -> str:
    uri = location["uri"]
    _, text = _decode(run, uri, resolve(root, uri).read_bytes())
    start, end = _region(text, run["newlineSequences"], region)
    return text[start:end]


def _apply(run: Json, root: Path, uri: str, replacements: list[Json]) -> bytes:
    source = resolve(root, uri).read_bytes()
    encoding, text = _decode(run, uri, source)
    placed = [(_region(text, run["newlineSequences"], each["deletedRegion"]), each) for each in replacements]
    for (start, end), each in sorted(placed, key=lambda item: item[0], reverse=True):
        text = text[:start] + each["insertedContent"]["text"] + text[end:]
    mark = codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode(encoding)


def _decode(run: Json, uri: str, source: bytes) -> tuple[str, str]:
    declared = [each["encoding"] for each in run["artifacts"] if each["location"]["uri"] == uri]
    encoding = declared[0] if declared else run["defaultEncoding"]
    return encoding, source.removeprefix(codecs.BOM_UTF8).decode(encoding)


def _region(text: str, ends: list[str], region: Json) -> tuple[int, int]:
    """Offsets in the text in Unicode code points. SARIF's defaults replace omitted parts of a region."""
    newline = "|".join(map(re.escape, sorted(ends, key=len, reverse=True)))
    starts = [0, *(match.end() for match in re.finditer(newline, text))]
    first: int = region["startLine"]
    last: int = region.get("endLine", first)
    start = starts[first - 1] + region.get("startColumn", 1) - 1
    if "endColumn" in region:
        return start, starts[last - 1] + region["endColumn"] - 1
    line = re.split("[\r\n]", text[starts[last - 1] :])[0]
    return start, starts[last - 1] + len(line)
