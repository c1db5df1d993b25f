"""Fake captures for the tests of the output: a target in its original and its annotated version."""

from pathlib import Path

from pdt_annotate.values.capture_results import CallFate, Capture, CaptureClass, Captures, Fate, Requirement, Way
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding, Place
from pdt_annotate.values.verdicts import Failure

WAYS = (
    Way("script", "torch.jit.script", "", CaptureClass.HUMAN_IN_THE_LOOP, sound=True),
    Way("trace", "torch.jit.trace", "", CaptureClass.OUT_OF_BOX, sound=False),
    Way("fx", "torch.fx.symbolic_trace", "", CaptureClass.HUMAN_IN_THE_LOOP, sound=False),
    Way("compile-breaks", "torch.compile", "", CaptureClass.BEST_EFFORT, sound=True),
    Way("lazy", "lazy tensors", "", CaptureClass.BEST_EFFORT, sound=True),
)

REFUSED = "symbolically traced variables cannot be used as inputs to control flow"
DIFFERS = "the result differs: Tensor-likes are not close!"


def calls(fate: Fate = Fate.SAME, message: str = "") -> tuple[CallFate, ...]:
    """Two calls, and one held-back call with this result."""
    return (
        CallFate("1", Fate.SAME, made_from=True),
        CallFate("2", Fate.SAME),
        CallFate("long", fate, held_back=True, message=message),
    )


def make_captures(root: Path) -> tuple[Captures, ...]:
    """A target that scripts after it is annotated, whose trace is wrong, and for which one way is absent."""
    file = str(root / "model.py")
    target = Target("model.py:Net", "", file, "Net")
    said = Finding("PDT030", "only None was seen for `mask`", Place(file, 3, 5))
    failure = Failure("Expected a Tensor", "RuntimeError", Place(file, 3, 5), text=f'at\n  File "{file}", line 3')
    refused = Failure(REFUSED, "TraceError", Place(file, 4))
    trace = Capture(
        "trace", True, None, "", 1, True, calls(Fate.DIFFERS, DIFFERS), (said,), 0.5, 98.4, 0.84, {"aten::mul": 3}
    )
    others = (
        trace,
        Capture("fx", failure=refused),
        Capture("compile-breaks", True, None, "", 3, False, calls(), (), 1.5, 7230.2, 12.0, {"mul": 2, "add": 1}),
        Capture("lazy", absent="this torch has no lazy tensors"),
    )
    script = Capture("script", True, None, "", 1, True, calls(), (), 0.25, 20.0, None, {"aten::mul": 3, "prim::If": 1})
    required = (Requirement("script"), Requirement("fx", f"not captured: model.py:4: {REFUSED}"))
    return (
        Captures(target, "as it is", (Capture("script", failure=failure), *others), ways=WAYS, root=str(root)),
        Captures(target, "annotated", (script, *others), ways=WAYS, root=str(root), required=required),
    )
