"""`*args` and `**kwargs` that are only passed on become the names that callers pass, and go where none passes any.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: exact where no call in the project may pass more than the examples passed; else frozen: what was never passed is
    an error from then on.
Needs: the body uses `args` and `kwargs` as `*args` and `**kwargs` in calls alone; of a name that callers passed, all
    functions that it is passed on to take it, with one and the same plain default, or none takes it.
Before:
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)
After:
    def forward(self, x, mask=None):
        return self.fn(self.norm(x), mask=mask)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.search.mend.arguments import Item, arguments, calls_in, ends_of, equals, exchange, parameters
from pdt_annotate.search.mend.callers import may_pass_more, receivers
from pdt_annotate.search.mend.rule import MendRule
from pdt_annotate.search.mend.site import NOTHING_PASSED, MendSite
from pdt_annotate.source.survey import VARIADIC, Function, Parameter, defaults_of
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

NO_DEFAULT = ""


def is_asked_for(failure: Failure) -> bool:
    return VARIABLE_ARGUMENTS.is_in(failure.message)


def find(site: MendSite) -> Iterator[Mend]:
    args = site.node.args
    if not (args.vararg or args.kwarg) or "<locals>" in site.function.owner.qualname:
        return
    forwards = _forwards(site)
    if forwards is None:
        return
    passed = site.passed or NOTHING_PASSED
    may_be_more = may_pass_more(site, passed.names, passed.positional)
    new = _new_parameters(site, forwards)
    if new is None or (may_be_more and site.passed is None):
        return
    edits = _edits(site, forwards, new)
    if edits:
        kind = MendKind.FROZEN if may_be_more else MendKind.EXACT
        yield site.mend(RULE.name, kind, site.node, _summary(site, new), edits)


def _forwards(site: MendSite) -> list[ast.Call] | None:
    """The calls that pass the variadic parameters on; None where the body uses these otherwise."""
    own = {arg.arg for arg in (site.node.args.vararg, site.node.args.kwarg) if arg}
    found, passing = list[ast.Call](), 0
    for call in calls_in(site.node.body):
        variadic = [each for each in arguments(call) if _is_own(each, own)]
        passing += len(variadic)
        found += [call] * bool(variadic)
    uses = sum(isinstance(node, ast.Name) and node.id in own for node in ast.walk(site.node))
    return found if uses == passing else None


def _is_own(argument: Item, own: set[str]) -> bool:
    """Whether an argument is `*args` or `**kwargs` of these names."""
    is_starred = isinstance(argument, ast.Starred) or (isinstance(argument, ast.keyword) and argument.arg is None)
    return is_starred and any(is_name(argument.value, name) for name in own)  # type: ignore[union-attr]


def _new_parameters(site: MendSite, forwards: Sequence[ast.Call]) -> dict[str, str] | None:
    """The parameters that come, each with its default as source text; None where one cannot be told."""
    passed = site.passed or NOTHING_PASSED
    names = passed.names
    if passed.positional:  # what a position is called, its callee knows
        return None
    taken = {*site.local_names, *(p.name for p in site.function.parameters)}
    callees = [receivers(site, call) for call in forwards]
    if names and (None in callees or taken & set(names)):
        return None
    known = [callee for each in callees for callee in each or ()]
    defaults = {name: _default(name, known) for name in names}
    return None if None in defaults.values() else defaults  # type: ignore[return-value]


def _default(name: str, callees: Sequence[Function]) -> str | None:
    """The default that all callees have for a name; None where they don't agree, or one takes it not by this name."""
    if not callees:
        return "None"
    found = {_default_of(callee.parameter(name)) for callee in callees}
    return found.pop() if len(found) == 1 else None


def _default_of(parameter: Parameter | None) -> str | None:
    if parameter is None or parameter.kind in VARIADIC or (parameter.value and not parameter.default):
        return None
    return ast.unparse(parameter.value) if parameter.value else NO_DEFAULT


def _edits(site: MendSite, forwards: Sequence[ast.Call], new: Mapping[str, str]) -> list[Edit] | None:
    """The definition's and the calls'; None where a comment is in the way."""
    edits = _in_definition(site, new)
    for call in forwards:
        sign = equals(site, call)
        items = arguments(call)
        keywords = ", ".join(f"{name}{sign}{name}" for name in new)
        own = {arg.arg for arg in (site.node.args.vararg, site.node.args.kwarg) if arg}
        changed = {i: keywords if isinstance(i, ast.keyword) else "" for i in items if _is_own(i, own)}
        inner = exchange(site, items, changed, {})
        edits = None if edits is None or inner is None else edits + inner
    return edits


def _in_definition(site: MendSite, new: Mapping[str, str]) -> list[Edit] | None:
    args, defaults = site.node.args, defaults_of(site.node)
    required = [name for name, default in new.items() if default == NO_DEFAULT]
    if required and (args.defaults or args.kwonlyargs):
        return None
    ordered = sorted(new, key=lambda name: name not in required)
    changed: dict[Item, str] = {}
    if args.kwarg:
        changed[args.kwarg] = ", ".join(name + (f"={new[name]}" if new[name] else "") for name in ordered)
    if args.vararg:
        must_stay = any(arg.arg not in defaults for arg in args.kwonlyargs)
        changed[args.vararg] = "*" if must_stay else ""
    return exchange(site, parameters(site.node), changed, ends_of(site, site.node))


def _summary(site: MendSite, new: Mapping[str, str]) -> str:
    args = site.node.args
    gone = [f"`*{args.vararg.arg}`"] * bool(args.vararg) if args.vararg else []
    gone += [f"`**{args.kwarg.arg}`"] if args.kwarg else []
    names = ", ".join(f"`{name}`" for name in new)
    said = f"becomes {names}" if new else "goes: nobody passes any"
    return f"{' and '.join(gone)} of `{site.node.name}` {said}"


RULE = MendRule("variadics", MendKind.FROZEN, is_asked_for, find)
