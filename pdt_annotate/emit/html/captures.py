"""The page of captures: for each target what works, why the rest does not, and what to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit import capture_rows
from pdt_annotate.emit.capture_rows import Versions, by_target, conclusion
from pdt_annotate.emit.html.book import PlaceLink
from pdt_annotate.emit.html.document import PageSection, page
from pdt_annotate.emit.machine.invocation import relative_to, without_root
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding


@dataclass(frozen=True)
class CapturedTarget:
    """A target in its versions, with texts and places without this machine's paths."""

    versions: Versions

    @property
    def name(self) -> str:
        return self.said(self.versions.name)

    @property
    def alone(self) -> Sequence[CapturedTarget]:
        found = self.versions.found
        return [CapturedTarget(Versions((each,))) for each in found] if len(found) > 1 else []

    @property
    def as_last(self) -> str:
        return capture_rows.as_version(self.versions.names[-1])

    def said(self, text: str) -> str:
        return without_root(self.versions.found[0].root, text)

    def place(self, place: Place) -> PlaceLink | None:
        if not place.file:
            return None
        return PlaceLink(str(place.named(relative_to(self.versions.found[0].root, place.file))))

    def findings(self) -> dict[str, list[Finding]]:
        found = sorted(self.versions.findings(), key=lambda each: (each.code, each.place, each.message))
        return {code: list(group) for code, group in groupby(found, key=lambda each: each.code)}

    def sections(self) -> Iterator[tuple[str, str]]:
        yield "ways", "What works"
        if capture_rows.reasons(self.versions):
            yield "reasons", "What does not, and why"
        if self.findings():
            yield "findings", "Findings"
        yield "operators", "Operators"


def captures_page(found: Sequence[Captures]) -> str:
    targets = [CapturedTarget(versions) for versions in by_target(found)]
    title = ", ".join(target.name for target in targets)
    sections = [
        PageSection(f"t{index}-{key}", f"{target.name}: {name[:1].lower()}{name[1:]}", f"captures_{key}", target)
        if len(targets) > 1
        else PageSection(key, name, f"captures_{key}", target)
        for index, target in enumerate(targets, 1)
        for key, name in target.sections()
    ]
    required = [each for target in targets for found in target.versions.found for each in found.required]
    unmet = [each.way for each in required if not each.met]
    tone, sentence = "ok" if required else "idle", "; ".join(conclusion(target.versions) for target in targets)
    if unmet:
        tone, sentence = "bad", f"Required, and fails: {', '.join(unmet)}"
    shown = {
        "heading": title,
        "rows": capture_rows,
        "tone": tone,
        "sentence": sentence[:1].upper() + sentence[1:],
        "sections": sections,
    }
    return page("captures.html", f"{title}: captures", shown)
