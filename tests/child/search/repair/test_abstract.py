"""Methods that only raise: which they are, and what their overrides say of them to the real compiler."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows import annotate as flow
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.repair.abstract import is_abstract
from pdt_annotate.settings.options import Options
from pdt_annotate.source.survey import Function, survey
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import SlotKind


def function(source: str) -> Function:
    (found,) = survey("model.py", dedent(source).encode()).functions
    assert isinstance(found.node, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    "body",
    [
        "return x",
        "pass",
        "if x is None:\n        raise ValueError\n    return x",
        "if x is None:\n        return x\n    raise ValueError",
        "raise ValueError\n    return x",
    ],
)
def test_what_may_return_is_not_abstract(body: str) -> None:
    assert not is_abstract(function(f"def f(self, x):\n    {body}\n"))


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        '"""What overrides must do."""\n    raise NotImplementedError("override me")',
        "if x is None:\n        return\n    raise NotImplementedError",
    ],
)
def test_what_ends_in_raise_without_a_value_is_abstract(body: str) -> None:
    assert is_abstract(function(f"def f(self, x):\n    {body}\n"))


MODEL = """
    from typing import NamedTuple

    import torch
    from torch import Tensor, nn


    class Energies(NamedTuple):
        species: Tensor
        energies: Tensor


    class Potential(nn.Module):
        def compute(self, x):{annotation}
            raise NotImplementedError

        def forward(self, x):
            return self.compute(x){use}


    class Pair(Potential):
        def compute(self, x):
            return {result}


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pair, self.never = Pair(), Potential()

        def forward(self, x):
            if x.size(0) > 100:
                x = self.never(x)
            return self.pair(x)
"""


def annotate(zygote: Zygote, folder: Path, **parts: str) -> Outcome:
    text = MODEL.replace("(self, x):{annotation}", "(self, x){annotation}:", 1)
    return annotate_source(zygote, folder, text.format(**{"annotation": ""} | parts))


def annotate_source(zygote: Zygote, folder: Path, source: str) -> Outcome:
    model, spec = folder / "model.py", folder / "inputs.py"
    model.write_text(dedent(source).lstrip())
    spec.write_text("import torch\n\nexample_inputs = [(torch.ones(2),)]\n")
    options = Options(targets=(parse(f"{model}:Net"),), spec=spec_source(str(spec), ()), root=str(folder))
    return flow.annotate(options, zygote)


def returns(outcome: Outcome) -> dict[str, str]:
    return {a.slot.owner.qualname: str(a.type) for a in outcome.annotations if a.slot.kind is SlotKind.RETURN}


def test_an_annotation_of_the_authors_stays(zygote: Zygote, tmp_path: Path) -> None:
    outcome = annotate(zygote, tmp_path, result="x", use=".abs()", annotation=" -> Tensor")
    assert outcome.verified
    assert returns(outcome) == {}


@pytest.mark.parametrize(
    ("result", "use", "type_"),
    [("x", ".abs()", "Tensor"), ("Energies(x, x)", ".energies", "Energies"), ("(x, 1)", "[0]", "Tuple[Tensor, int]")],
)
def test_the_overrides_result_is_what_the_abstract_method_returns(
    zygote: Zygote, tmp_path: Path, result: str, use: str, type_: str
) -> None:
    outcome = annotate(zygote, tmp_path, result=result, use=use)
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts]
    assert returns(outcome) == {"Potential.compute": type_}


ALONE = """
    import torch
    from torch import nn


    class Sparse:
        def __init__(self, n: int):
            self.n = n

        def parts(self):
            raise ImportError("needs a library")

        def count(self):
            raise ImportError("needs a library")


    class Net(nn.Module):
        def forward(self, x):
            return x

        @torch.jit.export
        def join(self, sparse: Sparse, weight: torch.Tensor):
            row, column, value = sparse.parts()
            if value is not None:
                weight = value
            for i in range(sparse.count()):
                weight = weight + i
            return torch.stack([row, column]), weight
"""


CONDITIONS = """
    import torch
    from torch import nn


    class Sparse:
        def __init__(self, n: int):
            self.n = n

        def count(self):
            raise ImportError("needs a library")

        def size(self, dim: int):
            raise ImportError("needs a library")

        def is_ordered(self):
            raise ImportError("needs a library")

        def is_dense(self):
            raise ImportError("needs a library")

        def dense(self):
            raise ImportError("needs a library")


    class Net(nn.Module):
        def forward(self, x):
            return x

        @torch.jit.export
        def join(self, sparse: Sparse, weight: torch.Tensor):
            if sparse.count() == 0:
                return weight.new_zeros(sparse.size(0), weight.size(1))
            if weight.dim() == 2 and not sparse.is_ordered() and not sparse.is_dense():
                return sparse.dense().to(weight.dtype)
            return weight
"""


def test_where_a_place_takes_one_type_that_is_it(zygote: Zygote, tmp_path: Path) -> None:
    outcome = annotate_source(zygote, tmp_path, CONDITIONS)
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts]
    types = {"count": "int", "size": "int", "is_ordered": "bool", "is_dense": "bool", "dense": "Tensor"}
    assert returns(outcome) == {f"Sparse.{name}": type_ for name, type_ in types.items()}


def test_where_nothing_overrides_it_the_caller_tells(zygote: Zygote, tmp_path: Path) -> None:
    outcome = annotate_source(zygote, tmp_path, ALONE)
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts]
    assert returns(outcome) == {"Sparse.parts": "Tuple[Tensor, Tensor, Optional[Tensor]]", "Sparse.count": "int"}
