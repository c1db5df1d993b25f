"""Functions that a constructor stores in attributes of an object: where it does, and a lambda as code of a method."""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from pdt_annotate.findings.messages.said import DISPATCHED, NO_ATTRIBUTE, NO_FUNCTION, OVERLOADED
from pdt_annotate.mends.kit.blocks import is_left_out, statements
from pdt_annotate.mends.kit.construction import add_method, attribute_stores, constructor, is_set_later, uses
from pdt_annotate.mends.kit.context import FunctionContext, quoted
from pdt_annotate.mends.kit.spelled import ANY, Expression, names_for, spell, stores
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.scopes import names_in, names_inside, parameters
from pdt_annotate.source.syntax import dotted_name, is_call_of, nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.verdicts import Failure

PARTIAL = "functools.partial"
POOLING = "torch.nn.functional.max_pool"  # functions that look at an argument to choose one of two others
RUNNING = (ast.Call, ast.Starred, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)
"""Nodes that may have effects."""
LITERAL = (ast.Constant, ast.UnaryOp, ast.unaryop)
Code = tuple[str, list[str]]
"""An expression that a method computes, and lines for the constructor, which keep the values that it reads."""


def is_about_function(failure: Failure) -> bool:
    """Whether the compiler cannot read a function, or not as the value of an attribute."""
    facts = NO_ATTRIBUTE.read(failure.text or failure.message)
    return quoted(NO_FUNCTION, OVERLOADED, DISPATCHED)(failure) or bool(facts and facts["unconverted"])


def is_identity(value: ast.AST) -> TypeGuard[ast.Lambda]:
    """Whether a node is `lambda x: x`."""
    match value:
        case ast.Lambda(ast.arguments(args=[ast.arg(parameter)], vararg=None, kwarg=None), ast.Name(result)):
            return parameter == result
    return False


def assignments_in(inner: FunctionContext) -> set[str]:
    """The source of each assignment of a constructor."""
    return {inner.source(node) for node in nodes_in(inner.node, ast.Assign)}


def settings_in(inner: FunctionContext, name: str) -> list[ast.Assign]:
    """The assignments of a constructor to an attribute alone, in source order."""
    assigns = (node for node in nodes_in(inner.node, ast.Assign) if len(node.targets) == 1)
    found = (each for each in assigns if inner.self_attribute(each.targets[0]) == name)
    return sorted(found, key=lambda each: each.lineno)


@dataclass(frozen=True)
class StoredFunction:
    """An attribute of an object with a function.

    Args:
        site: a method that calls the attribute.
        inner: the constructor.
        name: the attribute.
        calls: the calls in the compiled code of the method.
    """

    site: FunctionContext
    inner: FunctionContext
    name: str
    calls: Sequence[ast.Call]

    @property
    def method(self) -> str:
        """The name of a method that computes the same."""
        return f"_call_{self.name.strip('_')}"

    def needs_method(self, value: ast.expr) -> bool:
        """Whether the compiler cannot read a stored function in the attribute; `lambda x: x` does not count."""
        is_lambda = isinstance(value, ast.Lambda) and not is_identity(value)
        is_known = is_lambda or self.is_partial(value) or POOLING in self.inner.meaning(value)
        return is_known or self.method_of(value) is not None

    def method_of(self, value: ast.expr) -> Function | None:
        """The plain method of the object that an expression means."""
        found = self.inner.definition(value) if self.inner.self_attribute(value) else None
        return found if found and found.receiver and not found.decorators else None

    def is_partial(self, value: ast.expr) -> TypeGuard[ast.Call]:
        return isinstance(value, ast.Call) and bool(value.args) and self.inner.meaning(value.func) == PARTIAL

    def as_code(self, setting: ast.Assign, given: Sequence[str] = ()) -> Code | None:
        """The expression that a stored lambda computes, its parameters renamed if others are given.

        None if the variables that it reads may change.
        """
        value, inner, receiver = setting.value, self.inner, self.site.function.receiver
        if not isinstance(value, ast.Lambda) or value.args.defaults or value.args.kw_defaults:
            return None
        own, kept = names_inside(value), list[str]()
        known = {arg.arg: Expression(new) for arg, new in zip(value.args.args, given, strict=False)}
        free = sorted(names_in(value.body) - own - {receiver})
        renamed = {name for arg, new in known.items() if arg != new.text for name in (arg, new.text)}
        if receiver in own or not renamed.isdisjoint(names_inside(value.body)) or not set(given).isdisjoint(free):
            return None
        for each in (name for name in free if name in inner.local_names):
            stored = stores(inner.node, each)
            bound = [s for s in inner.node.body if isinstance(s, ast.Assign) and s.targets == stored]
            alias = inner.self_attribute(bound[0].value) if bound else ""
            is_late = any(s.lineno > setting.lineno for s in bound)
            if len(stored) > bool(bound) or is_late or (alias and not self._is_fixed(alias, bound[0])):
                return None
            if alias:
                known[each] = Expression(f"{receiver}.{alias}")
                continue
            line = self._keeping(each, each)
            # A layer in another attribute would change the state of the model.
            if line is None or any(is_call_of(node, each) for node in ast.walk(value.body)):
                return None
            kept.append(line)
            known[each] = Expression(line.partition(" = ")[0])
        is_known = set(free) <= {*known, *self._known_names}
        return (spell(inner, value.body, names_for(known)).at_least(ANY), kept) if is_known else None

    def call_of_partial(self, partial: ast.Call, passed: Sequence[str], given: Collection[str | None]) -> Code | None:
        """The call that a stored partial function makes for the passed arguments, some of them given by name.

        None if the stored arguments may have effects.
        """
        function, kept, texts = dotted_name(partial.args[0]), list[str](), list[str]()
        root, hidden = function.partition(".")[0], {*self.inner.local_names, *self.site.local_names, *passed}
        stored = [(str(number), each) for number, each in enumerate(partial.args[1:])]
        stored += [(each.arg or "", each.value) for each in partial.keywords if each.arg not in given]
        may_run = any(not word or any(isinstance(part, RUNNING) for part in ast.walk(each)) for word, each in stored)
        if may_run or root in hidden or root not in self._known_names:
            return None
        for word, value in stored:
            text, attribute = self.inner.source(value), self.inner.self_attribute(value)
            # A second attribute with the same layer or parameter would change the state of the model.
            is_direct = all(isinstance(node, LITERAL) for node in ast.walk(value))
            if not is_direct and not (attribute and self._is_fixed(attribute, partial)):
                if (line := self._keeping(word, text)) is None:
                    return None
                kept.append(line)
                text = line.partition(" = ")[0]
            texts.append(text if word.isdecimal() else f"{word}={text}")
        number = len(partial.args) - 1
        return f"{function}({', '.join([*texts[:number], *passed, *texts[number:]])})", kept

    def add_method(self, text: str) -> list[Edit] | None:
        """As `add_method`, but the class may have the method with a body that another mend has changed."""
        site, [new] = self.site, ast.parse(text).body
        assert isinstance(new, ast.FunctionDef)
        present = site.module.function_named(f"{site.function.in_class}.{new.name}")
        is_there = present and [a.arg for a in parameters(present.node)] == [a.arg for a in parameters(new)]
        return [] if is_there else add_method(site, text)

    def _keeping(self, word: str, text: str) -> str | None:
        """The line of the constructor that keeps a value in a new attribute; None if other code uses the attribute."""
        attribute = f"_{self.name.strip('_')}_{word}"
        line = f"{self.inner.function.receiver}.{attribute} = {text}"
        return line if line in assignments_in(self.inner) or not any(uses(self.inner, attribute)) else None

    def _is_fixed(self, attribute: str, since: ast.stmt | ast.expr) -> bool:
        """Whether nothing sets an attribute after an expression or statement of the constructor."""
        found = attribute_stores(self.inner.node, attribute)
        return not any(each.lineno > since.lineno for each in found) and not is_set_later(self.site, attribute)

    @property
    def _known_names(self) -> set[str]:
        """The names that mean the same in all functions of the file."""
        module = self.site.module
        return {*(name for name in module.qualnames if "." not in name), *self.site.imports, *dir(builtins)}


def calls_of_attributes(site: FunctionContext) -> Iterator[StoredFunction]:
    """The attributes of `self` that the compiled code of a method calls."""
    built, read = constructor(site), set(statements(site.node.body))
    if built is None or built.node is site.node or built.receiver != site.function.receiver:
        return
    calls = (each for each in nodes_in(site.node, ast.Call) if site.self_attribute(each.func))
    compiled = (each for each in calls if site.statement(each)[0] in read and not is_left_out(site, each))
    for name, found in grouped((site.self_attribute(each.func), each) for each in compiled).items():
        yield StoredFunction(site, site.at(built), name, found)
