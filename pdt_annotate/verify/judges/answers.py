"""Does the scripted model do the same on a call as the eager one, as far as the caller sees?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pdt_annotate.findings.messages.said import RAISED, last_line, read_failure
from pdt_annotate.values.judges import ANSWERS, CALLERS_SEE, HELD_BACK, RUNS
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Failure, Verdict
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.equality import SEEN, Difference, compare

REMARKS = 2  # of a code, on one call

# A further check of a call that answered both ways: returns remarks, or raises a `Difference`.
CompileResult = Callable[[Done, Done], Iterable[Failure] | None]


def judge_call(call: Call, eager: Done, scripted: Done, looks: Iterable[CompileResult] = ()) -> Iterator[Verdict]:
    """The verdict on a call made both ways (if eager raises, scripted must), then further differences for callers."""
    judge = HELD_BACK if call.held_back else ANSWERS
    try:
        if scripted.error is not None and eager.error is None:
            failure = read_failure(scripted.error)
            message = f"the scripted model raises where the eager one does not: {last_line(failure.text)}"
            failure = replace(failure, message=message, raises=True, call=call.name)
            yield Verdict(HELD_BACK if call.held_back else RUNS, False, failure)
            return
        remarks = _compare(call, eager, scripted)
    except Difference as difference:
        yield Verdict(judge, False, Failure(str(difference), call=call.name))
    except Exception as error:  # an answer of the user's class, whose comparison or `repr` raises
        kind = type(error).__name__
        yield Verdict(judge, False, Failure(f"comparing the results raises {kind}", kind, call=call.name))
    else:
        yield Verdict(judge, True)
        seen = list(remarks)
        for look in looks:
            try:
                seen += look(eager, scripted) or ()
            except Difference as difference:
                seen.append(Failure(str(difference)))
        by_code: dict[str, list[Failure]] = {}
        for remark in seen:
            by_code.setdefault(remark.code, []).append(remark)
        # A few remarks of each code; the last of them has the number of the others.
        for alike in by_code.values():
            *kept, last = alike[:REMARKS]
            left = len(alike) - REMARKS
            kept.append(replace(last, message=f"{last.message} (and {left} more)") if left > 0 else last)
            yield from (Verdict(CALLERS_SEE, False, replace(each, call=call.name)) for each in kept)


def _compare(call: Call, eager: Done, scripted: Done) -> tuple[Failure, ...]:
    """Remarks on the answers or errors of two calls, if not only scripted raised; or raises a `Difference`."""
    if eager.error is not None:
        name = type(eager.error).__name__
        if scripted.error is None:
            raise Difference(f"the eager model raises {name}, the scripted one does not")
        raised = RAISED.match(last_line(str(scripted.error)))
        named = raised[1] if raised else ""  # "ValueError" of "builtins.ValueError: too small"
        if named in ("", name):
            return ()
        return (Failure(f"the scripted model raises {named}, the eager one {name}", code=SEEN),)
    if call.raises:
        raise Difference("the call is meant to raise, and does not")
    return compare(eager.answer, scripted.answer)
