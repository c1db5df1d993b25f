"""Variadic and keyword-only parameters become plain parameters, and None replaces a list or dict as a default.

Each name that the function looks up in `**kwargs` becomes a parameter. Each value of `*args` becomes a parameter if
every call passes the same number of values.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`;
    `Mutable default parameters are not supported`.
Kind:
    - Exact for keyword-only parameters, because every valid call stays valid, and for a list or dict as a default.
    - Exact for `**kwargs` if no call in the project may pass another name. Otherwise frozen, because another name then
      raises an error. Also frozen if the function tests `"name" in kwargs`, because None then means that the argument
      was not passed.
    - Frozen for `*args`, because another number of values then raises an error.
Needs:
    - `kwargs` is used only as `kwargs["name"]`, `kwargs.get("name")`, `kwargs.pop("name")` or `"name" in kwargs`. A
      name that is popped is looked up only once.
    - Each name has one plain default, or every call of the function looks up the name. A name without a default becomes
      a parameter only if no parameter has a default.
    - A list or dict as a default contains only constants, and the function only reads its items.
Before:
    def forward(self, *inputs, scale=1.0):
        return self.merge(*inputs) * scale / len(inputs)

    def merge(self, x, y, sizes=[1, 2], **kwargs):
        return x + y * sizes[0] * kwargs.get("scale", 2.0)
After:
    def forward(self, input_1, input_2, scale=1.0):
        inputs = (input_1, input_2)
        return self.merge(input_1, input_2) * scale / len(inputs)

    def merge(self, x, y, sizes=None, scale=2.0):
        if sizes is None:
            sizes = [1, 2]
        return x + y * sizes[0] * scale
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import MUTABLE_DEFAULT, VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.blocks import PLAIN_STATEMENTS
from pdt_annotate.mends.kit.callers import may_pass_more
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import exchange, name_variadics, named_parameters
from pdt_annotate.mends.kit.spelled import is_gone_over, is_hidden, loads, may_be_skipped, stores
from pdt_annotate.source.definitions import defaults_of, literal_type
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

STAR = re.compile(rb"\*\s*,\s*\Z")


@dataclass(frozen=True)
class _Lookup:
    """An expression that looks a name up, and the default; "" if the name is required."""

    node: ast.expr
    name: str
    default: str
    takes_away: bool = False
    asks: str = ""  # how the name is compared with None, in place of a test whether it is passed


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _mutable(site)
    yield from _by_position(site)
    yield from _looked_up(site)
    yield from _counted(site)


def _mutable(site: FunctionContext) -> Iterator[Mend]:
    """`x=None`, and the display as a value in the body, for a default that is a list or a dict."""
    defaults, body = defaults_of(site.node), body_of(site.node)
    for arg in named_parameters(site.node) if body and site.begins_line(body[0]) else ():
        default = defaults.get(arg.arg)
        parts = list(ast.walk(default)) if default else []
        is_made = any(isinstance(part, (ast.List, ast.Dict)) for part in parts)
        # Nothing may change the one object that all calls share.
        is_read = all(_is_read(site, use) for use in loads(site.node, arg.arg)) and not stores(site.node, arg.arg)
        if default and is_made and is_read and not any(isinstance(p, (ast.Name, ast.Call)) for p in parts):
            text, annotation = site.source(default), arg.annotation
            edits = [site.insert_before(body[0], f"if {arg.arg} is None:\n    {arg.arg} = {text}")]
            edits += [site.replace(default, "None")]
            if annotation:
                edits += [site.replace(annotation, f"{site.spell('typing.Optional')}[{site.source(annotation)}]")]
            yield site.mend(site.node, f"create the default `{text}` of `{arg.arg}` in each call", edits)


def _is_read(site: FunctionContext, use: ast.expr) -> bool:
    match site.parents[use]:
        case ast.Subscript(value, ctx=ast.Load()) if value is use:
            return True
        case ast.Compare(ops=operators):
            # A comparison with None would see the default in place of a None that a caller passes.
            return all(isinstance(operator, (ast.In, ast.NotIn)) for operator in operators)
    return is_gone_over(site, use)


def _by_position(site: FunctionContext) -> Iterator[Mend]:
    """`scale=1.0, *, x` for `*, x, scale=1.0`: callers may pass what has a default by position, too."""
    args, defaults, body = site.node.args, defaults_of(site.node), site.text.body
    named = [arg for arg in args.kwonlyargs if arg.arg in defaults]
    ordered = [arg.arg in defaults for arg in named_parameters(site.node)]
    if args.vararg or not named:
        return
    # The names without a default stay behind the star if they cannot come without it.
    required = [] if ordered == sorted(ordered) else [arg for arg in args.kwonlyargs if arg.arg not in defaults]
    spans = {arg: (site.span(arg)[0], site.span(defaults.get(arg.arg, arg))[1]) for arg in args.kwonlyargs}
    start, end = spans[args.kwonlyargs[0]][0], spans[args.kwonlyargs[-1]][1]
    star = STAR.search(body, site.text.name_start(site.node), start)
    if star is None or (required and b"#" in body[start:end]):
        return
    edits = [Edit(star.start(), "", removed=star.end() - star.start())]
    if required:
        behind, last = ([body[slice(*spans[arg])].decode() for arg in each] for each in (named, required))
        edits = [Edit(star.start(), ", ".join([*behind, "*", *last]), removed=end - star.start())]
    names = ", ".join(f"`{arg.arg}`" for arg in named)
    yield site.mend(site.node, f"allow calls of `{site.node.name}` to pass {names} by position", edits)


def _looked_up(site: FunctionContext) -> Iterator[Mend]:
    """A parameter for each name that the body looks up in `**kwargs`."""
    kwargs = site.node.args.kwarg
    if kwargs is None or site.node.args.vararg:
        return
    found = list(_lookups(site, kwargs.arg))
    defaults = {each.name: each.default for each in sorted(found, key=lambda each: bool(each.default))}
    uses = sum(is_name(node, kwargs.arg) for node in ast.walk(site.node))
    if not found or uses != len(found) or not _are_sound(site, found) or set(site.passed.names) - defaults.keys():
        return
    header = name_variadics(site, defaults)
    if header is not None:
        names = ", ".join(f"`{name}`" for name in defaults)
        frozen = any(each.asks for each in found) or may_pass_more(site, tuple(defaults))
        edits = [*header, *(site.replace(each.node, f"{each.name}{each.asks}") for each in found)]
        yield site.mend(site.node, f"`**{kwargs.arg}` of `{site.node.name}` becomes {names}", edits, frozen=frozen)


def _counted(site: FunctionContext) -> Iterator[Mend]:
    """As many parameters as each call passes to `*args`, and a tuple of them."""
    args, passed = site.node.args, site.passed
    if args.vararg is None or not site.is_entered() or passed.fewest != passed.positional or args.defaults:
        return
    name, count = args.vararg.arg, passed.positional
    one = name.removesuffix("s") if len(name) > 2 else "value"
    names = [site.free_name(f"{one}_{number}", [name]) for number in range(1, count + 1)]
    # Only the tuple changes if the function binds the name again.
    uses, is_set = loads(site.node, name), bool(stores(site.node, name))
    starred = [outer for use in uses if isinstance(outer := site.parents[use], ast.Starred) and not is_set]
    passing = [each for each in starred if names and not is_hidden(site, each, [name])]
    star = ["*"] if args.kwonlyargs else []
    header = exchange(site, site.node, {args.vararg: ", ".join([*names, *star])})
    body = body_of(site.node)
    if header is None or not body or not site.begins_line(body[0]) or not (names or uses):
        return
    edits = [*header, *(site.replace(each, ", ".join(names)) for each in passing)]
    if len(passing) < len(uses) or is_set:
        values = ", ".join(names) + "," * (count == 1)
        edits.append(site.insert_before(body[0], f"{name} = ({values})"))
    summary = f"`*{name}` of `{site.node.name}` becomes {', '.join(f'`{each}`' for each in names) or 'an empty tuple'}"
    yield site.mend(site.node, summary, edits, frozen=True)


def _lookups(site: FunctionContext, kwargs: str) -> Iterator[_Lookup]:
    def is_asked(node: ast.expr, name: str) -> bool:
        tests = [getattr(outer, "test", None) for outer in site.around(node)]
        texts = [ast.unparse(test) for test in tests if isinstance(test, ast.Compare)]
        return f"{name!r} in {kwargs}" in texts or f"{name!r} not in {kwargs}" in texts

    for node in ast.walk(site.node):
        match node:
            case ast.Compare(ast.Constant(str(name)), [ast.In() | ast.NotIn() as operator], [ast.Name(of)]):
                # Calls pass no None.
                asks = " is not None" if isinstance(operator, ast.In) else " is None"
                found = _Lookup(node, name, "None", asks=asks)
            case ast.Subscript(ast.Name(of), ast.Constant(str(name)), ast.Load()):
                found = _Lookup(node, name, "None" if is_asked(node, name) else "")
            case ast.Call(ast.Attribute(ast.Name(of), "get" | "pop" as method), [ast.Constant(str(name)), *rest], []):
                if len(rest) > 1 or not all(map(literal_type, rest)):
                    continue
                none = "None" if method == "get" or is_asked(node, name) else ""
                found = _Lookup(node, name, ast.unparse(rest[0]) if rest else none, takes_away=method == "pop")
            case _:
                continue
        if of == kwargs and name.isidentifier():
            yield found


def _are_sound(site: FunctionContext, found: list[_Lookup]) -> bool:
    """Whether names have one default each, mean nothing else, and are not looked up after they are popped."""
    names = [each.name for each in found]
    defaults = {(each.name, each.default) for each in found}
    again = any(each.takes_away and names.count(each.name) > 1 for each in found)
    needed = all(each.default or _is_reached(site, each.node) for each in found)
    return needed and len(defaults) == len(set(names)) and not again and not site.local_names & set(names)


def _is_reached(site: FunctionContext, node: ast.expr) -> bool:
    """Whether each call of the function evaluates an expression, and so would raise without the name."""
    statement, _ = site.statement(node)
    if statement not in site.node.body or may_be_skipped(site, node):
        return False
    before = site.node.body[: site.node.body.index(statement)]
    leaves = any(isinstance(part, ast.Return) for each in before for part in ast.walk(each))
    return isinstance(statement, PLAIN_STATEMENTS) and not leaves


RULE = MendRule("plain_parameters", MendKind.EXACT, said(VARIABLE_ARGUMENTS, MUTABLE_DEFAULT), find)
