"""An attribute of a class that is no module: its constructor annotates it, `self.sizes: List[int] = []`.

An attribute that starts as None cannot be annotated: the compiler takes `self.x: Optional[T] = None` for a None.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.findings.messages.said import ELEMENT
from pdt_annotate.search.repair.family import observations
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.syntax import is_call_of, is_name
from pdt_annotate.source.uses import is_open
from pdt_annotate.values.slots import Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate each open attribute of the statement, if a constructor that the compiler has read sets it."""
    function, statement = situation.function, situation.statement
    if function is None:
        return
    # The constructor of its class; of a module's constructor the compiler reads nothing.
    constructor = (function.owner.file, f"{function.in_class}.__init__")
    owners = (owner for owner in situation.compiled if (owner.file, owner.qualname) == constructor)
    init = next(filter(None, map(situation.project.function, owners)), None)
    if init is None or init.settled:
        return
    attributes = [node for node in ast.walk(statement) if isinstance(node, ast.Attribute)]
    mentioned = {node.attr for node in attributes if is_name(node.value, function.receiver)}
    methods = [f for f in situation.project.read(init.owner.file).functions if f.in_class == init.in_class]
    for name, assignment in _open_attributes(init):
        if name in mentioned:
            slot = Slot(init.owner, SlotKind.LOCAL, f"{init.receiver}.{name}", assignment.lineno)
            seen = observations(situation, function.in_class.rpartition(".")[2], name)
            facts = ELEMENT.read(situation.message)
            said = [TypeExpr("list", (plain(found),)) for found in facts.types("found")] if facts else []
            # The type that the methods of the class put into it, as far as the source shows.
            is_dict = isinstance(assignment.value, ast.Dict | ast.DictComp) or is_call_of(assignment.value, "dict")
            put = situation.inference.put_into(methods, name, "dict" if is_dict else "list")
            for types in filter(None, ([o.type for o in seen], [put] if put is not None else [], said)):
                for annotation in situation.annotate(slot, types):
                    yield Proposal((replace(annotation, evidence=tuple(seen)),))


def _open_attributes(init: Function) -> Iterator[tuple[str, ast.Assign]]:
    for node in ast.walk(init.node):
        if not isinstance(node, ast.Assign) or len(node.targets) > 1:
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or ast.unparse(target.value) != init.receiver:
            continue
        if is_open(node.value) and not isinstance(node.value, ast.Constant):
            yield target.attr, node
