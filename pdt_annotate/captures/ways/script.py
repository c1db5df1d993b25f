"""`torch.jit.script`: compiles the source, branches and loops included."""

from __future__ import annotations

from types import MethodType
from typing import Any

import torch

from pdt_annotate.captures.capturable import Capturable, Captured
from pdt_annotate.verify.judges.scripts import compile_methods


def capture(subject: Capturable) -> Captured:
    """Script a function or a module; of a method, its module with that method in addition to `forward`."""
    script: Any = torch.jit.script
    callee = subject.callee
    if not isinstance(callee, MethodType) or not isinstance(callee.__self__, torch.nn.Module):
        scripted = script(callee)
        return Captured(scripted, lambda: (scripted.inlined_graph,), holders=(scripted,))
    scripted = script(callee.__self__)
    compile_methods(scripted, callee.__self__, (callee.__name__,))
    method = getattr(scripted, callee.__name__)
    return Captured(method, lambda: (method.inlined_graph,), holders=(scripted,))
