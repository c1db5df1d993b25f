"""`torch.jit.script`: compiles the source, branches and loops included."""

from __future__ import annotations

from typing import Any

import torch

from pdt_annotate.captures.subject import Capturable, Captured


def capture(subject: Capturable) -> Captured:
    script: Any = torch.jit.script
    scripted = script(subject.callee)
    return Captured(scripted, lambda: (scripted.inlined_graph,), holders=(scripted,))
