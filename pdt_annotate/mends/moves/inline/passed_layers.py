"""A function that receives a layer or a function as an argument is copied as a method of the class that passes it.

Message:
    - `found type '__torch__.`, because a layer cannot be passed as an argument.
    - `cannot call a value of type`, `Lambda aren't supported`, `function cannot be used as a value`.
Kind: Exact. Scripted if the `forward` of another layer is copied, because the compiler compiles every `forward`, and
    the mend leaves the original one out of the scripted model.
Needs:
    - The called function is a function of the project, a method of `self`, or the `forward` of a layer of `self`. In
      another file, it reads only what can be imported from there, and has no computed defaults; the copy has no
      annotations.
    - The argument is an attribute of `self` that held layers, a local that is such an attribute, the name of a
      function, or a lambda. The called function only calls the lambda.
    - The called function does not assign the parameter.
    - A `forward` that is copied sets no attribute of its own layer, and the project registers no forward hooks.
Before:
    class Block(nn.Module):
        def forward(self, x, mask):
            return self.residual(x, lambda t: self.attention(t, mask))


    class Residual(nn.Module):
        def forward(self, x, layer):
            return x + layer(self.norm(x))
After:
    class Block(nn.Module):
        def forward(self, x, mask):
            return self._forward_residual(mask, x)

        def _forward_residual(self, mask, x):
            return x + self._forward_residual_layer(mask, self.residual.norm(x))

        def _forward_residual_layer(self, mask, t):
            return self.attention(t, mask)


    class Residual(nn.Module):
        @torch.jit.unused
        def forward(self, x, layer):
            return x + layer(self.norm(x))
"""

import ast
import builtins
import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import CALLED_VALUE, FUNCTION_VALUE, LAMBDA, PASSED_MODULE
from pdt_annotate.mends.kit.blocks import UNUSED, code_of, is_set_before, nested
from pdt_annotate.mends.kit.callers import FORWARD, calls_by_name, forward_of
from pdt_annotate.mends.kit.construction import body_of, family_of, may_change
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.edit_arguments import signature
from pdt_annotate.mends.kit.spelled import (
    ANY,
    Expression,
    edits_inside,
    loads,
    only_assignment,
    respelled,
    spell,
    stores,
)
from pdt_annotate.source.definitions import Function, Scope, defaults_of
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.scopes import names_in, names_inside, parameters
from pdt_annotate.source.syntax import bind_arguments, is_name, last_name, nodes_in, numbered, root_name
from pdt_annotate.values.mends import Mend, MendKind

HOOKS = ("register_forward_hook", "register_forward_pre_hook")
PRIVATE = re.compile(r"__\w*?(?<!__)")  # which Python renames in a class
REFUSED = (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, Scope)


def find(site: FunctionContext) -> Iterator[Mend]:
    """The mends of the function; if it fails, also of the functions that call it."""
    passing = (_passing(caller, call) for caller, call in calls_by_name(site)) if site.failure else ()
    callers = (each.site for each in passing if each and each.callee.owner == site.function.owner)
    functions = (site.function, *(each.function for each in (*site.way, *callers)))
    for each in {function.owner: function for function in functions}.values():
        yield from _of_calls(site.at(each))


def _of_calls(site: FunctionContext) -> Iterator[Mend]:
    calls = list(nodes_in(site.node, ast.Call)) if site.function.receiver else []
    found: dict[tuple[object, ...], list[_Passing]] = {}
    for call in calls:
        if passing := _passing(site, call):
            texts = ((name, site.source(_meant(site, node))) for name, node in passing.passed.items())
            found.setdefault((passing.own, passing.callee.owner, *texts), []).append(passing)
    taken = set[str]()
    for alike in found.values():
        first, inner = alike[0], site.at(alike[0].callee)
        if site.cls and (copied := first.copied(taken)):
            new, text = copied
            edits = [site.replace(each.call, each.of(new)) for each in alike]
            edits.append(site.insert_behind(site.cls.node.body[-1], f"\n{text}"))
            original = f"`{first.callee.owner.qualname}`"
            summary = f"copy {original} for the argument that `{site.node.name}` passes"
            left_out = original if first.is_other else ""
            is_marked = first.is_other and not first.callee.decorators
            mark = [(inner.file, inner.insert_before(inner.node, f"@{inner.spell(UNUSED)}"))] if is_marked else []
            yield site.mend(first.call, summary, edits, left_out=left_out, elsewhere=mark)


def _passing(site: FunctionContext, call: ast.Call) -> "_Passing | None":
    callee, own = site.definition(call.func), ""
    if callee is None:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == FORWARD:
            func = func.value
        values = site.values(func) or site.held(site.self_attribute(func)).values
        types = {value.type for value in values if value.is_module}
        callee = forward_of(site.project, types.pop()) if len(types) == 1 and _is_path(func) else None
        own = site.source(func)
    elif callee.receiver:
        own = site.function.receiver
    given = bind_arguments(call, callee.parameters) if callee else None
    passed = {name: node for name, node in (given or {}).items() if _is_called(site, _meant(site, node))}
    around = site.parents[call]
    results = site.values(call) or (site.values(around) if isinstance(around, ast.IfExp) else ())
    returns_layer = any(value.is_module for value in results)  # which the compiler never allows
    return _Passing(site, call, callee, own, passed) if callee and passed and not returns_layer else None


def _meant(site: FunctionContext, node: ast.expr) -> ast.expr:
    """The attribute of `self` to which a local variable is bound, once; otherwise the expression itself."""
    assign = only_assignment(site, node.id) if isinstance(node, ast.Name) else None
    if assign is None or not _is_path(assign.value) or root_name(assign.value) != site.function.receiver:
        return node
    is_set = is_set_before(site, node, {assign}) and not may_change(site, assign.value, assign, [node])
    return assign.value if is_set else node


def _is_path(node: ast.expr) -> bool:
    """Whether an expression is an attribute, perhaps of an item with a literal index."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and _is_path(node.value)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def _is_called(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an argument is a function, or an attribute that held layers."""
    if isinstance(node, ast.Lambda):
        return not (node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg)
    values = site.values(node)
    is_layer = any(v.is_module for v in values) and all(v.is_module or v.type == NOTHING for v in values)
    is_own = _is_path(node) and root_name(node) == site.function.receiver
    return (is_own and is_layer) or site.definition(node) is not None


def _at_top(site: FunctionContext) -> set[str]:
    """The names that a file binds at the top; all builtins if a star import may bind them."""
    has_star = any(name.startswith("*") for name in site.imports)
    return {*site.imports, *site.module.defined, *(dir(builtins) if has_star else ())}


@dataclass(frozen=True)
class _Passing:
    """A call that passes layers or functions.

    Args:
        own: what `self` means in the called function, as the caller writes it.
        passed: the layers and functions, by parameter.
    """

    site: FunctionContext
    call: ast.Call
    callee: Function
    own: str
    passed: Mapping[str, ast.expr]

    @property
    def is_other(self) -> bool:
        """Whether it calls the `forward` of a layer, which the compiler would read, called or not."""
        return self.own not in ("", self.site.function.receiver)

    @property
    def captured(self) -> dict[str, str]:
        """The locals of the caller that its lambdas read, each with its name in the copy."""
        lambdas = [node for node in self.passed.values() if isinstance(node, ast.Lambda)]
        read = ((n.id, names_inside(each)) for each in lambdas for n in nodes_in(each.body, ast.Name))
        own = self.site.local_names - {self.site.function.receiver}
        names = dict.fromkeys(name for name, bound in read if name in own - bound)
        return {name: self.site.at(self.callee).first_free(numbered(name)) for name in names}

    def of(self, new: str) -> str:
        """The call of the copy."""
        passed = self.passed.values()
        args = [self.site.source(arg) for arg in self.call.args if arg not in passed]
        args += [self.site.source(keyword) for keyword in self.call.keywords if keyword.value not in passed]
        return f"{self.site.function.receiver}.{new}({', '.join([*self.captured, *args])})"

    def copied(self, taken: set[str]) -> tuple[str, str] | None:
        """The name of the copy, and its text with methods for the lambdas; None if it cannot be copied."""
        site, inner, receiver = self.site, self.site.at(self.callee), self.site.function.receiver
        node, lambdas = self.callee.node, {p: v for p, v in self.passed.items() if isinstance(v, ast.Lambda)}
        body = body_of(node)
        parts = [part for each in body for part in ast.walk(each)]
        uses = [inner.parents[use] for name in lambdas for use in loads(node, name)]
        is_called = all(isinstance(use, ast.Call) and getattr(use.func, "id", "") in lambdas for use in uses)
        sets = (n for n in parts if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load))
        is_refused = any(isinstance(n, REFUSED) or is_name(n, "super") for n in parts)
        is_bound = any(stores(node, name) for name in self.passed)
        sets_own = self.is_other and any(root_name(n.value) == self.callee.receiver for n in sets)
        is_hooked = self.is_other and any(map(site.project.mentions, HOOKS))
        clashes = receiver in names_inside(node) - {self.callee.receiver}
        private = any(PRIVATE.fullmatch(getattr(n, "id", "") or getattr(n, "attr", "")) for n in parts)
        is_mangled = private and self.callee.in_class != site.function.in_class
        is_decorated = any(last_name(each) not in ("unused", "staticmethod") for each in node.decorator_list)
        may_move = inner.file == site.file or self._can_move(parts)
        if is_decorated or is_mangled or node.args.posonlyargs or clashes or not may_move:
            return None
        if not is_called or is_refused or is_bound or sets_own or is_hooked or not body:
            return None
        name = self._name(taken)
        names, respell = {param: f"{name}_{param}" for param in lambdas}, respelled(site, inner)
        written = set[str]()  # the first names of what takes the place of expressions

        def put(part: ast.expr) -> Expression | None:
            called = part.func.id if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) else ""
            if isinstance(part, ast.Call) and called in names:
                args = [spell(inner, each, put).text for each in (*part.args, *part.keywords)]
                return Expression(f"{receiver}.{names[called]}({', '.join([*self.captured.values(), *args])})")
            if isinstance(part, ast.Name) and part.id in self.passed:
                new: Expression | None = Expression(site.source(_meant(site, self.passed[part.id])))
            else:
                new = Expression(self.own) if is_name(part, self.callee.receiver) and self.own else respell(part)
            if new:
                written.add(re.split(r"\W", new.text)[0])
            return new

        code = code_of(inner, body, (edit for each in body for edit in edits_inside(inner, each, put)))
        if code is None or (written - {receiver}) & (names_inside(node) - {*self.passed}):
            return None
        header, returns = copy.deepcopy(node), f" -> {inner.source(node.returns)}" if node.returns else ""
        if inner.file != site.file:  # where the names of annotations may mean something else
            returns = ""
            for parameter in parameters(header):
                parameter.annotation = None
        left_out, first = {*self.passed, self.callee.receiver}, (receiver, *self.captured.values())
        methods = [nested(code, f"def {name}({signature(header, without=left_out, first=first)}){returns}:")]
        for param, value in lambdas.items():
            given = ", ".join((receiver, *self.captured, *(arg.arg for arg in value.args.args)))
            methods.append(f"def {names[param]}({given}):\n    return {spell(site, value.body).at_least(ANY)}")
        return name, "\n\n".join(methods)

    def _can_move(self, parts: Iterable[ast.AST]) -> bool:
        """Whether another file can hold a copy: it can import all global names, and the signature computes nothing."""
        site, inner, node = self.site, self.site.at(self.callee), self.callee.node
        bound = {*inner.local_names, *names_inside(node)}
        free = [n for n in parts if isinstance(n, ast.Name) and n.id not in bound]
        others = {n.id for n in free if n.id not in inner.module.qualnames and not inner.meaning(n)}
        known = set(dir(builtins)).difference(*(_at_top(each) for each in (site, inner)))
        is_plain = not any(map(names_in, defaults_of(node).values()))
        return is_plain and site.project.has(inner.file) and others <= {n for n in known if not n.startswith("__")}

    def _name(self, taken: set[str]) -> str:
        """A name that says the same in all relatives of the class; lambdas of other methods may differ."""
        site, receiver = self.site, self.site.function.receiver
        passed = [site.source(_meant(site, v)) for v in self.passed.values() if not isinstance(v, ast.Lambda)]
        words = [site.node.name] if len(passed) < len(self.passed) else []
        words += [self.own if self.is_other else self.callee.node.name, *(["with", *passed] if passed else [])]
        if site.cls and len(family_of(site, site.cls)) > 1:
            words.insert(0, snake_case(site.function.in_class))
        name = "_".join(re.sub(r"\W+", "_", word.removeprefix(f"{receiver}.")).strip("_") for word in words)
        free = (each for each in numbered(f"_{name}") if each not in taken and not site.project.mentions(each))
        taken.add(found := next(free))
        return found


RULE = MendRule("passed_layers", MendKind.EXACT, quoted(LAMBDA, PASSED_MODULE, CALLED_VALUE, FUNCTION_VALUE), find)
