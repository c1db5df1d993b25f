"""What the page says of a run: how it ended, what was found, what failed, what the judges said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from pdt_annotate.emit.html.book import Book, PlaceLink
from pdt_annotate.emit.machine.invocation import Invocation, NoResult
from pdt_annotate.emit.messages import LACKING, Message, Messages
from pdt_annotate.emit.module_tree import in_the_way
from pdt_annotate.emit.words import first_line, is_failed, judgement, plural, tally
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.exits import EXIT_MISSING
from pdt_annotate.values.judges import judge_of
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Origin, Severity


@dataclass(frozen=True)
class Standing:
    """How sure an origin makes: a class of the style sheet, a word, also for several, and what it means."""

    tone: str
    word: str
    meaning: str
    several: str = ""

    def counted(self, count: int) -> str:
        """ "2 guesses", "3 from the source"."""
        return f"{count} {self.several if self.several and count > 1 else self.word}"


STANDINGS = {
    Origin.EDITED: Standing("told", "edited", "a person decided"),
    Origin.OBSERVED: Standing("sure", "observed", "seen while the examples ran"),
    Origin.SOURCE: Standing("told", "from the source", "no example gave a value; the source tells the type"),
    Origin.REPAIR: Standing("asked", "repair", "the compiler asked for it", "repairs"),
    Origin.GUESS: Standing("guess", "guess", "it compiles, but nothing says that it is right: review it", "guesses"),
}
"""For every origin."""


@dataclass(frozen=True)
class Ending:
    """How a run ended. `tone` is a class of the style sheet: ok, review, bad, or idle for what no compiler judged."""

    tone: str
    sentence: str


def ending_of(outcome: Outcome, invocation: Invocation) -> Ending:
    """What is to be said first."""
    if invocation.without_result:
        return Ending("bad" if invocation.exit_code else "idle", _no_result(outcome, invocation))
    if is_failed(outcome):
        failed = ", ".join(blame.target.text for blame in outcome.blame) if len(outcome.targets) > 1 else ""
        who = f" ({failed})" if failed else _in_the_way(outcome)
        return Ending("bad", f"Failed: {why_not(outcome)}{who}{_all_the_same(outcome, invocation)}")
    tone, became = "ok", "" if outcome.outdated else "Nothing to annotate"
    if invocation.write_back is WriteBack.NOTHING:
        became = "Verified"
    elif outcome.changes:
        tone, became = "review" if invocation.write_back.fails_on_missing else "ok", _became(outcome, invocation)
    elif outcome.overlaid:
        became = f"Annotated in copies: {plural(len(outcome.overlaid), 'third-party file')}"
    if outcome.outdated:
        unknown = f"the profile does not know {plural(len(outcome.outdated.findings), 'function')} without annotations"
        tone, became = "review", ", and ".join(filter(None, (became, unknown)))
    if invocation.exit_code == EXIT_MISSING:
        is_check = invocation.write_back.fails_on_missing
        tone, became = ("bad", f"Check failed: {became}") if is_check else ("review", became)
    elif not outcome.verified and tone == "ok":
        tone = "idle"
    with_them = "with them, " if judged_unwritten(outcome, invocation) else ""
    return Ending(tone, f"{_capital(became)}. {_capital(with_them + judgement(outcome))}")


def has_no_result(outcome: Outcome, invocation: Invocation) -> bool:
    """Whether there is nothing to tell but what ended the run."""
    return bool(invocation.without_result) and not (outcome.verdicts or outcome.closure.files)


def _no_result(outcome: Outcome, invocation: Invocation) -> str:
    """How many targets came to nothing, and why, in a line."""
    without = invocation.without_result
    messages = dict.fromkeys(first_line(each.message).rstrip(".") for each in without)
    why = f": {next(iter(messages))}" if len(messages) == 1 else ""
    if has_no_result(outcome, invocation):
        return f"No result{why}"
    failed = [target for each in without for target in each.targets]
    of = plural(len(failed) + len(outcome.targets), "target")
    faulty = ", ".join(blame.target.text for blame in outcome.blame)
    others = f". Failed: {faulty}" if faulty else ""
    return f"No result for {len(failed)} of {of}: {', '.join(failed)}{why}{others}"


def why_not(outcome: Outcome) -> str:
    """Which judges said no."""
    judges = dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok)
    said = [judge_of(judge).no or f"the judge of “{judge}” says no" for judge in judges]
    return "; ".join(said) or "it is not verified"


def _in_the_way(outcome: Outcome) -> str:
    """What of the one target that failed is at fault."""
    said = in_the_way(outcome.blame[0]) if len(outcome.blame) == 1 else ""
    return f"; {said}" if said else ""


def judged_unwritten(outcome: Outcome, invocation: Invocation) -> bool:
    """Whether what was verified is not what the files hold."""
    return outcome.verified and bool(outcome.changes) and bool(invocation.write_back.value.to_write)


def _all_the_same(outcome: Outcome, invocation: Invocation) -> str:
    """What of a run that failed is there to write, of parts or of other targets."""
    if not (outcome.is_sound and outcome.changes):
        return ""
    return f". {_became(outcome, invocation)}, of what holds by itself"


def _became(outcome: Outcome, invocation: Invocation) -> str:
    """What became of the annotations."""
    annotations, files = tally(outcome)
    return invocation.write_back.value.became.format(annotations=annotations, files=files)


def _capital(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def found(book: Book) -> Iterator[str]:
    """What was found, but for what there is a number of."""
    outcome = book.outcome
    if has_no_result(outcome, book.invocation):
        yield "Nothing: it ended before there was a result"
        return
    with_them = "with the annotations, " if judged_unwritten(outcome, book.invocation) else ""
    yield _capital(why_not(outcome) if is_failed(outcome) else with_them + judgement(outcome))
    yield from _targets(book)
    if book.invocation.write_back is not WriteBack.NOTHING:
        annotations, files = plural(len(book.annotations), "annotation"), plural(len(book.by_file), "file")
        yield f"{annotations} in {files}" if book.annotations else "no annotation is needed"


def _targets(book: Book) -> Iterator[str]:
    """Which of several targets failed, and how many lines and modules of those are at fault."""
    outcome = book.outcome
    without = [target for each in book.invocation.without_result for target in each.targets]
    if len(outcome.targets) + len(without) > 1:
        failing, of = len(outcome.blame), plural(len(outcome.targets) + len(without), "target")
        names = ", ".join(book.said(blame.target.text) for blame in outcome.blame)
        if failing or not without:
            yield f"{failing} of {of} failed: {names}" if failing else f"{of}, none of which failed"
    if without:
        yield f"no result for {', '.join(map(book.said, without))}"
    yield from filter(None, map(in_the_way, outcome.blame))


def errors(book: Book) -> list[tuple[list[str], NoResult]]:
    """What ended runs before there was anything to say of them, with their targets: what several share once."""
    groups = groupby(book.invocation.without_result, key=lambda each: (each.message, each.place))
    shared = (list(same) for _, same in groups)
    return [([target for each in same for target in each.targets], same[0]) for same in shared]


def faults(book: Book) -> list[tuple[Message, PlaceLink | None, str]]:
    """What failed, each with its place and its first line."""
    messages = Messages(book.outcome, replace(book.invocation, base=book.outcome.root)).all()
    failed = (each for each in messages if each.severity is Severity.ERROR and each.code not in LACKING)
    return [(each, book.link(each.place), book.said(first_line(each.said or each.text))) for each in failed]


def judges(outcome: Outcome) -> list[tuple[str, bool, int]]:
    """What each judge said, and how many times in a row."""
    runs = groupby(outcome.verdicts, key=lambda verdict: (verdict.judge, verdict.ok))
    return [(name, ok, len(list(group))) for (name, ok), group in runs]
