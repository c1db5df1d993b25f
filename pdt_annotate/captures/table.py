"""The ways of capturing. To add one, write its file in `ways` and its line here."""

from __future__ import annotations

from pdt_annotate.values.captures import CaptureClass, Way

_WAYS = "pdt_annotate.captures.ways"

WAYS = (
    Way("script", "torch.jit.script", f"{_WAYS}.script:capture", CaptureClass.HUMAN_IN_THE_LOOP, sound=True),
    Way("trace", "torch.jit.trace", f"{_WAYS}.trace:capture", CaptureClass.OUT_OF_BOX, sound=False),
    Way(
        "trace-mixed",
        "torch.jit.trace, scripted inside",
        f"{_WAYS}.trace_mixed:capture",
        CaptureClass.HUMAN_IN_THE_LOOP,
        sound=False,
    ),
)
"""In the order of the table that people see."""

BY_NAME = {way.name: way for way in WAYS}
