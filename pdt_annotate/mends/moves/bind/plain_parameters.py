"""Variadic and keyword-only parameters become plain parameters, and None replaces a list or dict as a default.

Each value of `*args` becomes a parameter if every call passes the same number of values. If some calls pass fewer, the
parameter has the default None, and `len(args) == 2` becomes a test for None.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`;
    `Mutable default parameters are not supported`.
Kind:
    - Exact for keyword-only parameters, because every valid call stays valid, and for a list or dict as a default.
    - Frozen for `*args`, because another number of values then raises an error, and None counts as not passed.
Needs:
    - A list or dict as a default contains only constants, and the function only reads its items. If it is empty, the
      function may also ask for its truth.
    - No other call in the project passes another number of values to `*args` of a function that is no method.
    - If some calls pass fewer values to `*args`, the function only reads items by literal indices, and compares the
      number of values with constants.
Before:
    def forward(self, *inputs, scale=1.0):
        return self.merge(*inputs) * scale / len(inputs)

    def merge(self, x, y, sizes=[1, 2]):
        return x + y * sizes[0]
After:
    def forward(self, input_1, input_2, scale=1.0):
        inputs = (input_1, input_2)
        return self.merge(input_1, input_2) * scale / len(inputs)

    def merge(self, x, y, sizes=None):
        if sizes is None:
            sizes = [1, 2]
        return x + y * sizes[0]
"""

import ast
import re
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import MUTABLE_DEFAULT, VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.callers import calls_by_name
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import exchange, named_parameters
from pdt_annotate.mends.kit.spelled import is_gone_over, is_hidden, loads, stores, tested
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind, Variadic

STAR = re.compile(rb"\*\s*,\s*\Z")
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _mutable(site)
    yield from _by_position(site)
    args = site.node.args
    if args.vararg and not args.defaults and site.is_entered() and not _has_other_calls(site):
        yield from _counted(site, args.vararg)
        yield from _optional(site, args.vararg)


def _mutable(site: FunctionContext) -> Iterator[Mend]:
    """`x=None`, and the display as a value in the body, for a default that is a list or a dict."""
    defaults, body = defaults_of(site.node), body_of(site.node)
    for arg in named_parameters(site.node) if body and site.begins_line(body[0]) else ():
        default = defaults.get(arg.arg)
        parts = list(ast.walk(default)) if default else []
        is_made = any(isinstance(part, (ast.List, ast.Dict)) for part in parts)
        is_empty = isinstance(default, (ast.List, ast.Dict)) and len(parts) <= 2  # and its context
        # Nothing may change the one object that all calls share.
        truths = tested(site.node) if is_empty else []
        uses = (use for use in loads(site.node, arg.arg) if use not in truths)  # None would be false as well
        is_read = all(_is_read(site, use) for use in uses) and not stores(site.node, arg.arg)
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
        case ast.Starred() | ast.BinOp(op=ast.Add()) | ast.AugAssign(op=ast.Add()) | ast.keyword(arg=None):
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


def _counted(site: FunctionContext, star: ast.arg) -> Iterator[Mend]:
    """As many parameters as each call passes to `*args`, and a tuple of them."""
    if site.passed.fewest != site.passed.positional:
        return
    name, names = star.arg, _names(site, star.arg)
    # Only the tuple changes if the function binds the name again.
    uses, is_set = loads(site.node, name), bool(stores(site.node, name))
    starred = [outer for use in uses if isinstance(outer := site.parents[use], ast.Starred) and not is_set]
    passing = [each for each in starred if names and not is_hidden(site, each, [name])]
    bare = ["*"] if site.node.args.kwonlyargs else []
    header = exchange(site, site.node, {star: ", ".join([*names, *bare])})
    body = body_of(site.node)
    if header is None or not body or not site.begins_line(body[0]) or not (names or uses):
        return
    edits = [*header, *(site.replace(each, ", ".join(names)) for each in passing)]
    if len(passing) < len(uses) or is_set:
        values = ", ".join(names) + "," * (len(names) == 1)
        edits.append(site.insert_before(body[0], f"{name} = ({values})"))
    summary = f"`*{name}` of `{site.node.name}` becomes {', '.join(f'`{each}`' for each in names) or 'an empty tuple'}"
    yield site.mend(site.node, summary, edits, frozen=True)


def _has_other_calls(site: FunctionContext) -> bool:
    """Whether the project calls a function, no method, with another number of values than the examples did."""
    plain, passed = len(named_parameters(site.node)), site.passed
    for caller, call in calls_by_name(site) if not site.function.in_class else ():
        called, has_star = caller.definition(call.func), any(isinstance(arg, ast.Starred) for arg in call.args)
        is_own = called is not None and called.owner == site.function.owner and not has_star
        if is_own and not passed.fewest <= len(call.args) - plain <= passed.positional:
            return True
    return False


def _names(site: FunctionContext, name: str) -> list[str]:
    """The names for the values that calls pass to `*name`."""
    one = name.removesuffix("s") if len(name) > 2 else "value"
    return [site.free_name(f"{one}_{number}", [name]) for number in range(1, site.passed.positional + 1)]


def _optional(site: FunctionContext, star: ast.arg) -> Iterator[Mend]:
    """Parameters with the default None for values of `*args` that some calls leave out, and tests for None."""
    passed, name, names, edits = site.passed, star.arg, _names(site, star.arg), list[Edit]()
    if passed.fewest >= passed.positional:
        return
    for use in loads(site.node, name):
        outer = site.parents[use]
        match outer:
            case ast.Subscript(_, ast.Constant(int(index)), ast.Load()) if 0 <= index < len(names):
                edits.append(site.replace(outer, names[index]))
            case ast.Call(ast.Name("len"), [_]) if least := _least(site.parents[outer], passed):
                test = f"{names[least[0] - 1]} is {'not ' * least[1]}None"
                edits.append(site.replace(site.parents[outer], test))
            case _:
                return
    taken = [each + "=None" * (number >= passed.fewest) for number, each in enumerate(names)]
    bare = ["*"] if site.node.args.kwonlyargs else []
    header = exchange(site, site.node, {star: ", ".join([*taken, *bare])})
    if header and edits and not stores(site.node, name):
        summary = f"`*{name}` of `{site.node.name}` becomes {', '.join(f'`{each}`' for each in names)}"
        yield site.mend(site.node, summary, [*header, *edits], frozen=True)


def _least(test: ast.AST, passed: Variadic) -> tuple[int, bool] | None:
    """The count of values from which on a comparison of `len(args)` is true, or false; None if there is none."""
    match test:
        case ast.Compare(ast.Call(), [operator], [ast.Constant(int()) as other]) if isinstance(operator, COMPARISONS):
            counts = range(passed.fewest, passed.positional + 1)
            tests = (ast.Expression(ast.Compare(ast.Constant(count), [operator], [other])) for count in counts)
            truths = [bool(eval(compile(ast.fix_missing_locations(each), "<test>", "eval"))) for each in tests]
            least = truths.index(not truths[0]) if len(set(truths)) == 2 else 0
            is_one = least and truths == [truths[0]] * least + [truths[-1]] * (len(truths) - least)
            return (counts[least], truths[-1]) if is_one else None
    return None


RULE = MendRule("plain_parameters", MendKind.EXACT, said(VARIABLE_ARGUMENTS, MUTABLE_DEFAULT), find)
