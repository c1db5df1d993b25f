"""The judges: their names, and the meaning of a no. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pdt_annotate.values.verdicts import Answers

PARSES, SAME_PROGRAM, STABLE = "parses", "same program", "stable"
SCRIPTS, RUNS, ANSWERS, HELD_BACK, CALLERS_SEE = "scripts", "runs", "answers", "held back", "callers see"
SAVED, METHODS, PROBES, EAGER = "saved and loaded", "methods", "probes", "eager as before"
BEHAVES, UNDONE, PUBLIC, CALLS, ALSO_RUNS = "behaves as before", "undone", "public names", "calls fit", "also runs"
TRACES, TRACES_ALIKE, STILL_SCRIPTS = "trace answers", "traces alike", "scripts as before"


@dataclass(frozen=True)
class Judge:
    """A judge and the meaning of its verdicts."""

    name: str
    no: str = ""  # the meaning of its no for the target, as a clause; "" if its name says enough
    # The `Answers` of a part of a target that mean the same as its no; None if no answer does.
    means: Answers | None = None
    code: str = ""  # the finding for its no; "" if the message decides
    is_textual: bool = False  # it reads the sources, and needs no compiler
    is_per_call: bool = False  # it has a verdict on each example call


JUDGES: Mapping[str, Judge] = {
    judge.name: judge
    for judge in (
        Judge(PARSES, is_textual=True),
        Judge(SAME_PROGRAM, is_textual=True),
        Judge(STABLE, is_textual=True),
        Judge(SCRIPTS, "it does not script", Answers.UNKNOWN),
        Judge(RUNS),
        Judge(ANSWERS, "scripted, it answers otherwise than in Python", Answers.DIFFER, "PDT060", is_per_call=True),
        Judge(
            HELD_BACK,
            "scripted, it answers otherwise than in Python on calls that were held back",
            Answers.DIFFER,
            "PDT063",
            is_per_call=True,
        ),
        Judge(CALLERS_SEE, code="PDT068"),
        Judge(SAVED, "scripted, saved and loaded it answers otherwise", code="PDT069"),
        Judge(METHODS),
        Judge(PROBES, code="PDT067"),
        # EAGER: the annotations alone leave the Python program unchanged. The others say the same of mends.
        Judge(EAGER, code="PDT062"),
        Judge(BEHAVES, code="PDT094"),
        Judge(UNDONE, code="PDT094"),
        Judge(PUBLIC, code="PDT094"),
        Judge(CALLS, code="PDT094"),
        Judge(ALSO_RUNS, code="PDT095"),
        # For mends with which a trace answers right.
        Judge(TRACES),
        Judge(TRACES_ALIKE),
        Judge(STILL_SCRIPTS),
    )
}
"""Judges by name. A judge of any other name has no entry."""


def judge_of(name: str) -> Judge:
    return JUDGES.get(name, Judge(name))
