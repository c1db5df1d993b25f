"""Proposals that a search rarely reaches, each for one message, without the compiler; and methods that only raise."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import profiled
import pytest

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair import Situation, arguments, neighbours, propose
from pdt_annotate.search.repair.returns import is_abstract
from pdt_annotate.search.repair.situation import Proposal
from pdt_annotate.source.module import read_module
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Annotation, Origin, Place, Slot, SlotKind
from pdt_annotate.values.verdicts import Failure

EXPECTED = "Expected a value of type '{}' for argument '{}' but instead found type '{}'."
MULTIPLIED = "aten::mul(t[] l, int n):\n" + EXPECTED
SCALED = "def f(x, k):\n    return x, k.scale", "'Optional[float]' object has no attribute"
LOWER = "def f(k):\n    return {k.lower()}"
REPEATED = "def f(k):\n    return [0] * k"
LACKS = "'float' object has no attribute or method '{}'"
PASSED = "def g(k):\n    return k\ndef f(x):\n    return g(None)"
MORE = "and more"

Repairer = Callable[[Situation], Iterator[Proposal]]


@pytest.mark.parametrize(
    ("repairer", "source", "message", "planned", "proposed"),
    [
        (arguments.propose_misuse, *SCALED, {"k": "Optional[float]"}, ["f.k: float"]),
        (arguments.propose_misuse, *SCALED, {}, []),
        (arguments.propose_misuse, REPEATED, MULTIPLIED.format("int", "n", "Tensor"), {}, ["f.k: int"]),
        (arguments.propose_misuse, REPEATED, MULTIPLIED.format("int", "n", "str"), {}, []),
        (
            arguments.propose_arguments,
            *(PASSED, "g(int k) -> int:\n" + EXPECTED.format("int", "k", "NoneType"), {}),
            ["g.k: Optional[Tensor]", "g.k: Optional[int]", MORE],
        ),
        (neighbours.propose_neighbours, *(REPEATED, "a message about types", {"k": "float"}), ["f.k: int"]),
        (neighbours.propose_neighbours, *(REPEATED, "Set aren't supported", {"k": "float"}), []),
        (neighbours.propose_neighbours, *(REPEATED, LACKS.format("size"), {"k": "float"}), []),
        (neighbours.propose_neighbours, *(REPEATED, LACKS.format("bit_length"), {"k": "float"}), ["f.k: int"]),
        (neighbours.propose_neighbours, *(REPEATED, "cannot call a value of type 'float'", {"k": "float"}), []),
        (propose, *(LOWER, "a message about types", {}), ["f.k: str"]),
        (propose, *(LOWER, "Set aren't supported", {}), []),
        (
            neighbours.propose_neighbours,
            *(REPEATED, "Ellipses followed by tensor indexing", {"k": "str"}),
            ["f.k: int"],
        ),
    ],
)
def test_each_proposal_of_a_message(
    repairer: Repairer, source: str, message: str, planned: Mapping[str, str], proposed: list[str], tmp_path: Path
) -> None:
    file = profiled.write(tmp_path, {"model.py": source})["model"]
    evidence = Evidence(Project(str(tmp_path), {"model": file}), [profiled.observe(file, {"f": {}})])
    owner, line = profiled.owner_of(file, "f"), source.count("\n") + 1
    plan = Plan().with_(
        Annotation(
            *(Slot(owner, SlotKind.PARAMETER, name), profiled.type_of(text), Origin.GUESS),
            alternatives=(profiled.type_of("int"),),
        )
        for name, text in planned.items()
    )
    kind = "UnsupportedNodeError" if "aren't supported" in message else "RuntimeError"
    situation = Situation(Failure(message, kind, Place(file, line)), plan, evidence, (owner,))
    found = [annotation for proposal in repairer(situation) for annotation in proposal.changes]
    texts = [f"{each.slot.owner.qualname}.{each.slot.name}: {each.type}" for each in found]
    assert [*texts[: len(proposed) - 1], MORE] == proposed if MORE in proposed else texts == proposed


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", False),
        ("pass", False),
        ("if x is None:\n        raise ValueError\n    return x", False),
        ("if x is None:\n        return x\n    raise ValueError", False),
        ("raise ValueError\n    return x", False),
        ("raise NotImplementedError", True),
        ('"""What overrides must do."""\n    raise NotImplementedError("override me")', True),
        ("if x is None:\n        return\n    raise NotImplementedError", True),
    ],
)
def test_what_ends_in_raise_without_a_value_is_abstract(body: str, expected: bool) -> None:
    (function,) = read_module("model.py", f"def f(self, x):\n    {body}\n".encode()).functions
    assert is_abstract(function) is expected
