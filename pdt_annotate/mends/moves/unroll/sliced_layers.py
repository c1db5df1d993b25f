"""A called slice of a `Sequential`, or a `Sequential` that receives no tensor, is called in a new method.

To the compiler, a slice is a tuple of layers, and cannot be called; and the argument of a `Sequential` is a Tensor. In
the scripted model, the method runs the layers in turn. A loop does so for a `Sequential` that a call creates.

Message: `cannot call a value of type`, `has no attribute or method '__call__'`, `Expected integer literal for index`,
    `Expected a value of type 'Tensor (inferred)'`, `module cannot be used as a tuple`.
Kind: Exact.
Needs:
    - The bounds of the slice are literals. The slice is called with one argument, at once or through a local variable
      that is only called.
    - The argument of a `Sequential` was a list, a tuple or a dict in all calls.
    - A call creates the `Sequential` of all layers of one list, and the statement evaluates nothing else before.
Before:
    def forward(self, x):
        norm, rest = self.layers[0], self.layers[1:]
        x = nn.Sequential(*self.heads)(x)
        return rest(norm(x))
After:
    def forward(self, x):
        norm = self.layers[0]
        for head in self.heads:
            x = head(x)
        return self._run_part_of_layers(1, len(self.layers), norm(x))

    def _run_part_of_layers(self, start: int, stop: int, x):
        if not torch.jit.is_scripting():
            return self.layers[start:stop](x)
        for i, layer in enumerate(self.layers):
            if start <= i < stop:
                x = layer(x)
        return x
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import CALLED_VALUE, MISMATCH, NO_CALL, NO_LITERAL_INDEX, UNPACKED_MODULE
from pdt_annotate.mends.kit.blocks import calls_of_local, if_python, nested, statement_of_first, statements
from pdt_annotate.mends.kit.construction import add_method, bare_name, is_list, may_change, name_of_one
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import ATOM, Expression, is_plain, put_in
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import nodes_in, numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held, Mend, MendKind

SEQUENTIAL = "torch.nn.modules.container.Sequential"
CREATED = "torch.nn.Sequential"
PASSED = ("list", "tuple", "dict")


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _pairs(site)
    yield from _whole(site)
    yield from _created(site)
    for part in nodes_in(site.node, ast.Subscript):
        bounds, outer = _bounds(site, part), site.parents[part]
        if bounds is None:
            continue
        calls, edits = [outer], list[Edit]()
        if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name) and site.begins_line(outer):
            calls = [*calls_of_local(site, outer.targets[0].id, outer).get(outer, [])]
            edits = [site.remove(outer)]
            if may_change(site, part, outer, calls):
                continue
        changes = [_call(site, call, part, bounds) for call in calls]
        if changes and None not in changes:
            edits += dict.fromkeys(edit for each in changes if each for edit in each)
            yield site.mend(part, f"run the layers of `{site.source(part)}` in a method", edits)


def _pairs(site: FunctionContext) -> Iterator[Mend]:
    """`norm = self.layers[0]` and `rest = self.layers[1:]` for an assignment of both."""
    for node in nodes_in(site.node, ast.Assign):
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                are_layers = [_bounds(site, each) or any(v.is_module for v in site.values(each)) for each in values]
                names = {each.id for each in targets if isinstance(each, ast.Name)}
                is_free = len(names) == len(targets) and names.isdisjoint(names_in(*values))
                if all(are_layers) and is_free and site.takes_lines(node):
                    pairs = zip(targets, values, strict=True)
                    lines = [f"{ast.unparse(target)} = {site.source(value)}" for target, value in pairs]
                    yield site.mend(node, "assign each layer in a line", [site.replace(node, "\n".join(lines))])


def _whole(site: FunctionContext) -> Iterator[Mend]:
    """`self._run_stage(xs)` for `self.stage(xs)` of a list."""
    read = set(statements(site.node.body))
    for call in nodes_in(site.node, ast.Call):
        attribute = site.self_attribute(call.func)
        held = {each.type for each in site.held(attribute).values}
        is_whole = held == {SEQUENTIAL} and len(call.args) == 1 and site.statement(call)[0] in read
        if is_whole and site.is_always(call.args[0], *PASSED):
            layers = site.source(call.func)
            before = if_python(site, f"return {layers}(x)")
            body = nested("x = layer(x)", f"for layer in {layers}:")
            name = f"_run_{bare_name(site, attribute)}"
            added = add_method(site, nested(f"{before}\n{body}\nreturn x", f"def {name}({site.function.receiver}, x):"))
            if added is not None:
                edit = site.replace(call.func, f"{site.function.receiver}.{name}")
                yield site.mend(call, f"run the layers of `{layers}` in a method", [edit, *added])


def _created(site: FunctionContext) -> Iterator[Mend]:
    """`for layer in self.layers: x = layer(x)` for `x = nn.Sequential(*self.layers)(x)`."""
    for call in nodes_in(site.node, ast.Call):
        match call:
            case ast.Call(ast.Call(function, [ast.Starred(layers)], []), [argument], []) if is_plain(layers):
                is_list_here = is_list(Held(site.values(layers))) and site.meaning(function) == CREATED
                statement = statement_of_first(site, call) if is_list_here else None
            case _:
                continue
        if statement is None or isinstance(argument, (ast.Starred, ast.NamedExpr)):
            continue
        text = site.source(layers)
        layer, given = name_of_one(site, site.self_attribute(layers) or text), site.source(argument)
        match statement:
            case ast.Assign([ast.Name(result)], whole) if whole is call and result not in names_in(layers):
                is_all = True
            case _:
                result, is_all = site.first_free(numbered("result"), [layer]), False
        lines = nested(f"{result} = {layer}({result})", f"for {layer} in {text}:")
        if given != result:
            value = f"({given})" if "\n" in given else given
            lines = f"{result} = {value}\n{lines}"
        if is_all:
            edits = [site.replace(statement, lines)]
        else:
            edits = [site.insert_before(statement, lines), site.replace(call, result)]
        yield site.mend(call, f"run the layers of `{text}` in a loop", edits)


def _bounds(site: FunctionContext, node: ast.expr) -> tuple[str, str] | None:
    """The first index of a slice of a `Sequential` and the one after the last; None for other expressions."""
    match node:
        case ast.Subscript(value, ast.Slice(lower, upper, None)):
            types = {each.type for each in site.held(site.self_attribute(value)).values}
            length = f"len({site.source(value)})"
            start, stop = _index(lower, length, "0"), _index(upper, length, length)
            return (start, stop) if start and stop and types == {SEQUENTIAL} else None
    return None


def _index(bound: ast.expr | None, length: str, default: str) -> str:
    match bound:
        case None:
            return default
        case ast.Constant(int(number)):
            return str(number)
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return f"{length} - {number}"
    return ""


def _call(site: FunctionContext, call: ast.AST, part: ast.Subscript, bounds: tuple[str, str]) -> list[Edit] | None:
    """The edits that call the method in place of the slice, and add it to the class; None for other uses."""
    match call:
        case ast.Call(function, [argument], []) if not isinstance(argument, ast.Starred) and part is not argument:
            own, attribute = site.function.receiver, site.self_attribute(part.value)
            name = f"_run_part_of_{bare_name(site, attribute)}"
            before = if_python(site, f"return {own}.{attribute}[start:stop](x)")
            body = nested("x = layer(x)", f"for i, layer in enumerate({own}.{attribute}):", "if start <= i < stop:")
            text = nested(f"{before}\n{body}\nreturn x", f"def {name}({own}, start: int, stop: int, x):")
            added = add_method(site, text)
            if added is not None and isinstance(function, (ast.Name, ast.Subscript)):
                new = Expression(f"{own}.{name}({', '.join(bounds)}, {site.source(argument)})", ATOM)
                return [put_in(site, call, new), *added]
    return None


RULE = MendRule(
    "sliced_layers", MendKind.EXACT, said(CALLED_VALUE, MISMATCH, NO_CALL, NO_LITERAL_INDEX, UNPACKED_MODULE), find
)
