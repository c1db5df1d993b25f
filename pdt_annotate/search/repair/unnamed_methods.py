"""`propagate(Net self, Tensor weight): Expected a value of type 'Tensor' for argument 'weight' …`, of a method that no
source has: it was generated from the annotations of others when its class was built.

A parameter there has the same type as in `message(self, x_j, weight)`, for example, or `message(self, weight_i)`. So
has the field of a generated named tuple of arguments: `Arguments(Tensor x_j, int size_i): Expected a value …`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pdt_annotate.findings.messages.said import COMPILED_FOR, MISMATCH, SIGNATURE
from pdt_annotate.search.repair.situation import Proposal, Situation, parameter_slot
from pdt_annotate.values.slots import Annotation


def propose(situation: Situation) -> Iterator[Proposal]:
    """Let the methods of the class that have the parameter take the argument, and have the class built again."""
    signature, mismatch = SIGNATURE.read(situation.message), MISMATCH.read(situation.message)
    if signature is None or mismatch is None:
        return
    compiled = COMPILED_FOR.read(situation.failure.text) if situation.function is None else None
    class_name = signature["receiver"].rpartition(".")[2] or (compiled["class_name"] if compiled else "")
    if not class_name:
        return
    found, argument = mismatch.type("found"), mismatch["argument"]
    if found is None or any(read.parameter(argument) for read in situation.functions_named(signature["name"])):
        return
    changes: list[Annotation] = []
    functions = (f for file in situation.files for f in situation.project.read(file).functions)
    methods = (f for f in functions if f.in_class.rpartition(".")[2] == class_name and f != situation.function)
    for method in methods:
        for parameter in method.parameters:
            # A generated parameter may come from one of its name, or of a longer name that begins with it.
            is_meant = f"{parameter.name}_".startswith(f"{argument}_")
            if is_meant and situation.is_free(method, parameter):
                slot = parameter_slot(method, parameter.name)
                now = situation.plan.get(slot)
                wider = islice(situation.annotate(slot, [found, *situation.observed(slot)]), 1)
                changes += [annotation for annotation in wider if now is None or now.type != annotation.type]
    if changes:
        yield Proposal(tuple(changes), rebuilds=True)
