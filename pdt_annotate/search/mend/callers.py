"""Who calls a function in the project, as far as the source and what modules held tell: what may be passed to it."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator

from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.source.imports import dotted_name
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Function, ParameterKind, survey
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.mends import HeldValue
from pdt_annotate.values.slots import Owner

FORWARD = "forward"


def receivers(site: MendSite, call: ast.Call) -> list[Function] | None:
    """The functions of the project that a call of a site may enter; None where the source does not tell all."""
    attribute = site.self_attribute(call.func)
    defined = site.definition(call.func)
    if defined is not None:
        return [defined]
    held = site.held(attribute) if attribute else None
    if held is None or held.changes or not held.values:
        return None
    found = [method(site.project, value.type, FORWARD) for value in held.values]
    return None if None in found else list({f.owner: f for f in found if f}.values())


def method(project: Project, dotted: str, name: str) -> Function | None:
    """A method of a class that a dotted name means, its own or one that it inherits from a class of the project."""
    module = project.module_of(dotted)
    return _method(project, project.modules[module], dotted.removeprefix(f"{module}."), name) if module else None


def _method(project: Project, file: str, cls: str, name: str, depth: int = 8) -> Function | None:
    own = project.survey(file).functions
    found = next((f for f in own if f.in_class == cls and f.node.name == name), None)
    known = project.class_named(file, cls)
    if found or known is None or not depth:
        return found
    bases = (project.names.find(file, base) for base in known.bases)
    return next((m for b in bases if b and (m := _method(project, b.file, b.qualname, name, depth - 1))), None)


def may_pass_more(site: MendSite, names: tuple[str, ...], positional: int) -> bool:
    """Whether any call in the project may pass more than the parameters, these names and so many values."""
    known = {p.name for p in site.function.parameters if p.kind is not ParameterKind.POSITIONAL_ONLY} | set(names)
    plain = (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)
    most = positional + sum(p.kind in plain for p in site.function.parameters)
    called = site.function.node.name  # but a module's `forward` is called by whatever the module is kept as
    project = site.project
    files = sorted(set(project.modules.values()) if called == FORWARD else project.calling(called))
    calls = (each for file in files for each in _calls(site, file))
    passing = (each for each in calls if not _fits(*each, known, most))
    return any(_may_mean(*each, site.function) for each in passing)


def _calls(site: MendSite, file: str) -> Iterator[tuple[MendSite, ast.Call]]:
    if not site.project.has(file):
        return
    callers: dict[Owner, MendSite] = {}  # each knows its function's names, once they are asked for
    for function, call in _calls_in(file, site.project.source(file)):
        if function.owner not in callers:
            callers[function.owner] = site.at(function)
        yield callers[function.owner], call


@functools.lru_cache(maxsize=256)
def _calls_in(file: str, source: bytes) -> tuple[tuple[Function, ast.Call], ...]:
    """The calls in the functions of a file, each with its innermost function."""
    surveyed = survey(file, source)
    calls = (node for node in ast.walk(surveyed.tree) if isinstance(node, ast.Call))
    found = ((surveyed.function_at(call.lineno), call) for call in calls if call.keywords or call.args)
    return tuple((function, call) for function, call in found if function)


def _fits(caller: MendSite, call: ast.Call, known: set[str], most: int) -> bool:
    """Whether a call passes known names and few values alone; what it passes on of its own, where that is nothing."""
    own = caller.node.args
    names = {keyword.arg for keyword in call.keywords if keyword.arg}
    passed = caller.passed
    for keyword in call.keywords:
        if keyword.arg is None:
            is_own = own.kwarg and isinstance(keyword.value, ast.Name) and keyword.value.id == own.kwarg.arg
            if not is_own or passed is None:
                return False
            names |= set(passed.names)
    return names <= known and len(call.args) <= most and not any(isinstance(a, ast.Starred) for a in call.args)


def _may_mean(caller: MendSite, call: ast.Call, function: Function) -> bool:
    """Whether a call may mean a function: by definition, by what the attribute held, or by name."""
    name = called_name(call)
    if caller.meaning(call.func).partition(".")[0] in ("torch", "math", "einops", "numpy"):
        return False
    defined = receivers(caller, call)
    if defined is not None:
        return any(f.owner == function.owner for f in defined)
    attribute = caller.self_attribute(call.func)
    if function.node.name != FORWARD or not function.in_class:
        return name == function.node.name
    if attribute:
        held = caller.held(attribute)
        return held.changes or any(_is_of(value, function) for value in held.values) or not _is_seen(caller)
    if name == FORWARD:
        return True
    if isinstance(call.func, ast.Attribute) or _is_builtin(caller, call):
        return False
    return not name or caller.project.names.find(caller.file, name) is None


def _is_seen(caller: MendSite) -> bool:
    """Whether it is known what modules of the caller's class hold: what they do not hold is none of their modules."""
    return (caller.file, caller.function.in_class) in caller.shown.facts.held


def _is_of(value: HeldValue, function: Function) -> bool:
    """Whether a value, or an element of it, may be a module of a function's class."""
    cls = function.in_class.rpartition(".")[2]
    return any(each.rpartition(".")[2] == cls for each in (value.type, *value.items))


def _is_builtin(caller: MendSite, call: ast.Call) -> bool:
    name = dotted_name(call.func)
    return hasattr(builtins, name) and name not in caller.local_names
