"""The calls between functions of the project, from the source and from observed modules: who passes and takes names."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.search.mend.constant_tests import declare_constant
from pdt_annotate.search.mend.construction import constructor, is_set_later, last_setting
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.source.imports import Relatives
from pdt_annotate.source.module import read_module
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Function, ParameterKind
from pdt_annotate.source.syntax import called_name, dotted_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Owner

FORWARD = "forward"


def receivers(site: MendSite, call: ast.Call) -> list[Function] | None:
    """The functions of the project that a call in a site may enter; None if the source does not show all of them."""
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
    cls = project.class_named(project.modules[module], dotted.removeprefix(f"{module}.")) if module else None
    return Relatives(project.names).method(cls, name) if cls else None


def may_pass_more(site: MendSite, names: tuple[str, ...], positional: int) -> bool:
    """Whether any call in the project may pass more than the parameters, these names and so many values."""
    known = {p.name for p in site.function.parameters if p.kind is not ParameterKind.POSITIONAL_ONLY} | set(names)
    plain = (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)
    most = positional + sum(p.kind in plain for p in site.function.parameters)
    called = site.function.node.name  # a module's `forward` is called under the name of any attribute that holds it
    project = site.project
    files = sorted(set(project.modules.values()) if called == FORWARD else project.calling(called))
    calls = (each for file in files for each in _calls(site, file))
    passing = (each for each in calls if not _fits(*each, known, most))
    return any(_may_mean(*each, site.function) for each in passing)


def _calls(site: MendSite, file: str) -> Iterator[tuple[MendSite, ast.Call]]:
    if not site.project.has(file):
        return
    callers: dict[Owner, MendSite] = {}  # each knows its function's names, once they are needed
    for function, call in _calls_in(file, site.project.source(file)):
        if function.owner not in callers:
            callers[function.owner] = site.at(function)
        yield callers[function.owner], call


@functools.lru_cache(maxsize=256)
def _calls_in(file: str, source: bytes) -> tuple[tuple[Function, ast.Call], ...]:
    """The calls in the functions of a file, each with its innermost function."""
    surveyed = read_module(file, source)
    calls = (node for node in ast.walk(surveyed.tree) if isinstance(node, ast.Call))
    found = ((surveyed.function_at(call.lineno), call) for call in calls if call.keywords or call.args)
    return tuple((function, call) for function, call in found if function)


def _fits(caller: MendSite, call: ast.Call, known: set[str], most: int) -> bool:
    """Whether a call passes only known names and few enough values; examples showed the names in its `**kwargs`."""
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
    """Whether a call may mean a function: by its definition, by the values that the attribute held, or by name."""
    name = called_name(call)
    if caller.meaning(call.func).partition(".")[0] in ("torch", "math", "einops", "numpy"):
        return False
    defined = receivers(caller, call)
    if defined is not None:
        return any(f.owner == function.owner for f in defined)
    if function.node.name != FORWARD or not function.in_class:
        return name == function.node.name
    if attribute := caller.self_attribute(call.func):
        held, cls = caller.held(attribute), function.in_class.rpartition(".")[2]
        may_hold = any(each.rpartition(".")[2] == cls for value in held.values for each in (value.type, *value.items))
        is_known = (caller.file, caller.function.in_class) in caller.shown.facts.held
        return held.changes or may_hold or not is_known
    if name == FORWARD:
        return True
    is_builtin = hasattr(builtins, dotted_name(call.func)) and name not in caller.local_names
    if isinstance(call.func, ast.Attribute) or is_builtin:
        return False
    return not name or caller.project.names.find(caller.file, name) is None


TAKES_ONE = tuple(f"torch.nn.modules.{part}." for part in ("container", "conv", "dropout", "linear", "normalization"))
"""Layers whose `forward` takes only its input."""


@dataclass(frozen=True)
class Takers:
    """The attribute, the classes that take the names, as the file spells them, and the constant that keeps which."""

    attribute: str
    classes: tuple[str, ...]
    flag: str


Default = Callable[[MendSite, Function, str], str | None]
"""The default that a function has for a name, as source text."""


def takers(site: MendSite, calls: Sequence[ast.Call], names: Sequence[str], default: Default) -> Takers | None:
    """The classes that take all the names, each with the default None, if the others take none of them."""
    attributes = {site.self_attribute(call.func) for call in calls}
    attribute = attributes.pop() if len(attributes) == 1 else ""
    held = site.held(attribute)
    if not attribute or not held.values or held.changes or held.lacking:
        return None
    types = list(dict.fromkeys(value.type for value in held.values))
    known = {dotted: method(site.project, dotted, FORWARD) for dotted in types}
    taking = [
        dotted
        for dotted, function in known.items()
        if function and all(default(site, function, name) == "None" for name in names)
    ]
    lacking = [dotted for dotted, function in known.items() if _lacks(dotted, function, names)]
    spelled = [_spelled(site, dotted) for dotted in taking]
    if not taking or not lacking or len(taking) + len(lacking) < len(types) or "" in spelled:
        return None
    return Takers(attribute, tuple(spelled), f"_takes_{'_and_'.join(names)}")


def _lacks(dotted: str, function: Function | None, names: Sequence[str]) -> bool:
    if function is None:
        return dotted.startswith(TAKES_ONE)
    is_open = any(p.kind is ParameterKind.VAR_KEYWORD for p in function.parameters)
    return not is_open and not any(function.parameter(name) for name in names)


def _spelled(site: MendSite, dotted: str) -> str:
    """How the file names a class without a new import; "" if it cannot."""
    module, _, name = dotted.rpartition(".")
    if module == site.project.module_name(site.file):
        return name
    text, imports = site.spell(dotted)
    return "" if imports else text


def settle(site: MendSite, found: Takers) -> list[Edit] | None:
    """The edits that set a constant of the class to whether its module takes the names."""
    built, cls = constructor(site), site.cls
    setting = last_setting(built, found.attribute) if built else None
    if built is None or cls is None or setting is None or is_set_later(site, found.attribute):
        return None
    classes = found.classes[0] if len(found.classes) == 1 else f"({', '.join(found.classes)})"
    own = built.receiver
    line = f"{own}.{found.flag} = isinstance({own}.{found.attribute}, {classes})"
    return [*declare_constant(site, cls, found.flag), site.insert_behind(setting, line)]


ASKING = (
    *(ast.Expression, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)
"""The nodes of a test that reads only variadic parameters, apart from `kwargs.get`."""


def own_variadics(site: MendSite) -> dict[str, object]:
    """The variadic parameters, each with its value in a call that passes nothing."""
    args = site.node.args
    return {arg.arg: empty for arg, empty in ((args.vararg, ()), (args.kwarg, {})) if arg}


def untaken_choices(site: MendSite) -> Iterator[ast.If]:
    """The statements that do nothing if no variadic argument is passed, and that the function can spare."""
    empty = own_variadics(site)
    for node in ast.walk(site.node):
        if isinstance(node, ast.If) and not node.orelse and _is_false(node.test, empty):
            block = getattr(site.parents[node], "body", [])
            if node in block and len(block) > 1:
                yield node


def _is_false(test: ast.expr, empty: dict[str, object]) -> bool:
    """Whether a test reads variadic parameters alone, and is false if they are empty."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)} - {"len"}
    parts = (n for n in ast.walk(test) if not (isinstance(n, ast.Attribute) and n.attr == "get"))
    if not names or not names <= empty.keys() or not all(isinstance(part, ASKING) for part in parts):
        return False
    try:
        return not eval(compile(ast.Expression(test), "<test>", "eval"), {**empty, "__builtins__": {"len": len}})
    except Exception:
        return False
