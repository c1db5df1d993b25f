"""`torch.fx.symbolic_trace`: runs the Python code with stand-ins for the arguments, and refuses to branch on them."""

from __future__ import annotations

import torch.fx

from pdt_annotate.captures.subject import Capturable, Captured
from pdt_annotate.captures.wrapping import as_module


def capture(subject: Capturable) -> Captured:
    """Trace symbolically, from no call at all."""
    traced = torch.fx.symbolic_trace(as_module(subject.callee))
    return Captured(traced, lambda: (traced.graph,), holders=(traced,))
