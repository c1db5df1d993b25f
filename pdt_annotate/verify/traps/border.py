"""Arguments that are converted on their way from Python: a bool to an int, a tensor to a number, a list to a tuple."""

import ast
from collections.abc import Iterator

from pdt_annotate.source.syntax import is_call_of, is_name, last_name
from pdt_annotate.values.slots import NO_PLACE
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps import value_flow
from pdt_annotate.verify.traps.compiled_view import Compiled, View
from pdt_annotate.verify.traps.graph_facts import Graph, Value, name_of
from pdt_annotate.verify.traps.value_flow import ValueFlow, kinds_in, own_kinds

CODE = "PDT122"

# By kind of type: other accepted values, the result of the conversion, and the function that converts them in Python;
# and `isinstance` answers otherwise if it asks for one of the first classes, and for none of the others.
CONVERTED: dict[str, tuple[str, str, str, set[str], set[str]]] = {
    value_flow.INT: ("a bool or a tensor", "an int", "int", {"bool"}, {"int"}),
    value_flow.FLOAT: ("an int or a tensor", "a float", "float", {"float"}, {"int"}),
    value_flow.BOOL: ("a number or a tensor", "a bool", "bool", {"bool"}, {"int"}),
    value_flow.COMPLEX: ("a real number", "a complex", "complex", {"complex"}, {"int", "float"}),
    value_flow.TUPLE: ("a list", "a tuple", "tuple", {"tuple"}, {"list"}),
    value_flow.LIST: ("a tuple", "a list", "list", {"list"}, {"tuple"}),
    value_flow.DEVICE: ("a string", "a device", "device", set(), set()),
    value_flow.STRING: ("a member of an Enum", "a string", "str", set(), set()),
}
ASSIGNABLE = CONVERTED.keys() - {value_flow.TUPLE, value_flow.DEVICE, value_flow.STRING}


def find(view: View) -> Iterator[Trap]:
    entries = [each for each in view.functions if each.entry and any(map(_open_kinds, each.graphs))]
    if not entries:
        return
    parts = ((each, node) for each in view.functions for node in each.parts)
    subscripts = frozenset(each.place(node) for each, node in parts if isinstance(node, ast.Subscript))
    files = frozenset(each.function.__code__.co_filename for each in view.functions)
    for entry, graph in view.inlined:
        flow: ValueFlow | None = None
        for value, kinds in _open_kinds(graph):
            flow = flow or ValueFlow(graph, subscripts)
            yield from _judge(entry, flow, value, kinds, files)


def _open_kinds(graph: Graph) -> list[tuple[Value, list[str]]]:
    """The arguments that accept other values, each with the kinds that those are converted to."""
    found = ((value, kinds_in(value.type())) for value in graph.inputs())
    return [(value, [kind for kind in CONVERTED if kind in kinds]) for value, kinds in found if kinds]


def _judge(entry: Compiled, flow: ValueFlow, value: Value, kinds: list[str], files: frozenset[str]) -> Iterator[Trap]:
    name = name_of(value)
    parameter = next((p for p in entry.parts if isinstance(p, ast.arg) and p.arg == name), None)
    if parameter is None:
        return
    for kind in kinds:
        passed, becomes, function, *_ = CONVERTED[kind]
        if kind in own_kinds(value) and _is_converted(entry, name, function):
            continue
        places = flow.shows(value, kind)
        asking = [entry.place(each) for each in _asks(entry, name, kind)] if kind in own_kinds(value) else []
        if not places and not asking:
            continue
        own = [place for place in (*places, *asking) if place.file in files]
        where = f" in line {own[0].line}" if own else " in the result" if NO_PLACE in places else ""
        within = f"`{name}`" if kind in own_kinds(value) else f"an item of `{name}`"
        lost = ", and its gradient is lost" if kind == value_flow.FLOAT else ""
        differs = f"if a call passes {passed} for {within}, TorchScript converts it to {becomes}{lost}; Python does not"
        example = f": `{name} = {function}({name})`" if kind == value.type().kind() and kind in ASSIGNABLE else ""
        advice = f"pass {becomes}, or convert it first{example}"
        yield entry.trap(CODE, f"{differs}, so results differ{where}; {advice}", parameter)
        return


def _is_converted(entry: Compiled, name: str, function: str) -> bool:
    """Whether the source itself converts an argument before it reads it, or at every read."""
    compared = [part for part in entry.parts if isinstance(part, ast.Compare)]
    tested = {id(part.left) for part in compared if isinstance(part.ops[0], ast.Is | ast.IsNot)}
    named = [part for part in entry.parts if isinstance(part, ast.Name) and part.id == name and id(part) not in tested]
    read = [part for part in named if isinstance(part.ctx, ast.Load)]
    calls = entry.calls.get(function, [])
    converted = {id(part.args[0]) for part in calls if len(part.args) == 1}
    if all(id(part) in converted for part in read):
        return bool(read)
    body = getattr(entry.tree, "body", [])
    for statement in body if isinstance(body, list) else []:
        if isinstance(statement, ast.Assign) and any(is_name(each, name) for each in statement.targets):
            return id(getattr(statement.value, "args", [None])[0]) in converted if statement.value in calls else False
        if any(is_name(part, name) for part in ast.walk(statement)):
            return False
    return False


def _asks(entry: Compiled, name: str, kind: str) -> Iterator[ast.AST]:
    """The tests of an argument that the compiler decides by its type, except for checks that raise."""
    tests = [node.test for node in entry.parts if isinstance(node, ast.Assert)]
    tests += [node.test for node in entry.parts if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)]
    checks = {id(part) for test in tests for part in ast.walk(test)}
    for node in entry.parts:
        if id(node) in checks:
            continue
        if is_call_of(node, "isinstance") and len(node.args) == 2:
            names = {last_name(each) for each in ast.walk(node.args[1]) if isinstance(each, ast.Name | ast.Attribute)}
            *_, asked, others = CONVERTED[kind]
            if is_name(node.args[0], name) and names & asked and not names & others:
                yield node
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            both = (node.left, node.comparators[0])
            is_equal = isinstance(node.ops[0], ast.Eq | ast.NotEq) and kind in value_flow.CONTAINERS
            is_none = isinstance(node.ops[0], ast.Is | ast.IsNot) and kind == value_flow.BOOL
            if any(is_name(each, name) for each in both) and (is_equal or is_none):
                yield node
