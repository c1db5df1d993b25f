"""An attribute that a call sets first is set to None in the constructor, and the same call reads a local variable.

If only this call needs the attribute, and its type is not a Tensor, a size, a number, a bool or a string, the attribute
is set only in Python, and the scripted model has only the local variable. A buffer that `forward` registers is declared
and registered in the constructor.

Message: `Tried to set nonexistent attribute`, `Module` … `has no attribute`,
    `Unknown type name 'torch.jit.ScriptModule'`, `Wrong type for attribute assignment`.
Kind: Exact. Scripted if the attribute is set only in Python.
Needs:
    - Some instances of the class lack the attribute before a call.
    - The function reads a local variable if no other compiled function uses the attribute, and each use in the function
      follows a statement that sets the attribute.
    - The constructor sets the attribute to None if no code tests whether the attribute exists, except with
      `hasattr(self, "x")` or `getattr(self, "x", None)` in methods of the class. These tests are rewritten.
Before:
    def __init__(self):
        super().__init__()

    def forward(self, x):
        self.weights = x.softmax(-1)
        return self.weights * x
After:
    def __init__(self):
        super().__init__()
        self.weights = None

    def forward(self, x):
        weights = x.softmax(-1)
        self.weights = weights
        return weights * x
"""

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import ATTRIBUTE_ASSIGNED, NO_ATTRIBUTE, SCRIPT_MODULE, UNSET_ATTRIBUTE
from pdt_annotate.mends.kit.blocks import (
    can_be_indented,
    ends_line,
    if_python,
    in_python_alone,
    is_set_before,
    statements,
)
from pdt_annotate.mends.kit.construction import constructor, declare, last_setting, set_to_none, uses, without_asking
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import is_none, is_plain
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.syntax import nodes_in, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend, MendKind

PLAIN = ("Tensor", "torch.Tensor", "torch.Size", "int", "float", "bool", "str")
SETTING = (ast.Assign, ast.AugAssign, ast.AnnAssign)


def find(site: FunctionContext) -> Iterator[Mend]:
    built = constructor(site)
    if site.node is (built.node if built else None):
        return
    read = dict.fromkeys(statements(site.node.body))
    for statement in read:
        if registered := _registered(site, statement):
            yield from _register(site, built, statement, *registered)
    own = (node for node in nodes_in(site.node, ast.Attribute) if site.self_attribute(node))
    found = grouped((node.attr, node) for node in own if site.statement(node)[0] in read)
    local: list[Mend] = []
    for name in {name for name, value, _ in _registered_first(site, built) if is_none(value)} & found.keys():
        declared = _as_optional(site, name)
        if declared and any(not isinstance(node.ctx, ast.Load) for node in found[name]):
            yield site.mend(found[name][0], f"declare the buffer `{name}`", declared)
    for name, nodes in found.items():
        if not site.lacks(name) or all(isinstance(node.ctx, ast.Load) for node in nodes):
            continue
        is_local, tests = _is_local(site, name, nodes), without_asking(site, name)
        is_plain = len(site.seen(nodes[0])) == 1 and site.seen(nodes[0]) <= set(PLAIN)
        if (is_plain or not is_local) and tests is not None and (edits := set_to_none(site, name)):
            edits += [*tests, *(_as_local(site, name, nodes) if is_local and len(nodes) > 1 else ())]
            yield site.mend(nodes[0], f"set `self.{name}` to None in the constructor", edits)
        elif is_local:
            statement = site.statement(nodes[0])[0]
            is_alone = len(nodes) == 1 and _does_nothing_else(site, statement)
            edits = in_python_alone(site, statement) if is_alone else _as_local(site, name, nodes, guarded=True)
            summary, left_out = f"set `self.{name}` only in Python", f"the attribute `{name}`"
            local.append(site.mend(nodes[0], summary, edits, left_out=left_out))
    yield from local
    for each in _setting(site, site.fact(NO_ATTRIBUTE)):
        yield from find(each)


def _setting(site: FunctionContext, name: str) -> Iterator[FunctionContext]:
    """The other methods of the class that set an attribute: the compiler may come to a function that reads it first."""
    found = (function for function, node in uses(site, name) if not isinstance(node.ctx, ast.Load))
    for function in dict.fromkeys(found if name else ()):
        is_own = function.in_class == site.function.in_class and function.node is not site.node
        if is_own and site.is_compiled(function):
            yield site.at(function)


def _registered(site: FunctionContext, statement: ast.stmt) -> tuple[str, ast.expr, str] | None:
    """The name of a buffer that a statement registers, the value, and whether it is persistent."""
    match statement:
        case ast.Expr(ast.Call(function, args, keywords)) if site.self_attribute(function) == "register_buffer":
            given = dict(zip(("name", "tensor", "persistent"), args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
            name, value = given.get("name"), given.get("tensor")
            text = name.value if isinstance(name, ast.Constant) else None
            if isinstance(text, str) and text.isidentifier() and value:
                return text, value, ast.unparse(given.get("persistent", ast.Constant(True)))
    return None


def _registered_first(site: FunctionContext, built: Function | None) -> list[tuple[str, ast.expr, str]]:
    """The buffers that the constructor registers."""
    return list(filter(None, (_registered(site.at(built), each) for each in built.node.body))) if built else []


def _register(
    site: FunctionContext, built: Function | None, statement: ast.stmt, name: str, value: ast.expr, persistent: str
) -> Iterator[Mend]:
    attribute, set_to = f"{site.function.receiver}.{name}", site.source(value)
    known = [flag for first, _, flag in _registered_first(site, built) if first == name]
    is_tensor = {each.type for each in site.values(value)} <= {"torch.Tensor"}
    if is_tensor and persistent in known:
        summary, edits = f"set the buffer `{name}`", [site.replace(statement, f"{attribute} = {set_to}")]
        yield site.mend(statement, summary, edits)
        return
    own = [node for node in ast.walk(site.node) if site.self_attribute(node) == name]
    others = [node for function, node in uses(site, name) if site.is_compiled(function) and node not in own]
    set_before = all(is_set_before(site, site.statement(node)[0], {statement}) for node in own)
    if others or not set_before or not can_be_indented(site, statement) or not site.begins_line(statement):
        return
    local = site.local_name(name) if own or not is_plain(value) else set_to
    lead = f"{local} = {set_to}\n" if local != set_to else ""
    locals_ = [site.replace(node, local) for node in own]
    setting, asked = last_setting(built, "") if built and not known else None, without_asking(site, name)
    declared = _as_optional(site, name)
    if declared and is_tensor and persistent in ("True", "False") and built and setting and asked is not None:
        flag = ", persistent=False" if persistent == "False" else ""
        line = f'{built.receiver}.register_buffer("{name}", None{flag})'
        edits = [site.insert_behind(setting, line), site.replace(statement, f"{lead}{attribute} = {local}")]
        edits += [*declared, *asked, *locals_]
        yield site.mend(statement, f"register the buffer `{name}` in the constructor", edits)
        return
    edits = in_python_alone(site, statement)
    if lead:
        stored = site.text.edited([site.replace(value, local)], *site.span(statement)).decode()
        edits = [site.replace(statement, f"{lead}{if_python(site, stored)}"), *locals_]
    left_out, summary = f"the buffer `{name}`", f"set `{attribute}` only in Python"
    yield site.mend(statement, summary, edits, left_out=left_out)


def _as_optional(site: FunctionContext, name: str) -> list[Edit]:
    """The edits that declare an Optional[Tensor], which the compiler does not see in a buffer; none if they cannot."""
    if site.cls is None or name in dict(site.cls.annotated) or site.module.future_annotations:
        return []
    return declare(site, site.cls, f"{name}: {site.spell('typing.Optional[torch.Tensor]')}")


def _is_local(site: FunctionContext, name: str, nodes: Sequence[ast.Attribute]) -> bool:
    """Whether other compiled functions use the attribute never, and this one only after it has set it."""
    for function, node in uses(site, name):
        is_set_elsewhere = node not in nodes and not isinstance(node.ctx, ast.Load)  # perhaps in Python alone
        if is_set_elsewhere or (function.node is not site.node and site.is_compiled(function)):
            return False
    stored = [node for node in nodes if not isinstance(node.ctx, ast.Load)]
    setting = {site.statement(node)[0] for node in stored}
    if not all(isinstance(s, SETTING) and site.begins_line(s) and ends_line(site, s) for s in setting):
        return False
    plain = {statement for statement in setting if not isinstance(statement, ast.AugAssign)}
    read = [node for node in nodes if node not in stored or isinstance(site.parents[node], ast.AugAssign)]
    return all(is_set_before(site, site.statement(node)[0], plain) for node in read)


def _as_local(site: FunctionContext, name: str, nodes: Sequence[ast.Attribute], *, guarded: bool = False) -> list[Edit]:
    """The edits that make an attribute a local, and set the attribute to it, perhaps only in Python."""
    local = site.local_name(name)
    stored = f"{site.function.receiver}.{name} = {local}"
    stored = if_python(site, stored) if guarded else stored
    setting = dict.fromkeys(site.statement(node)[0] for node in nodes if not isinstance(node.ctx, ast.Load))
    return [*(site.replace(node, local) for node in nodes), *(site.insert_behind(each, stored) for each in setting)]


def _does_nothing_else(site: FunctionContext, statement: ast.stmt) -> bool:
    """Whether a statement sets one attribute, to a value for which it calls only torch and methods of Tensors."""
    calls = (node.func for node in nodes_in(statement, ast.Call))
    are_torch = (
        site.meaning(call).startswith("torch.")
        or (isinstance(call, ast.Attribute) and root_name(call) != site.function.receiver)
        for call in calls
    )
    match statement:
        case ast.Assign([ast.Attribute()]):
            return can_be_indented(site, statement) and all(are_torch)
    return False


ASKING = quoted(UNSET_ATTRIBUTE, NO_ATTRIBUTE, SCRIPT_MODULE, ATTRIBUTE_ASSIGNED)
RULE = MendRule("unset_attributes", MendKind.EXACT, ASKING, find)
