"""Where a project constructs and calls the target, and what it passes."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pdt_annotate.inputs.drafting.inline import InlineText, inline
from pdt_annotate.inputs.drafting.scopes import Bound, DraftScope, own_nodes, scopes_of
from pdt_annotate.inputs.drafting.subject import (
    CONSTRUCTOR,
    DEPTH,
    FORWARD,
    CallKind,
    DraftSubject,
    EntryPoint,
    Maker,
    same_module,
)
from pdt_annotate.source.imports import DefinitionPlace, NameResolver, dotted_name
from pdt_annotate.source.pages import Page, Sources
from pdt_annotate.source.survey import Parameter
from pdt_annotate.source.syntax import bind_arguments

CONFTEST = "conftest.py"

RESULT = ""
"""Stands for the entry where the source does not say what the target's result is: its usages are calls of that."""


@dataclass(frozen=True)
class PassedTexts:
    """What a usage passes: text by parameter, None where only a run knows the value."""

    values: Mapping[str, InlineText | None]

    def has_all(self, parameters: Sequence[Parameter]) -> bool:
        """Whether every argument is known, and those without a default are passed."""
        return None not in self.values.values() and all(p.name in self.values for p in parameters if p.is_required)

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Equal for usages that pass the same texts."""
        return tuple((name, value.text if value else "") for name, value in self.values.items())


@dataclass(frozen=True)
class Construction:
    """How an instance was made; `place` is "file:line". `as_target` says that it is as the target makes it."""

    passed: PassedTexts
    place: str
    as_target: bool = True


Instance = tuple[Construction | None, bool]
"""How an instance was made, where that is to be seen, and whether it is one at all."""


@dataclass(frozen=True)
class Usage:
    """A call of an entry. `construction` is None for a function, and for an instance that the target itself names."""

    entry: str
    passed: PassedTexts
    construction: Construction | None
    place: str
    inside: str = ""


@dataclass
class Usages:
    """All usages, in the order of the files: tests first."""

    constructions: list[Construction] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)


def find_usages(subject: DraftSubject, names: NameResolver[Sources]) -> Usages:
    """Read the project's files in which the target's name stands."""
    finder = _Finder(subject, names)
    words = {place.qualname.rpartition(".")[2] for place in (subject.place, subject.cls) if place}
    fixtures = Fixtures(names.sources)
    asked_for = {name for page in names.sources.pages_with(words) for name in fixtures.named_in(page)}
    for page in names.sources.pages_with({*words, *asked_for}):
        for scope in list(scopes_of(page, fixtures.of(page))):
            finder.read(scope)
    return finder.found


class Fixtures:
    """The functions of the `conftest.py` files beside and above a page."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def named_in(self, page: Page) -> Mapping[str, DraftScope]:
        """The functions that a page gives to others: all where it is a `conftest.py`."""
        if os.path.basename(page.file) != CONFTEST:
            return {}
        return {scope.name: scope for scope in scopes_of(page, {}) if scope.name}

    def of(self, page: Page) -> Mapping[str, DraftScope]:
        found: dict[str, DraftScope] = {}
        for folder in Path(page.file).parents:
            if not folder.is_relative_to(self.sources.root):
                break
            conftest = self.sources.page(str(folder / CONFTEST))
            found = {**(self.named_in(conftest) if conftest else {}), **found}
        return found


class _Finder:
    def __init__(self, subject: DraftSubject, names: NameResolver[Sources]) -> None:
        self.subject = subject
        self.names = names
        self.found = Usages()
        self.entries = {entry.name: entry for entry in subject.entries}

    def read(self, scope: DraftScope) -> None:
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Call):
                self._read_call(node, scope)

    def _read_call(self, call: ast.Call, scope: DraftScope) -> None:
        construction = self._construction(call, scope)
        if construction is not None and self.subject.maker is Maker.CLASS:
            self.found.constructions.append(construction)
        if self.subject.kind is CallKind.UNKNOWN:
            self._read_call_of_result(call, scope)
            return
        called = self._called(call, scope)
        if called is None:
            return
        entry, made = called
        passed = self._passed(call, scope, entry.parameters)
        if passed is not None:
            self.found.usages.append(Usage(entry.name, passed, made, self._place(call, scope), scope.name))

    def _read_call_of_result(self, call: ast.Call, scope: DraftScope) -> None:
        """A call of what the target's result is, whatever that is: its arguments by number, or by keyword."""
        made, is_instance = self._instance(call.func, scope, call.lineno)
        is_plain = not any(isinstance(each, ast.Starred) for each in call.args) and all(k.arg for k in call.keywords)
        if is_instance and is_plain:
            given = {str(number): value for number, value in enumerate(call.args)}
            given |= {str(keyword.arg): keyword.value for keyword in call.keywords}
            texts = {name: inline(value, scope, call.lineno, self.names) for name, value in given.items()}
            self.found.usages.append(Usage(RESULT, PassedTexts(texts), made, self._place(call, scope), scope.name))

    def _called(self, call: ast.Call, scope: DraftScope) -> tuple[EntryPoint, Construction | None] | None:
        """What a call runs, and the construction of what it runs it on."""
        if self.subject.kind is CallKind.FUNCTION:
            entry = self.subject.entries[0]
            return (entry, None) if self._means(call.func, scope, self.subject.place) else None
        if self.subject.kind is CallKind.CLASS and CONSTRUCTOR in self.entries and self._construction(call, scope):
            return self.entries[CONSTRUCTOR], None
        made, is_instance = self._instance(call.func, scope, call.lineno)
        if is_instance and FORWARD in self.entries:
            return self.entries[FORWARD], made
        if isinstance(call.func, ast.Attribute) and call.func.attr in self.entries:
            made, is_instance = self._instance(call.func.value, scope, call.lineno)
            return (self.entries[call.func.attr], made) if is_instance else None
        return None

    def _instance(self, value: ast.expr, scope: DraftScope, line: int, depth: int = DEPTH) -> Instance:
        """Whether an expression is an instance of the target, and how it was made."""
        if not depth:
            return None, False
        if isinstance(value, ast.Call):
            return self._instance_of_call(value, scope, line, depth)
        name = dotted_name(value)
        if not name:
            return None, False
        bound = scope.lookup(name, line)
        if bound is not None and not self._is_variable(bound, name):
            return self._bound_instance(bound, depth)
        is_variable = self.subject.maker is Maker.VARIABLE
        return None, is_variable and self.names.resolve(scope.page, name) == self.subject.place

    def _is_variable(self, bound: Bound, name: str) -> bool:
        """Whether a name is the variable of the module that the target names."""
        is_module = bound.scope.parent is None and self.subject.maker is Maker.VARIABLE
        return is_module and DefinitionPlace(bound.scope.page.file, name) == self.subject.place

    def _instance_of_call(self, call: ast.Call, scope: DraftScope, line: int, depth: int) -> Instance:
        construction = self._construction(call, scope)
        if construction is not None:
            return construction, True
        same = same_module(call)
        if same is not None:
            return self._instance(same, scope, line, depth - 1)
        helper = scope.function(call.func.id) if isinstance(call.func, ast.Name) else None
        returned = helper.returned() if helper else None
        return self._bound_instance(returned, depth) if returned else (None, False)

    def _bound_instance(self, bound: Bound, depth: int) -> Instance:
        return self._instance(bound.value, bound.scope, bound.line, depth - 1) if bound.value else (None, False)

    def _construction(self, call: ast.Call, scope: DraftScope) -> Construction | None:
        """The construction of an instance that is called as the target is, by its class or its factory."""
        subject = self.subject
        of_class = subject.cls is not None and self._means(call.func, scope, subject.cls)
        of_factory = subject.maker is Maker.FACTORY and self._means(call.func, scope, subject.place)
        if not (of_class or of_factory):
            return None
        passed = self._passed(call, scope, subject.constructor_parameters if of_class else ())
        as_target = of_factory or subject.maker is Maker.CLASS
        return Construction(passed, self._place(call, scope), as_target) if passed else None

    def _means(self, function: ast.expr, scope: DraftScope, place: DefinitionPlace) -> bool:
        """Whether an expression names a definition; a local variable of that name is another thing."""
        name = dotted_name(function)
        if not name or scope.lookup(name.partition(".")[0], function.lineno) is not None:
            return False
        return self.names.resolve(scope.page, name) == place

    def _passed(self, call: ast.Call, scope: DraftScope, parameters: Sequence[Parameter]) -> PassedTexts | None:
        """The arguments by parameter; None where they don't fit, or how many there are is not to be seen."""
        bound = bind_arguments(call, parameters)
        if bound is None:
            return None
        taken = {parameter.name for parameter in parameters}  # a draft's local variables have these names
        texts = {name: inline(value, scope, call.lineno, self.names) for name, value in bound.items()}
        return PassedTexts(
            {name: None if text and taken & dict(text.imports).keys() else text for name, text in texts.items()}
        )

    def _place(self, call: ast.Call, scope: DraftScope) -> str:
        return self.names.sources.place(scope.page.file, call)
