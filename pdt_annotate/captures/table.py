"""The ways of capturing. To add one, write its file in `ways` and its line here."""

from __future__ import annotations

from pdt_annotate.values.captures import CaptureClass, Way

_WAYS = "pdt_annotate.captures.ways"
_OUT_OF_BOX, _IN_LOOP, _BEST_EFFORT = CaptureClass.OUT_OF_BOX, CaptureClass.HUMAN_IN_THE_LOOP, CaptureClass.BEST_EFFORT

# What is sound: script compiles branches and loops; dynamo looks again, before every call, at what it assumed of those
# before; lazy tensors are recorded anew in every call. A trace of any kind keeps what Python did in one call; of an
# export that is not strict, as it is by default, torch says that it does not validate all that is baked into it.
WAYS = (
    Way("script", "torch.jit.script", f"{_WAYS}.script:capture", _IN_LOOP, sound=True),
    Way("trace", "torch.jit.trace", f"{_WAYS}.trace:capture", _OUT_OF_BOX, sound=False),
    Way("fx", "torch.fx.symbolic_trace", f"{_WAYS}.fx:capture", _IN_LOOP, sound=False),
    Way("compile", "torch.compile, fullgraph", f"{_WAYS}.compile:capture_whole", _IN_LOOP, sound=True),
    Way("compile-breaks", "torch.compile", f"{_WAYS}.compile:capture", _BEST_EFFORT, sound=True),
    Way("export", "torch.export", f"{_WAYS}.export:capture", _IN_LOOP, sound=False),
    Way("export-dynamic", "torch.export, dynamic shapes", f"{_WAYS}.export:capture_dynamic", _IN_LOOP, sound=False),
    Way("make_fx", "make_fx", f"{_WAYS}.make_fx:capture", _OUT_OF_BOX, sound=False),
    Way("lazy", "lazy tensors", f"{_WAYS}.lazy:capture", _BEST_EFFORT, sound=True),
)
"""In the order of the table that people see."""

BY_NAME = {way.name: way for way in WAYS}
