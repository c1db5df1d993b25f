"""A function with a decorator of the project is split into the code of the wrapper and the function that it calls.

If the wrapper uses `functools.wraps`, the compiler compiles the decorated function and skips the wrapper. Other
wrappers often have `*args` and `**kwargs`, or read arguments of the decorator.

Message: `Expected at most`, `Keyword argument … unknown`, `Compiled functions can't take variable number of arguments`,
    `python value of type`. The mend is also made without a message if the scripted model returns other results than
    Python.
Kind: Exact.
Needs:
    - The decorator only defines the wrapper and returns it. Arguments of the decorator are literals.
    - The wrapper uses the decorated function only to call it, and passes on all of its own `*args` and `**kwargs`.
    - The project does not read `__wrapped__`.
Before:
    def scaled(fn):
        @functools.wraps(fn)
        def wrapper(x, scale=1.0, **kwargs):
            return fn(x, **kwargs) * scale

        return wrapper


    @scaled
    def power(x, n: int = 2):
        return x**n
After:
    def scaled(fn):
        @functools.wraps(fn)
        def wrapper(x, scale=1.0, **kwargs):
            return fn(x, **kwargs) * scale

        return wrapper


    def _power(x, n: int = 2):
        return x**n


    def power(x, scale=1.0, n: int = 2):
        return _power(x, n=n) * scale
"""

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import CLOSED_OVER, TOO_MANY, UNKNOWN_KEYWORD, VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.blocks import code_of, nested
from pdt_annotate.mends.kit.callers import receivers
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, either, quoted
from pdt_annotate.mends.kit.edit_arguments import passes_on
from pdt_annotate.mends.kit.spelled import Expression, edits_inside, loads, respelled, spell, strength
from pdt_annotate.source.definitions import Definition, defaults_of, literal_type
from pdt_annotate.source.scopes import names_in, names_inside, parameters
from pdt_annotate.source.syntax import all_arguments, is_name, last_name, nodes_in, numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

REFUSED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.ClassDef)
SELF_MADE = frozenset(("staticmethod", "classmethod", "property"))


def find(site: FunctionContext) -> Iterator[Mend]:
    """The mends of the function, of the functions that it calls, and of the functions that it wraps."""
    maker = site.function.owner.qualname.partition(".<locals>")[0]
    files = site.project.with_name(maker) if maker != site.function.owner.qualname else ()
    calls = nodes_in(site.node, ast.Call)
    called = [function for call in calls for function in receivers(site, call) or ()]
    near = [site.function, *called, *(function for file in files for function in site.project.read(file).functions)]
    decorated = {each.owner: each for each in near if each.decorators and site.project.has(each.owner.file)}
    for inner in map(site.at, decorated.values()):
        wrapper = _wrapper(inner)
        if wrapper and (edits := wrapper.written_out()):
            summary = f"replace the decorator of `{inner.node.name}` by the code of its wrapper"
            yield inner.mend(inner.node, summary, edits)


@dataclass
class _Wrapper:
    """A wrapper of a function of the project.

    Args:
        site: the function inside.
        around: the decorator.
        node: the wrapper.
        inner: the name that the wrapper has for the function inside.
        settings: the literals that the decorator takes, by name.
    """

    site: FunctionContext
    around: FunctionContext
    node: ast.FunctionDef
    inner: str
    settings: dict[str, ast.expr]

    def written_out(self) -> list[Edit] | None:
        """The edits that rename the function inside and write the wrapper after it; None if it cannot be written."""
        site, function, respell = self.site, self.site.node, respelled(self.site, self.around)
        body = body_of(self.node)
        uses = [self.around.parents[use] for part in body for use in loads(part, self.inner)]
        calls = [use for use in uses if isinstance(use, ast.Call) and is_name(use.func, self.inner)]
        names = [use for use in uses if isinstance(use, ast.Attribute) and use.attr == "__name__"]
        args, passed = (calls and self._parameters(calls)) or (None, ())
        if args is None or len(calls) + len(names) < len(uses):
            return None
        new = next(name for name in numbered(f"_{function.name.lstrip('_')}") if not site.project.mentions(name))

        def put(node: ast.expr) -> Expression | None:
            if node in names:
                return Expression(repr(function.name))
            if isinstance(node, ast.Call) and node in calls:
                given = (each for each in (*node.args, *node.keywords) if not passes_on(each, self.node))
                texts = [*(spell(self.around, each, put).text for each in given), *passed]
                name = f"{texts.pop(0)}.{new}" if site.function.receiver else new
                return Expression(f"{name}({', '.join(texts)})")
            value = self.settings.get(node.id) if isinstance(node, ast.Name) else None
            return Expression(ast.unparse(value), strength(value)) if value is not None else respell(node)

        code = code_of(self.around, body, (edit for part in body for edit in edits_inside(self.around, part, put)))
        if code is None:
            return None
        above = "".join(f"@{site.source(each)}\n" for each in function.decorator_list[:-1])
        head = f"def {function.name}({ast.unparse(args)}):"
        between = "\n" if site.function.in_class else "\n\n"
        start, name = site.span(function)[0], site.text.name_end(site.text.name_start(function))
        return [
            Edit(start, f"def {new}", removed=name - start),
            site.insert_behind(function, f"{between}{above}{nested(code, head)}"),
        ]

    def _parameters(self, calls: Sequence[ast.Call]) -> tuple[ast.arguments, tuple[str, ...]] | None:
        """The parameters of the wrapper, and the arguments that replace `*args` and `**kwargs` in its calls.

        Both are the parameters of the function inside that the calls do not pass otherwise.
        """
        args = copy.deepcopy(self.node.args)
        if not (args.vararg or args.kwarg):
            return args, ()
        own, known = self.site.node.args, defaults_of(self.site.node)
        variadic = {arg.arg for arg in (args.vararg, args.kwarg) if arg}
        used = [n for each in self.node.body for n in nodes_in(each, ast.Name) if n.id in variadic]
        passing = [each for c in calls for each in (*c.args, *c.keywords) if passes_on(each, self.node)]
        is_passed = len(used) == len(passing) == len(variadic) * len(calls)
        count, *counts = {sum(not isinstance(each, ast.Starred) for each in call.args) for call in calls}
        named, *names = {frozenset(keyword.arg for keyword in call.keywords if keyword.arg) for call in calls}
        has_others = own.vararg or own.kwarg or own.kwonlyargs or own.posonlyargs or args.posonlyargs
        if not is_passed or counts or names or has_others:
            return None
        left = [arg for arg in own.args[count:] if arg.arg not in named]
        # After a default, only a parameter that is passed by name can lack one.
        by_name = not args.vararg
        required = [arg for arg in left if args.defaults and arg.arg not in known]
        values = [known[arg.arg] for arg in left if arg.arg in known]
        inside = {*names_in(self.node), *names_inside(self.node)} - variadic
        is_hidden = any(arg.arg in inside for arg in left)
        if is_hidden or (required and not by_name) or None in map(literal_type, values):
            return None
        args.vararg = args.kwarg = None
        args.args += [arg for arg in left if arg not in required]
        args.defaults += values
        args.kwonlyargs, args.kw_defaults = args.kwonlyargs + required, args.kw_defaults + [None] * len(required)
        return args, tuple(f"{arg.arg}={arg.arg}" if by_name or named else arg.arg for arg in left)


def _wrapper(site: FunctionContext) -> _Wrapper | None:
    """The wrapper that the innermost decorator of a function defines; None if it does more than that."""
    decorator = site.node.decorator_list[-1]
    call = decorator if isinstance(decorator, ast.Call) else None
    maker = site.definition(call.func if call else decorator)
    is_made_again = not SELF_MADE.isdisjoint(site.function.decorators)
    is_odd = is_made_again or bool(site.function.in_class) != bool(site.function.receiver)
    if maker is None or maker.in_class or maker.decorators or is_odd:
        return None
    settings, node = (all_arguments(call, maker.parameters), _returned(maker.node)) if call else ({}, maker.node)
    wrapper = _returned(node) if node and not node.decorator_list else None
    if settings is None or not all(map(literal_type, settings.values())) or node is None or wrapper is None:
        return None
    if len(node.args.args) != 1 or [*parameters(node)] != node.args.args or defaults_of(node):
        return None
    inner = node.args.args[0].arg
    wraps = all(isinstance(each, ast.Call) and last_name(each.func) == "wraps" for each in wrapper.decorator_list)
    runs = any(isinstance(part, REFUSED) for each in wrapper.body for part in ast.walk(each))
    plain = all(literal_type(each) is not None for each in defaults_of(wrapper).values())
    hidden = names_inside(wrapper) & {inner, *settings}
    if not wraps or runs or not plain or hidden or site.project.mentions("__wrapped__"):
        return None
    return _Wrapper(site, site.at(maker), wrapper, inner, settings)


def _returned(node: Definition) -> ast.FunctionDef | None:
    """The function that a function defines and returns, if it does nothing else."""
    body = body_of(node)
    if len(body) != 2 or not isinstance(body[0], ast.FunctionDef) or not isinstance(body[1], ast.Return):
        return None
    return body[0] if body[1].value and is_name(body[1].value, body[0].name) else None


IS_OF_CALL = quoted(TOO_MANY, UNKNOWN_KEYWORD, VARIABLE_ARGUMENTS, CLOSED_OVER)
RULE = MendRule("wrapped_functions", MendKind.EXACT, either(lambda failure: bool(failure.call), IS_OF_CALL), find)
