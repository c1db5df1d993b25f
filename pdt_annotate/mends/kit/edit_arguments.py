"""The arguments of calls and the parameters of definitions as text: how some are removed or replaced."""

import ast
import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.source.definitions import Definition, defaults_of
from pdt_annotate.source.scopes import parameters
from pdt_annotate.values.edits import Edit

Item = ast.expr | ast.keyword | ast.arg  # an argument of a call, or a parameter

COMMA, NEXT = re.compile(rb"\s*,"), re.compile(rb"\s*,\s*")
SPACED = re.compile(rb"\(.*\w = ")  # a call with spaces around the sign between a keyword and its value


def is_of_torch(site: FunctionContext, call: ast.Call) -> bool:
    """Whether a call is of a method of a tensor, or of a function that is not written in Python: of torch, of FFTs."""
    is_function = site.meaning(call.func).rpartition(".")[0] in ("torch", "torch.fft", "torch.linalg")
    return is_function or (isinstance(call.func, ast.Attribute) and site.is_always(call.func.value, *TENSORS))


def call_taking(site: FunctionContext, node: ast.expr) -> ast.Call | None:
    """The call that takes an expression as an argument, by position or by name; None if there is none."""
    outer = site.parents[node]
    call = site.parents[outer] if isinstance(outer, ast.keyword) else outer
    return call if isinstance(call, ast.Call) and call.func is not node else None


def arguments(call: ast.Call) -> list[Item]:
    return sorted([*call.args, *call.keywords], key=lambda each: (each.lineno, each.col_offset))


def named_parameters(function: Definition) -> list[ast.arg]:
    """The parameters without stars, in source order."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def signature(function: Definition | ast.Lambda, *, without: Collection[str] = (), first: Iterable[str] = ()) -> str:
    """The parameters of a function as text, some of them left out, and others without defaults in front."""
    args = copy.deepcopy(function.args)
    known = {name: value for name, value in defaults_of(function).items() if name not in without}
    args.args = [arg for arg in args.args if arg.arg not in without]
    leading = args.posonlyargs or args.args
    leading[:0] = map(ast.arg, first)
    args.defaults = [known[arg.arg] for arg in (*args.posonlyargs, *args.args) if arg.arg in known]
    args.kwonlyargs = [arg for arg in args.kwonlyargs if arg.arg not in without]
    args.kw_defaults = [known.get(arg.arg) for arg in args.kwonlyargs]
    return ast.unparse(args)


def passes_on(argument: ast.AST, function: Definition) -> bool:
    """Whether an argument passes on the `*args` or `**kwargs` of a function."""
    own = [arg.arg for arg in (function.args.vararg, function.args.kwarg) if arg]
    match argument:
        case ast.Starred(ast.Name(name)) | ast.keyword(None, ast.Name(name)):
            return name in own
    return False


def exchange(site: FunctionContext, node: ast.Call | Definition, new: Mapping[Item, str]) -> list[Edit] | None:
    """The edits that replace or remove arguments or parameters, with their defaults; None if a comment is between them.

    Args:
        new: the new text of each argument or parameter that changes; "" removes it.
    """
    edits, body = [], site.text.body
    items = arguments(node) if isinstance(node, ast.Call) else list(parameters(node))
    defaults = {} if isinstance(node, ast.Call) else defaults_of(node)
    for index, item in enumerate(items):
        if item not in new:
            continue
        default = defaults.get(item.arg or "") if isinstance(item, ast.arg) else None
        start, end = site.span(item)[0], site.span(default or item)[1]
        if isinstance(item, ast.arg):  # the stars of a parameter belong to it
            while (before := body[:start].rstrip()).endswith(b"*"):
                start = len(before) - 1
        if not new[item]:
            if any(new.get(each, "kept") for each in items[:index]):
                before = body[:start].rstrip()
                start = len(before) - 1 if before.endswith(b",") else -1
            elif comma := (NEXT if index + 1 < len(items) else COMMA).match(body, end):
                end = comma.end()
        if start < 0 or b"#" in body[start:end]:
            return None
        edits.append(Edit(start, new[item], removed=end - start))
    return edits


def name_variadics(
    site: FunctionContext, names: Mapping[str, str], positional: Sequence[str] = ()
) -> list[Edit] | None:
    """The edits that put parameters, each with its default or "", in place of `*args` and `**kwargs`.

    The positional ones replace `*args`, and all others `**kwargs`. None if a parameter without a default would follow
    one with a default, or a comment is between the parameters.
    """
    args, defaults = site.node.args, defaults_of(site.node)
    others = sorted((name for name in names if name not in positional), key=lambda name: bool(names[name]))
    texts = [[name + f"={names[name]}" * bool(names[name]) for name in each] for each in (positional, others)]
    order = [*("=" * len(args.defaults)), *texts[0], *("=" * len(others and args.kwonlyargs)), *texts[1]]
    if sorted(order, key=lambda each: "=" in each) != order:
        return None
    new: dict[Item, str] = {}
    if args.kwarg:
        new[args.kwarg] = ", ".join(texts[1])
    if args.vararg:
        star = ["*"] if any(arg.arg not in defaults for arg in args.kwonlyargs) else []
        new[args.vararg] = ", ".join((*texts[0], *star))
    return exchange(site, site.node, new)
