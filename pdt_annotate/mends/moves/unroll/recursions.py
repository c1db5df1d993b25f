"""A function that calls itself with another number becomes one function for each number, in the scripted model.

In each of these functions, a constant replaces the parameter. Branches that this number never takes are left out, and
names and indices that are computed from it become constants. Python runs the original code.

Message: `is called recursively`. Also any message in such a function, such as `Expected integer literal for index` or
    `second argument must be a string literal`.
Kind:
    - Exact if all other calls pass a constant or configuration. The scripted model raises an error for a number that no
      observed module passes, and for attributes with other values than those of the observed modules.
    - Scripted otherwise. The scripted model raises an error for other numbers.
Needs:
    - In all calls, the parameter was one of at most 8 whole numbers. The function does not bind it again.
    - Each call of the function in itself computes the number from the parameter, from constants and from configuration.
      The numbers only grow, or only shrink.
    - The function has no decorators and no `*args` or `**kwargs`. No subclass in the project overrides it.
Before:
    def forward(self, x):
        return self._run(2, x)

    def _run(self, level, x):
        x = self._modules[f"conv{level}"](x)
        return self._run(level - 1, x) if level > 1 else x
After:
    def forward(self, x):
        return self._run(2, x)

    def _run(self, level, x):
        if torch.jit.is_scripting():
            if level == 2:
                return self._run_2(x)
            if level == 1:
                return self._run_1(x)
        assert not torch.jit.is_scripting(), "left out of the scripted model"
        x = self._modules[f"conv{level}"](x)
        return self._run(level - 1, x) if level > 1 else x

    def _run_2(self, x):
        x = self.conv2(x)
        return self._run_1(x)

    def _run_1(self, x):
        x = self.conv1(x)
        return x
"""

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pdt_annotate.mends.kit.blocks import LEAVING, if_scripted, nested, never_scripted
from pdt_annotate.mends.kit.callers import calls_by_name, calls_of_itself
from pdt_annotate.mends.kit.construction import body_of, name_read
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.deciding import result_of
from pdt_annotate.mends.kit.edit_arguments import signature
from pdt_annotate.mends.kit.settled import Settled, attributes, is_kept
from pdt_annotate.mends.kit.spelled import is_hidden, loads, only_assignment, operands
from pdt_annotate.source.definitions import ParameterKind
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import all_arguments, bind_arguments, called_name, nodes_in
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

MOST = 8  # copies
FUNCTIONS = {each.__name__: each for each in (abs, int, len, max, min, str)}
COMPUTED = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Call, ast.JoinedStr),
    *(ast.FormattedValue, ast.Tuple, ast.Load, ast.operator, ast.unaryop, ast.cmpop, ast.boolop),
)
"""The nodes of an expression whose value is computed here."""


class _Copy(ast.NodeTransformer):
    """Writes the code of a function for one value of a parameter.

    Args:
        site: the function.
        parameter: the parameter.
        value: its value.
        configured: by attribute of `self`, its number, or a range of its length.
    """

    def __init__(self, site: FunctionContext, parameter: str, value: int, configured: Mapping[str, int | range]):
        self.site = replace(site, function=replace(site.function, node=copy.deepcopy(site.node)))
        self.parameter, self.configured = parameter, configured
        self.known: dict[str, Any] = {parameter: value}  # with the locals that are computed from it
        self.calls = calls_of_itself(self.site)
        self.passed: list[Any] = []  # the values that these calls pass; None for one that is not known
        self.asserted: dict[str, None] = {}  # tests of the attributes that were read
        self.lacking: dict[str, None] = {}  # the layers that some modules lack
        self.body = self.block(body_of(self.site.node))

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        new = list[ast.stmt]()
        for statement in body:
            changed = self.visit(statement)
            new += changed if isinstance(changed, list) else [changed] if changed else []
            if new and isinstance(new[-1], LEAVING):
                break
        return new

    def visit(self, node: ast.AST) -> Any:
        value, key = self._value(node), name_read(self.site, node)
        name = self._value(key) if key else None
        if isinstance(name, str) and name.isidentifier():
            self.lacking.update(dict.fromkeys([name] * self.site.held(name).lacking))
            return parse_expression(f"{self.site.function.receiver}.{name}")
        return super().visit(node) if value is None else parse_expression(repr(value))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if body == []:
            body.append(ast.Pass())
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        truth = self._truth(node.test)
        return self.generic_visit(node) if truth is None else self.block(node.body if truth else node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        truth = self._truth(node.test)
        return self.generic_visit(node) if truth is None else self.visit(node.body if truth else node.orelse)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        match node:
            case ast.Assign([ast.Name(name)], value) if only_assignment(self.site, name) is node:
                is_read_before = any(use.lineno <= node.lineno for use in loads(self.site.node, name))
                if not is_read_before and (computed := self._value(value)) is not None:
                    self.known[name] = computed
                    return None
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node not in self.calls:
            return self.generic_visit(node)
        argument = (bind_arguments(node, self.site.function.parameters) or {}).get(self.parameter)
        value = argument.value if isinstance(argument, ast.Constant) else self._value(argument)
        self.passed.append(value)
        node.args = [each for each in node.args if each is not argument]
        node.keywords = [each for each in node.keywords if each.value is not argument]
        self.generic_visit(node)
        return ast.Call(ast.Name(_called(self.site, value), ast.Load()), node.args, node.keywords)

    def _truth(self, test: ast.expr) -> bool | None:
        """The truth of a test, if it is known before a call that may have effects."""
        known = dict[ast.expr, bool | None]()
        for part in operands(test):
            value = self._value(part)
            known[part] = None if value is None else bool(value)
            if (truth := result_of(test, known.get)) is not None:
                return truth
            if value is None and any(nodes_in(part, ast.Call)):
                return None
        return None

    def _value(self, node: ast.AST | None) -> Any:
        """The value of an expression that is computed from the known names; None if it is not known."""
        if not isinstance(node, ast.expr) or not all(isinstance(part, COMPUTED) for part in ast.walk(node)):
            return None
        site, names, receiver = self.site, names_in(node), self.site.function.receiver
        are_known = names <= {*self.known, *(FUNCTIONS.keys() - site.known_names), receiver}
        fields = [each for each in nodes_in(node, ast.Attribute) if not isinstance(each.value, ast.Constant)]
        read = [site.self_attribute(each) for each in fields]
        are_known &= self.configured.keys() >= {*read} and not is_hidden(site, node, names)
        if names.isdisjoint(self.known) or not are_known:
            return None
        own = {receiver: SimpleNamespace(**self.configured)}
        try:
            code = compile(ast.Expression(node), "<recursion>", "eval")
            value = eval(code, {"__builtins__": FUNCTIONS, **own, **self.known})
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None
        if type(value) not in (bool, int, str):
            return None
        for name in read:
            held, path = self.configured[name], f"{receiver}.{name}"
            self.asserted[f"len({path}) == {len(held)}" if isinstance(held, range) else f"{path} == {held}"] = None
        return value


def find(site: FunctionContext) -> Iterator[Mend]:
    function, first = site.function, body_of(site.node)[:1]
    if not calls_of_itself(site) or "<locals>" in function.owner.qualname or not all(map(site.begins_line, first)):
        return
    is_overridden = site.cls is not None and site.relatives.is_overridden(site.cls, site.node.name)
    is_plain = not (site.node.args.vararg or site.node.args.kwarg or function.type_comments or function.decorators)
    if is_plain and not is_overridden:
        found = (_mend(site, parameter.name) for parameter in function.parameters)
        yield from [mend for mend in found if mend][:1]


def _mend(site: FunctionContext, name: str) -> Mend | None:
    literals = [value.literal for value in site.values(ast.Name(name))]
    if name in site.stored_names or not 0 < len(literals) <= MOST or not all(map(str.isdecimal, literals)):
        return None
    configured, values = dict(_configured(site)), sorted(map(int, literals), reverse=True)
    if any(site.project.mentions(_name(site, value)) for value in values):
        return None
    copies = {value: _Copy(site, name, value, configured) for value in values}
    steps = [(value, passed) for value, each in copies.items() for passed in each.passed]
    are_known = all(passed in copies and passed != value for value, passed in steps)
    if not are_known or len({passed > value for value, passed in steps}) > 1:  # copies might call each other
        return None
    header, plain = signature(site.node, without=[name]), (p for p in site.function.parameters if p.name != name)
    given = ", ".join(p.name if p.kind is not ParameterKind.KEYWORD_ONLY else f"{p.name}={p.name}" for p in plain)
    returns = f" -> {site.function.returns}" if site.function.returns else ""
    chosen = list[str]()
    for value, each in copies.items():  # the compiler does not read a copy behind a `hasattr` that is False
        there = (f'if hasattr({site.function.receiver}, "{layer}"):' for layer in each.lacking)
        chosen.append(nested(f"return {_called(site, value)}({given})", *there, f"if {name} == {value}:"))
    edits = [
        site.insert_before(body_of(site.node)[0], if_scripted(site, "\n".join(chosen))),
        site.insert_before(body_of(site.node)[0], never_scripted(site)),
    ]
    blank = "\n" * (1 if site.function.in_class else 2)
    for value, each in copies.items():
        body = "\n".join((*(f"assert {test}" for test in each.asserted), *map(ast.unparse, each.body)))
        behind = site.insert_behind(site.node, nested(body, f"def {_name(site, value)}({header}){returns}:"))
        edits.append(Edit(behind.offset, blank + behind.text))
    left_out = "" if _is_settled(site, name) else f"other values of `{name}` than {', '.join(map(str, values))}"
    return site.mend(site.node, f"copy `{site.node.name}` for each value of `{name}`", edits, left_out=left_out)


def _configured(site: FunctionContext) -> Iterator[tuple[str, int | range]]:
    """The attributes of `self` that are one number, or have one length, in all modules."""
    for name in attributes(site, site.node):
        held = site.held(name)
        lengths = {value.length for value in held.values}
        if held.literal.isdecimal() and is_kept(site, name):
            yield name, int(held.literal)
        elif len(lengths) == 1 and min(lengths) >= 0 and is_kept(site, name):
            yield name, range(lengths.pop())


def _is_settled(site: FunctionContext, name: str) -> bool:
    """Whether all calls of the function in other functions pass a constant or configuration for a parameter."""
    named = ((caller, call) for caller, call in calls_by_name(site) if called_name(call) == site.node.name)
    known = ((caller, call, caller.definition(call.func)) for caller, call in named if caller.node is not site.node)
    made = ((caller, call) for caller, call, called in known if not called or called.owner == site.function.owner)
    passed = [(caller, all_arguments(call, site.function.parameters)) for caller, call in made]
    return bool(passed) and all(
        bound and name in bound and Settled(caller).holds(bound[name]) for caller, bound in passed
    )


def _name(site: FunctionContext, value: object) -> str:
    return f"_{site.node.name.strip('_')}_{value}"


def _called(site: FunctionContext, value: object) -> str:
    """The copy for a value, as code calls it."""
    return ".".join(filter(None, (site.function.receiver, _name(site, value))))


RULE = MendRule("recursions", MendKind.EXACT, anything, find)
