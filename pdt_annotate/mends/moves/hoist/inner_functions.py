"""A local `def` or lambda becomes a function of the module, or a method of the class if it reads `self`.

A class that a function creates with `namedtuple` is created at the top level of the module instead.

Message: `function definitions aren't supported`, `Lambda aren't supported`, `Compiled functions can't take variable
    number of arguments or use keyword-only arguments with defaults`, raised in `collections`.
Kind: Exact.
Needs:
    - The inner function is defined once. It has no decorator and no variadic parameters. It assigns no variable of the
      outer function.
    - Its defaults are constants. Any other default is stored in a local variable, and passed, if no call passes the
      parameter.
    - Later code calls the inner function, or passes it as an argument.
    - The variables of the outer function that the inner function reads become parameters. If there are any, later code
      only calls the inner function.
    - A `namedtuple` has a literal name and literal fields. It is assigned once to a local variable, which is only
      called.
Before:
    def forward(self, x, n):
        def scaled(t):
            half = t * 0.5
            return half * n

        return scaled(x)
After:
    def _scaled(n, t):
        half = t * 0.5
        return half * n

    def forward(self, x, n):
        return _scaled(n, x)
"""

import ast
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.findings.messages.said import DEFINITION, LAMBDA, VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.blocks import end_of_header, in_order, insert_at_top, nested, outermost
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import signature
from pdt_annotate.mends.kit.spelled import ANY, is_hidden, loads, only_assignment, spell, stores
from pdt_annotate.source.definitions import Scope, defaults_of
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import dotted_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

Inner = ast.FunctionDef | ast.Lambda
NAMEDTUPLE = "collections.namedtuple"
REFUSED = (ast.Yield, ast.YieldFrom, ast.Nonlocal, ast.Global, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _tuples(site)
    site = outermost(site)
    for node in ast.walk(site.node):
        match node:
            case ast.FunctionDef() if node is not site.node:
                yield from _inner(site, node, node.name, node)
            case ast.Assign([ast.Name(name)], ast.Lambda() as function):
                yield from _inner(site, node, name, function)


def _inner(site: FunctionContext, node: ast.stmt, called: str, function: Inner) -> Iterator[Mend]:
    uses, outer = loads(site.node, called), {*site.local_names, site.function.receiver} - names_inside(function)
    calls = [call for use in uses if isinstance(call := site.parents[use], ast.Call) and call.func is use]
    computed = _computed(function, calls)
    elsewhere = {part for default in computed.values() for part in ast.walk(default)}
    # The names of the outer function that the inner one reads, in order.
    read = (name.id for name in in_order(function) if name.id in outer and name not in elsewhere)
    captured = list(dict.fromkeys(read))
    self = [site.function.receiver] if site.function.receiver in captured else []
    added = [each for each in captured if each not in self]
    block = getattr(site.parents[node], "body", [])
    may_stay_behind = node in block and len(block) > 1 and not _is_refused(site, called, function, computed)
    is_behind = bool(uses) and all(use.lineno > (node.end_lineno or 0) for use in uses)
    is_passed = all(isinstance(site.parents[use], (ast.Call, ast.keyword)) for use in uses)
    is_hidden_there = any(is_hidden(site, use, captured) for use in uses) or not site.stored_names.isdisjoint(self)
    is_only_called = len(calls) == len(uses) or not (added or computed)
    if not is_behind or not is_passed or not may_stay_behind or is_hidden_there or not is_only_called:
        return
    name = f"_{called.lstrip('_')}"
    # A relative of the class must not get another method of the name, nor the module another function.
    files = {site.file, *site.project.with_name(called), *site.project.with_name(name)} if self else {site.file}
    binding = {node, *stores(site.node, called)}
    nodes = (n for file in files for n in site.project.read(file).nodes if n not in binding)
    if any(_bound(n) in (name, called) for n in nodes):
        name = f"_{snake_case(site.function.owner.qualname)}{name}"
    # Nothing has the function's own name when it has moved.
    is_own = name == called != "_" and name not in site.imports
    is_own = is_own and len(uses) == sum(is_name(n, name) for n in site.module.nodes)
    name = name if self or is_own else site.free_name(name, names_inside(site.module.tree))
    values = dict[str, str]()  # the locals that keep computed defaults
    for parameter, default in computed.items():
        values[site.local_name(parameter, values)] = site.source(default)
    reached, passed = ".".join((*self, name)), ", ".join((*added, *values))
    changed = [site.replace(use, reached) for use in uses]
    for call in calls if passed else ():
        start = site.text.body.index(b"(", site.span(call.func)[1]) + 1
        changed.append(Edit(start, passed + ", " * bool(call.args or call.keywords)))
    parameters = signature(function, without=computed, first=(*self, *added, *computed))
    moved = f"def {name}({parameters}){_body(site, function)}"
    placed = site.insert_before(site.node, f"{moved}\n") if self else insert_at_top(site, moved)
    kept = "\n".join(f"{local} = {text}" for local, text in values.items())
    edits = [placed, site.replace(node, kept) if kept else site.remove(node), *changed]
    kind = f"method `{name}` of the class" if self else f"function `{name}` of the module"
    yield site.mend(node, f"`{called}` becomes the {kind}", edits)


def _computed(function: Inner, calls: Sequence[ast.Call]) -> dict[str, ast.expr]:
    """The parameters that no call passes, and whose defaults are no constants, each with its default."""
    passed = {keyword.arg for call in calls for keyword in call.keywords}
    if None in passed or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args):
        return {}
    most, defaults = max((len(call.args) for call in calls), default=0), defaults_of(function)
    plain = (a.arg for a in function.args.args[most:] if a.arg not in passed and not a.annotation)
    return {a: defaults[a] for a in plain if a in defaults and not isinstance(defaults[a], ast.Constant)}


def _bound(node: ast.AST) -> str:
    """The name that a definition, a target or an attribute has; "" for other nodes."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return name
        case ast.Attribute(attr=name) | ast.Name(name, ast.Store()):
            return name
    return ""


def _body(site: FunctionContext, function: Inner) -> str:
    """The source after the parameters: the return annotation, and the body."""
    if isinstance(function, ast.Lambda):
        return nested(f"return {spell(site, function.body).at_least(ANY)}", ":")
    returns = f" -> {site.source(function.returns)}" if function.returns else ""
    start = site.text.line_start(site.text.line(end_of_header(site, function)) + 1)
    body = textwrap.dedent(site.text.body[start : site.span(function)[1]].decode().replace("\r\n", "\n"))
    return nested(body, f"{returns}:")


def _is_refused(site: FunctionContext, called: str, node: Inner, computed: Mapping[str, ast.expr]) -> bool:
    """Whether an inner function is not bound once by a plain header on its own line, or has code that cannot move."""
    args, inside = node.args, [n for n in ast.walk(node) if n is not node]
    defaults = [each for each in (*args.defaults, *args.kw_defaults) if each]
    others = [each for each in defaults if each not in computed.values()]
    variadic = args.vararg or args.kwarg or not all(isinstance(each, ast.Constant) for each in others)
    definitions = [n for n in ast.walk(site.node) if isinstance(n, Scope) and n.name == called]
    twice = len(definitions) + len(stores(site.node, called)) > 1 or called in names_inside(node)
    refused = any(isinstance(n, REFUSED) or is_name(n, "super") for n in inside)
    is_plain = isinstance(node, ast.Lambda) or (not node.decorator_list and node.body[0].lineno > node.lineno)
    is_outer = next(n for n in site.around(node) if isinstance(n, (Scope, ast.Lambda))) is site.node
    return bool(variadic or twice or refused or not is_plain or not is_outer)


def _tuples(site: FunctionContext) -> Iterator[Mend]:
    """The named tuples that the function makes, and only calls."""
    imports = (each for each in site.module.tree.body if isinstance(each, (ast.Import, ast.ImportFrom)))
    imported = {alias.asname or alias.name for each in imports for alias in each.names}
    for made in site.node.body if site.is_entered() else ():
        match made:
            case ast.Assign([ast.Name(local)], ast.Call(func, [ast.Constant(str(name)), fields], []) as call):
                if site.meaning(func) != NAMEDTUPLE or dotted_name(func).partition(".")[0] not in imported:
                    continue
                parts = fields.elts if isinstance(fields, (ast.List, ast.Tuple)) else [fields]
                is_written = all(isinstance(part, ast.Constant) for part in parts) and "\n" not in site.source(call)
                alike = [n for n in site.module.nodes if isinstance(n, ast.Constant) and n.value == name]
                uses = loads(site.node, local)
                calls = [site.parents[use] for use in uses]
                is_called = all(isinstance(c, ast.Call) and c.func in uses and c.lineno > made.lineno for c in calls)
                is_free = len(alike) == 1 and site.free_name(name) == name and only_assignment(site, local) is made
                if calls and is_called and is_written and is_free:
                    edits = [insert_at_top(site, f"{name} = {site.source(call)}"), site.remove(made)]
                    edits += [site.replace(use, name) for use in uses]
                    yield site.mend(call, f"make the named tuple `{name}` in the module", edits)


RULE = MendRule("inner_functions", MendKind.EXACT, said(DEFINITION, LAMBDA, VARIABLE_ARGUMENTS), find)
