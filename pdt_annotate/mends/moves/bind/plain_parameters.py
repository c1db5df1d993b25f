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
from pdt_annotate.mends.kit.callers import may_pass_more
from pdt_annotate.mends.kit.construction import is_docstring
from pdt_annotate.mends.kit.context import NOTHING_PASSED, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import exchange
from pdt_annotate.mends.kit.spelled import CHOOSING, is_gone_over, is_hidden, loads, stores
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
    args, defaults, body = site.node.args, defaults_of(site.node), [s for s in site.node.body if not is_docstring(s)]
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs) if body and site.begins_line(body[0]) else ():
        default, uses = defaults.get(arg.arg), loads(site.node, arg.arg)
        parts = list(ast.walk(default)) if default else []
        is_made = any(isinstance(part, (ast.List, ast.Dict)) for part in parts)
        # Nothing may change the one object that all calls share.
        is_read = all(_is_read(site, use) for use in uses) and not stores(site.node, arg.arg)
        if default and is_made and is_read and not any(isinstance(p, (ast.Name, ast.Call)) for p in parts):
            edits = [
                site.replace(default, "None"),
                site.insert_before(body[0], f"if {arg.arg} is None:\n    {arg.arg} = {site.source(default)}"),
            ]
            optional = site.spell("typing.Optional") if arg.annotation else ("", ())
            edits += (
                [site.replace(arg.annotation, f"{optional}[{site.source(arg.annotation)}]")] if arg.annotation else []
            )
            summary = f"create the default `{site.source(default)}` of `{arg.arg}` in each call"
            yield site.mend(site.node, summary, edits)


def _is_read(site: FunctionContext, use: ast.expr) -> bool:
    parent = site.parents[use]
    is_item = isinstance(parent, ast.Subscript) and parent.value is use and isinstance(parent.ctx, ast.Load)
    # A comparison with None would see the default in place of a None that a caller passes.
    is_sought = isinstance(parent, ast.Compare) and all(isinstance(op, (ast.In, ast.NotIn)) for op in parent.ops)
    return is_item or is_sought or is_gone_over(site, use)


def _by_position(site: FunctionContext) -> Iterator[Mend]:
    """`scale=1.0, *, x` for `*, x, scale=1.0`: callers may pass what has a default by position, too."""
    args, defaults = site.node.args, defaults_of(site.node)
    named = [arg for arg in args.kwonlyargs if arg.arg in defaults]
    ordered = [arg.arg in defaults for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    if args.vararg or not named:
        return
    # The names without a default stay behind the star if they cannot come without it.
    required = [] if ordered == sorted(ordered) else [arg for arg in args.kwonlyargs if arg.arg not in defaults]
    spans = {arg: (site.span(arg)[0], site.span(defaults.get(arg.arg, arg))[1]) for arg in args.kwonlyargs}
    texts = {arg: "*, " * (arg in required[:1]) + site.text.body[slice(*spans[arg])].decode() for arg in spans}
    star = STAR.search(site.text.body, site.text.name_start(site.node), min(spans.values())[0])
    is_plain = not required or b"#" not in site.text.body[slice(min(spans.values())[0], max(spans.values())[1])]
    if star is not None and is_plain:
        edits = [Edit(star.start(), "", removed=star.end() - star.start())]
        for (start, end), arg in zip(spans.values(), (*named, *required) if required else (), strict=False):
            edits.append(Edit(start, texts[arg], removed=end - start))
        names = ", ".join(f"`{arg.arg}`" for arg in named)
        yield site.mend(site.node, f"allow calls of `{site.node.name}` to pass {names} by position", edits)


def _looked_up(site: FunctionContext) -> Iterator[Mend]:
    """A parameter for each name that the body looks up in `**kwargs`."""
    kwargs = site.node.args.kwarg
    found = list(_lookups(site, kwargs.arg)) if kwargs and not site.node.args.vararg else []
    defaults = {each.name: each.default for each in found}
    passed = (site.passed or NOTHING_PASSED).names
    uses = sum(is_name(node, kwargs.arg) for node in ast.walk(site.node)) if kwargs else 0
    if kwargs is None or not found or uses != len(found) or not _are_sound(site, found) or set(passed) - {*defaults}:
        return
    ordered = sorted(defaults, key=lambda name: bool(defaults[name]))
    if not defaults[ordered[0]] and (site.node.args.defaults or site.node.args.kwonlyargs):
        return
    text = ", ".join(name + (f"={defaults[name]}" if defaults[name] else "") for name in ordered)
    header = exchange(site, site.node, {kwargs: text})
    if header is not None:
        names = ", ".join(f"`{name}`" for name in ordered)
        frozen = any(each.asks for each in found) or may_pass_more(site, tuple(defaults))
        edits = [*header, *(site.replace(each.node, f"{each.name}{each.asks}") for each in found)]
        yield site.mend(site.node, f"`**{kwargs.arg}` of `{site.node.name}` becomes {names}", edits, frozen=frozen)


def _counted(site: FunctionContext) -> Iterator[Mend]:
    """As many parameters as each call passes to `*args`, and a tuple of them."""
    args, passed = site.node.args, site.passed
    if args.vararg is None or passed is None or passed.fewest != passed.positional or args.defaults:
        return
    name, count = args.vararg.arg, passed.positional
    one = name.removesuffix("s") if len(name) > 2 else "value"
    names = [site.free_name(f"{one}_{number}", [name]) for number in range(1, count + 1)]
    # Only the tuple changes if the function binds the name again.
    uses = loads(site.node, name)
    starred = [p for use in uses if isinstance(p := site.parents[use], ast.Starred) and not stores(site.node, name)]
    passing = [each for each in starred if names and not is_hidden(site, each, [name])]
    star = ["*"] if args.kwonlyargs else []
    header = exchange(site, site.node, {args.vararg: ", ".join([*names, *star])})
    first = next((each for each in site.node.body if not is_docstring(each)), None)
    if header is None or first is None or not site.begins_line(first) or not (names or uses):
        return
    edits = [*header, *(site.replace(each, ", ".join(names)) for each in passing)]
    if len(passing) < len(uses) or stores(site.node, name):
        values = ", ".join(names) + "," * (count == 1)
        edits.append(site.insert_before(first, f"{name} = ({values})"))
    summary = f"`*{name}` of `{site.node.name}` becomes {', '.join(f'`{each}`' for each in names) or 'an empty tuple'}"
    yield site.mend(site.node, summary, edits, frozen=True)


def _lookups(site: FunctionContext, kwargs: str) -> Iterator[_Lookup]:
    asked = dict[str, ast.AST]()  # by name, the choice whose test asks for it
    for node in ast.walk(site.node):
        method = ""
        if isinstance(node, (ast.If, ast.IfExp)) and (test := _test(node.test, kwargs)):
            asked[test.name] = node
            yield test
            continue
        if isinstance(node, ast.Subscript) and is_name(node.value, kwargs) and isinstance(node.ctx, ast.Load):
            arguments = [node.slice]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_name(node.func.value, kwargs):
            method, arguments = node.func.attr, [] if node.keywords else node.args
        else:
            continue
        if not arguments or method not in ("", "get", "pop"):
            continue
        key, *rest = arguments
        is_plain = len(rest) < 2 and all(literal_type(each) for each in rest)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier() and is_plain:
            is_asked = any(outer is asked.get(key.value) for outer in site.around(node))
            must_be = not rest and method != "get" and not is_asked
            default = "" if must_be else ast.unparse(rest[0]) if rest else "None"
            yield _Lookup(node, key.value, default, takes_away=method == "pop")


def _test(test: ast.expr, kwargs: str) -> _Lookup | None:
    """`"mask" in kwargs`, which is `mask is not None` to calls that pass no None."""
    if not isinstance(test, ast.Compare) or not is_name(test.comparators[0], kwargs) or len(test.ops) > 1:
        return None
    key, is_in = test.left, isinstance(test.ops[0], ast.In)
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str) or not key.value.isidentifier():
        return None
    return _Lookup(test, key.value, "None", asks=" is not None" if is_in else " is None")


def _are_sound(site: FunctionContext, found: list[_Lookup]) -> bool:
    """Whether names have one default each, mean nothing else, and are not looked up after they are popped."""
    names = [each.name for each in found]
    defaults = {(each.name, each.default) for each in found}

    again = any(each.takes_away and names.count(each.name) > 1 for each in found)
    needed = all(each.default or _is_reached(site, each.node) for each in found)
    return needed and len(defaults) == len(set(names)) and not again and not site.local_names & set(names)


def _is_reached(site: FunctionContext, node: ast.expr) -> bool:
    """Whether each call of the function evaluates an expression, and so would raise without the name."""
    statement, between = site.statement(node)
    if statement not in site.node.body or any(isinstance(outer, CHOOSING) for outer in between):
        return False
    before = site.node.body[: site.node.body.index(statement)]
    is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return))
    return is_plain and not any(isinstance(n, ast.Return) for each in before for n in ast.walk(each))


RULE = MendRule("plain_parameters", MendKind.EXACT, said(VARIABLE_ARGUMENTS, MUTABLE_DEFAULT), find)
