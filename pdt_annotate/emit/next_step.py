"""The one thing to do after a run that failed, as plain data for programs: JSON and SARIF carry the same object."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pdt_annotate.emit.machine.invocation import Invocation, relative_to
from pdt_annotate.emit.messages import Message, Messages
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.verdicts import AS_BEFORE, judge_of

EDITED = judge_of(AS_BEFORE).code  # no mend makes up for an edit
AROUND = 3  # lines shown before and after the place
LISTED = 3  # the most mends that are named


def next_step(outcome: Outcome, invocation: Invocation) -> Mapping[str, Any]:
    """The fault that people see first, its remedy and the command that proves it; empty if nothing failed."""
    messages = Messages(outcome, invocation)
    blamed = messages.blamed()
    is_missing = not blamed and invocation.write_back.fails_on_missing
    if is_missing:
        blamed = [message for each in messages.lacking() for message in messages.of_missing(each)]
    if not blamed:
        return {}
    message, advised = blamed[0], outcome.advised
    place = message.place
    numbers = range(max(place.line - AROUND, 1), place.line + AROUND + 1) if place.line else ()
    lines = ((number, messages.moved.line(replace(place, line=number))) for number in numbers)
    helps = advised is not None and advised.verifies
    do = f"Run `{invocation.command}`." if invocation.command and (helps or is_missing) else message.steps[0]
    step: dict[str, Any] = {
        "code": message.code,
        "message": message.headline or message.said,
        "file": relative_to(invocation.base, place.file) if place.file else "",
        "line": place.line,
        "column": place.column,
        "function": message.function or message.subject,
        "call": message.failure.call if message.failure else "",
        "cause": message.text,
        "lines": [{"line": number, "text": text.rstrip("\r\n")} for number, text in lines if text],
        "do": do,
        "advice": [each for each in message.steps if each != do],
        "mends": [each.summary for each in advised.mends] if advised and helps else [],
        "mend_level": advised.level.value if advised and helps else "",
        "no_mend": "" if helps or is_missing or message.code == EDITED else _why_no_mend(message, messages),
        "command": invocation.command,
    }
    return {key: value for key, value in step.items() if value not in ("", [], 0)}


def _why_no_mend(message: Message, messages: Messages) -> str:
    if messages.invocation.write_back is WriteBack.NOTHING:
        return "`verify` does not try code changes; run the command without `verify` and with `--mend all --diff`"
    asked = message.asked_for
    if not asked:
        return "`--mend` has no code change for this message"
    named = ", ".join(f"`{name}`" for name in asked[:LISTED]) + (" and others" if len(asked) > LISTED else "")
    return (
        f"the mends for this message ({named}) have conditions that this code does not meet; docs/mends.md lists them"
    )
