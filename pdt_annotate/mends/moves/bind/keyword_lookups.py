"""A name that a body looks up in `**kwargs` becomes a parameter of that name.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: exact if no call in the project may pass another name; otherwise frozen: another name is an error from then on.
Needs: all uses of `kwargs` are `kwargs["name"]`, `kwargs.get("name")`, or `pop` if the name is looked up once, with
    one plain default each; a name without default is looked up in every call.
Before:
    def forward(self, x, **kwargs):
        return x * kwargs.get("scale", 2.0)
After:
    def forward(self, x, scale=2.0):
        return x * scale
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.callers import may_pass_more
from pdt_annotate.mends.kit.context import NOTHING_PASSED, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import ends_of, exchange, parameters
from pdt_annotate.mends.kit.spelled import CHOOSING
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class _Lookup:
    """An expression that looks a name up, and the default; "" if the name is required."""

    node: ast.expr
    name: str
    default: str
    takes_away: bool = False


def find(site: FunctionContext) -> Iterator[Mend]:
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
    header = exchange(site, parameters(site.node), {kwargs: text}, ends_of(site))
    if header is not None:
        kind = MendKind.FROZEN if may_pass_more(site, tuple(defaults), 0) else MendKind.EXACT
        names = ", ".join(f"`{name}`" for name in ordered)
        edits = [*header, *(site.replace(each.node, each.name) for each in found)]
        yield site.mend(RULE.name, kind, site.node, f"`**{kwargs.arg}` of `{site.node.name}` becomes {names}", edits)


def _lookups(site: FunctionContext, kwargs: str) -> Iterator[_Lookup]:
    for node in ast.walk(site.node):
        method = ""
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
            must_be = not rest and method != "get"
            default = "" if must_be else ast.unparse(rest[0]) if rest else "None"
            yield _Lookup(node, key.value, default, takes_away=method == "pop")


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


RULE = MendRule("keyword_lookups", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)
