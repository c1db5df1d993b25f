"""The types of attributes: of modules, of script classes, and in class bodies that hold them as text."""

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.findings.messages.said import ATTRIBUTE_ASSIGNED, ELEMENT, MISMATCH, NO_ATTRIBUTE, QUOTED, Facts
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.family import bodies, is_constant, observations, place, relatives, written
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.syntax import assignments, is_call_of, is_name
from pdt_annotate.source.uses import is_open
from pdt_annotate.values.slots import ClassKind, Legal, Observation, Origin, Slot, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr

# The types of a constant, or of its items in a tuple or list: torch/jit/_recursive.py, `_constant_types`.
CONSTANTS = ("int", "float", "bool", "complex", "str", "None", "torch.device", "torch.dtype")
INFERRED = (*CONSTANTS, "torch.Tensor", "list", "dict", "tuple")
"""The compiler itself finds the type of values that are made of these alone, each place of one type."""


def propose_module_attributes(situation: Situation) -> Iterator[Proposal]:
    """A module attribute that the compiler could not convert, or took too narrowly: `self.items = []`, `self.x = None`.

    Let the assigned value fit; otherwise annotate the attribute, in the class that sets it or that has it. The compiler
    ignores a constant of the class body, `K = 3`, unless the constant is marked: `K: Final[int] = 3`.
    """
    narrow, statement = ATTRIBUTE_ASSIGNED.read(situation.message), situation.statement
    wanted = narrow.type("wanted") if narrow else None
    if wanted is not None and isinstance(statement, ast.Assign):
        yield from propose_expected(situation, statement.value, wanted)
    if (missing := NO_ATTRIBUTE.read(situation.message)) is not None:
        class_name, name = missing["class"], missing["name"]
        seen = observations(situation, class_name, name)
        if is_constant(situation, class_name, name):
            for cls in bodies(situation, class_name, name):
                yield from propose_constant(situation, cls, name, seen)
        else:
            yield from propose_attribute(situation, class_name, name, seen)
    if narrow:
        yield from _propose_wider(situation, narrow)
    else:
        yield from _propose_mentioned(situation)


def _propose_wider(situation: Situation, narrow: Facts) -> Iterator[Proposal]:
    """Let the attribute hold all types that it was seen to hold, then also the type that the failing line assigns.

    The message does not say which of several attributes is meant, so these are first annotated together.
    """
    function, statement = situation.function, situation.statement
    if function is None or not function.in_class:
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    class_name, said = function.in_class.rpartition(".")[2], narrow.types("wanted", "found")
    found = list[list[Proposal]]()
    for attribute in (n for target in targets if target for n in ast.walk(target) if isinstance(n, ast.Attribute)):
        if isinstance(attribute.ctx, ast.Store) and is_name(attribute.value, function.receiver):
            seen = observations(situation, class_name, attribute.attr)
            held = [o.type for o in seen]
            # If it only held None, only the assigned type is known; the plan has a guess.
            wider = [[*held, *said[-1:]]] if set(held) == {NONE} else []
            wider += [held, [*held, *said]]
            each = (propose_attribute(situation, class_name, attribute.attr, seen, types) for types in wider)
            found.append([proposal for proposals in each for proposal in proposals])
    if len(found) > 1 and all(found):
        yield Proposal(tuple(change for proposals in found for change in proposals[0].changes))
    yield from itertools.chain(*found)


def _propose_mentioned(situation: Situation) -> Iterator[Proposal]:
    """Annotate an attribute in the failing statement: a NamedTuple, which the compiler takes for a plain tuple, a list
    that holds None as well, or an int if the statement wants a float."""
    for class_name, name in _mentioned(situation):
        seen = observations(situation, class_name, name)
        types = list(dict.fromkeys(o.type for o in seen))
        info = situation.evidence.classes.get(types[0].name) if types else None
        # The compiler itself finds the type of an instance of a class, and of a single type made of those it knows.
        is_known = info is not None and info.kind is ClassKind.PLAIN
        if len(types) > 1 or not all(is_known or _is_made_of(type_, INFERRED) for type_ in types):
            yield from propose_attribute(situation, class_name, name, seen)
        if NONE in types:  # then the statement may lack a refinement, which no type makes up for
            continue
        legal = [legalize(type_, SlotKind.ATTRIBUTE, situation.evidence.classes) for type_ in types]
        held = [each.type for each in legal if isinstance(each, Legal)]
        for facts in MISMATCH.read_all(situation.message):
            wanted, found = facts.type("wanted"), facts.type("found")
            if wanted is not None and wanted != NONE and found in held:
                yield from propose_attribute(situation, class_name, name, seen, [wanted])


def propose_attribute(
    situation: Situation, class_name: str, name: str, seen: Sequence[Observation], types: Sequence[TypeExpr] = ()
) -> Iterator[Proposal]:
    """Proposals for an attribute that holds these types, by default the seen ones."""
    types = types or [o.type for o in seen]
    if not types:
        return
    joined = consolidate([plain(type_) for type_ in types])[0]
    legal = legalize(joined, SlotKind.ATTRIBUTE, situation.evidence.classes)
    origin = Origin.GUESS if isinstance(legal, Legal) and legal.guess else Origin.REPAIR
    for cls in bodies(situation, class_name, name):
        found = situation.annotate(Slot(cls.owner, SlotKind.ATTRIBUTE, name), types)
        for annotation in filter(situation.is_new, found):
            yield Proposal(place(situation, replace(annotation, evidence=tuple(seen), origin=origin), cls))


def propose_constant(
    situation: Situation, cls: Class, name: str, seen: Sequence[Observation], rule: str = "class constant"
) -> Iterator[Proposal]:
    """`Final` for an attribute with one type that a constant may have."""
    types = list(dict.fromkeys(o.type for o in seen))
    slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
    if len(types) != 1 or not _is_made_of(types[0], (*CONSTANTS, "list", "tuple")):
        return
    found = next(situation.annotate(slot, types), None)
    if found is not None:
        final = replace(found, final=True, rules=(rule,), evidence=tuple(seen))
        if situation.plan.get(slot) != final:
            yield Proposal(place(situation, final, cls))


def _mentioned(situation: Situation) -> dict[tuple[str, str], None]:
    """The class and the name of each attribute in the failing statement, or that a local in it was assigned from."""
    statement, function = situation.statement, situation.function
    if function is None:
        return {}
    header = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    nodes = [node for child in header for node in ast.walk(child)]
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    nodes += [assignment.value for name in names for assignment in assignments(function.node, name)]
    found: dict[tuple[str, str], None] = {}
    for node in (node for node in nodes if isinstance(node, ast.Attribute)):
        own = is_name(node.value, function.receiver)
        # Of another object, the classes whose instances were seen with an attribute of this name.
        slots = (slot for slot in situation.evidence.seen if slot.kind is SlotKind.ATTRIBUTE and slot.name == node.attr)
        classes = [function.in_class] if own else [slot.owner.qualname for slot in slots]
        found.update(((cls.rpartition(".")[2], node.attr), None) for cls in classes)
    return found


def _is_made_of(type_: TypeExpr, names: Sequence[str]) -> bool:
    inside = all(_is_made_of(arg, names) for arg in type_.args)
    return type_.name in names and inside and (bool(type_.args) or type_.name not in ("list", "dict"))


def propose_script_classes(situation: Situation) -> Iterator[Proposal]:
    """An attribute of a class that is no module: its constructor annotates it, `self.sizes: List[int] = []`.

    Annotate each open attribute of the statement, if a constructor that the compiler has read sets it, but none that
    starts as None: the compiler takes `self.x: Optional[T] = None` for a None.
    """
    function, statement = situation.function, situation.statement
    if function is None:
        return
    # The constructor of its class; of a module's constructor the compiler reads nothing.
    constructor = (function.owner.file, f"{function.in_class}.__init__")
    owners = (owner for owner in situation.compiled if owner.name == constructor)
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
            said = [TypeExpr("list", (found,)) for found in facts.types("found")] if facts else []
            # The type that the methods of the class put into it, as far as the source shows.
            is_dict = isinstance(assignment.value, ast.Dict | ast.DictComp) or is_call_of(assignment.value, "dict")
            put = situation.evidence.inference.put_into(methods, name, "dict" if is_dict else "list")
            for types in filter(None, ([o.type for o in seen], [put] if put is not None else [], said)):
                for annotation in situation.annotate(slot, types):
                    yield Proposal((replace(annotation, evidence=tuple(seen)),))


def _open_attributes(init: Function) -> Iterator[tuple[str, ast.Assign]]:
    for node in ast.walk(init.node):
        match node:
            case ast.Assign([ast.Attribute(ast.Name(init.receiver), name)], value):
                if is_open(value) and not isinstance(value, ast.Constant):
                    yield name, node


def propose_quoted(situation: Situation) -> Iterator[Proposal]:
    """`Unknown type annotation: 'List[int]' at`: under `from __future__ import annotations` a class body holds text.

    The message has no place, so repeat the annotations of all modules in files with that import, in the form that the
    compiler reads: the next would fail with the same message.
    """
    if not QUOTED.is_in(situation.message):
        return
    # The classes of the observed modules, and their base classes.
    seen = {slot.owner.qualname for slot in situation.evidence.seen if slot.kind is SlotKind.ATTRIBUTE}
    known = relatives(situation)
    own = (cls for cls in known.classes or () if cls.owner.qualname in seen)
    classes = {cls.owner: cls for each in own for cls in (each, *known.ancestors(each))}
    quoted = (cls for cls in classes.values() if situation.project.read(cls.owner.file).future_annotations)
    annotations = tuple(each for cls in quoted for each in written(situation, cls) if not situation.plan.get(each.slot))
    if annotations:
        yield Proposal(annotations)
