"""A module annotated by the real compiler's messages, and the annotations as text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from pdt_annotate.flows import annotate as flow
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation

HEAD = """\
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn


class Point(NamedTuple):
    x: Tensor
    n: int
"""


def annotate(zygote: Zygote, folder: Path, source: str, calls: str, head: str = HEAD) -> Outcome:
    """Annotate `Net` of a module with this source; the calls are argument tuples."""
    model, spec = folder / "model.py", folder / "inputs.py"
    model.write_text(head + dedent(source))
    spec.write_text(f"import torch\n\nexample_inputs = [{calls}]\n")
    options = Options(targets=(parse(f"{model}:Net"),), spec=spec_source(str(spec), ()), root=str(folder))
    return flow.annotate(options, zygote)


def describe(annotation: Annotation) -> tuple[str, str]:
    slot, type_ = annotation.slot, annotation.type
    return f"{slot.owner.qualname}.{slot.name}", f"Final[{type_}]" if annotation.final else str(type_)
