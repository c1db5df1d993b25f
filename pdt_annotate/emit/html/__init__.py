"""`--html FILE`: one self-contained page for people who look, readable offline and without JavaScript.

templates/  each section of a page is a file; `outcome.html` and `captures.html` extend `sections.html` and `page.html`
document    fills a template, under a policy that lets nothing else into the page
book        the files, annotations and findings of an outcome, with the keys by which they refer to each other
page_texts  the end of the run, findings, advice, verdicts, and the tree of modules or functions
source      a file's lines with evidence and flags, and the differences between two versions of a file

The page of captures is here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from pdt_annotate.emit import capture_rows
from pdt_annotate.emit.capture_rows import Versions, by_target, conclusion
from pdt_annotate.emit.html import page_texts
from pdt_annotate.emit.html.book import PageContent, PlaceLink
from pdt_annotate.emit.html.document import PageSection, page
from pdt_annotate.emit.machine.invocation import Invocation, relative_to, without_root
from pdt_annotate.emit.messages import LACKING, NOTHING_TO_MEND, Messages
from pdt_annotate.emit.words import capital, first_line
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.capture_results import Captures
from pdt_annotate.values.exits import MEANINGS
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Place, Severity


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The page as UTF-8 bytes, the same for the same outcome, command and versions."""
    book = PageContent(outcome, invocation)
    names = dict.fromkeys((*(target.text for target in outcome.targets), *invocation.targets_without_result))
    title = ", ".join(map(book.said, names)) or "From a profile"
    shown = {
        "heading": title,
        "book": book,
        "ending": page_texts.ending_of(book),
        "exit_meaning": MEANINGS[invocation.exit_code] if invocation.exit_code else "",
        "found": page_texts.found(book),
        "standings": page_texts.STANDINGS,
        "NOTHING_TO_MEND": NOTHING_TO_MEND,
        "sections": list(_sections(book)),
    }
    return page("outcome.html", title, shown).encode()


def _sections(book: PageContent) -> Iterator[PageSection]:
    outcome = book.outcome
    if book.invocation.without_result:
        # A shared error is listed once, with the targets of all runs.
        groups = groupby(book.invocation.without_result, key=lambda each: (each.message, each.place))
        shared = (list(same) for _, same in groups)
        errors = [([target for each in same for target in each.targets], same[0]) for same in shared]
        yield PageSection("errors", "Details", about=errors)
    messages = Messages(outcome, replace(book.invocation, base=outcome.root)).all()
    faults = [each for each in messages if each.severity is Severity.ERROR and each.code not in LACKING]
    steps = [(each, book.link(each.place), book.said(first_line(each.said or each.text))) for each in faults]
    yield PageSection("steps", "What to do", about=steps)
    if outcome.blame:
        yield PageSection("modules", "Modules", about=page_texts.modules_of(book))
    if (outcome.all_changes or not outcome.blame) and (book.annotations or outcome.unreached):
        is_missing = book.invocation.write_back is WriteBack.CHECK and outcome.is_sound and outcome.changes
        heading = "Functions that lack annotations" if is_missing else "Functions"
        heading = "Functions that the profile knows" if outcome.outdated else heading
        yield PageSection("functions", heading, about=page_texts.functions_of(book))
    if outcome.mends or outcome.advised:
        yield PageSection("mends", "Changes of code")
    if book.findings:
        yield PageSection("findings", "Findings")
    if outcome.overlaid:
        yield PageSection("third-party", "Third-party files")
    if book.sheets:
        yield PageSection("files", "Files")
    named = "Versions" if book.has_no_result else "Verification"
    runs = groupby(outcome.verdicts, key=lambda verdict: (verdict.judge, verdict.ok))
    yield PageSection("judges", named, about=[(name, ok, len(list(group))) for (name, ok), group in runs])


def said_of(versions: Versions, text: str) -> str:
    """The text without this machine's paths."""
    return without_root(versions.found[0].root, text)


def place_of(versions: Versions, place: Place) -> PlaceLink | None:
    return PlaceLink(str(place.named(relative_to(versions.found[0].root, place.file)))) if place.file else None


def captures_page(found: Sequence[Captures]) -> str:
    targets = by_target(found)
    names = [said_of(target, target.found[0].target.text) for target in targets]
    title = ", ".join(names)
    sections: list[PageSection] = []
    for index, (target, name) in enumerate(zip(targets, names, strict=True), 1):
        headings = {"ways": "What works"}
        headings |= {"reasons": "What fails, and why"} if capture_rows.reasons(target) else {}
        headings |= {"findings": "Findings"} if target.findings() else {}
        for key, heading in (headings | {"operators": "Operators"}).items():
            full = f"{name}: {heading[:1].lower()}{heading[1:]}" if len(targets) > 1 else heading
            section = f"t{index}-{key}" if len(targets) > 1 else key
            sections.append(PageSection(section, full, f"captures_{key}", target))
    required = [each for target in targets for found in target.found for each in found.required]
    unmet = [each.way for each in required if not each.met]
    tone, sentence = "ok" if required else "idle", "; ".join(conclusion(target) for target in targets)
    if unmet:
        tone, sentence = "bad", f"Required, and fails: {', '.join(unmet)}"
    shown = {"heading": title, "rows": capture_rows, "tone": tone, "sentence": capital(sentence), "sections": sections}
    return page("captures.html", f"{title}: captures", {**shown, "said_of": said_of, "place_of": place_of})
