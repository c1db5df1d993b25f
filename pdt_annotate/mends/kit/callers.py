"""The calls between functions of the project, from the source and from observed modules: who passes and takes names."""

import ast
import builtins
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import meant_bases
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.edit_arguments import passes_on
from pdt_annotate.source.definitions import Class, Function, ParameterKind
from pdt_annotate.source.imports import Relatives, Sources
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import called_name, dotted_name, is_name, nodes_in
from pdt_annotate.values.slots import Owner

FORWARD = "forward"
LAYERS = "torch.nn.modules"
NO_METHODS = ("object", "ABC", "abc.ABC", "torch.nn.Module", "torch.nn.modules.module.Module")  # none that is called so


def receivers(site: FunctionContext, call: ast.Call) -> list[Function] | None:
    """The functions of the project that a call in a site may enter; None if the source does not show all of them."""
    defined = site.definition(call.func)
    if defined is not None:
        return [defined]
    attribute = site.self_attribute(call.func)
    held = site.held(attribute or _list_of(site, call.func))
    types = [type_ for value in held.values for type_ in ([value.type] if attribute else value.items)]
    if held.changes or not types:
        return None
    found = [forward_of(site.project, type_) for type_ in types]
    return None if None in found else list({f.owner: f for f in found if f}.values())


def _list_of(site: FunctionContext, node: ast.expr) -> str:
    """The list of `self` that an expression takes an item of, by its index or in a loop; "" if there is none."""
    if isinstance(node, ast.Subscript):
        return site.self_attribute(node.value)
    loops = (each for each in ast.walk(site.node) if isinstance(each, (ast.For, ast.comprehension)))
    name = node.id if isinstance(node, ast.Name) else ""
    return next((site.self_attribute(each.iter) for each in loops if is_name(each.target, name)), "")


def forward_of(project: Project, dotted: str) -> Function | None:
    """The `forward` of a class that a dotted name means, its own or one inherited; None if it is not known."""
    module = project.module_of(dotted)
    cls = project.class_named(project.modules[module], dotted.removeprefix(f"{module}.")) if module else None
    if cls is None:
        return method_of_torch(project, dotted, FORWARD)
    return Relatives(project.names).method(cls, FORWARD) or next(methods_of_torch(project, cls, FORWARD), None)


def methods_of_torch(project: Project, cls: Class, method: str) -> Iterator[Function | None]:
    """The methods of torch's layers that a class inherits, the nearest first; None for a class that is not known."""
    for base, meant in meant_bases(project, cls).items():
        place = project.names.find(cls.owner.file, base)
        known = project.names.class_at(place) if place else None
        if meant not in NO_METHODS:
            yield from methods_of_torch(project, known, method) if known else [method_of_torch(project, meant, method)]


def method_of_torch(project: Project, meant: str, method: str) -> Function | None:
    """A method of a class of `torch.nn`, which it may inherit from another in the same file."""
    path, _, name = meant.rpartition(".")
    library = Sources(project.root)
    if path == "torch.nn":
        listed = project.names.names_in(library.file_of(LAYERS)).imports.get(name)
        path = listed.module if listed else ""
    file = library.file_of(path) if path.startswith(LAYERS) else ""
    while file and name:
        defined = [f for f in project.read(file).functions if f.owner.qualname == f"{name}.{method}"]
        if defined:
            return defined[0] if len(defined) == 1 else None
        found = project.read(file).class_named(name)
        name = found.bases[0] if found and found.bases else ""
    return None


def may_pass_more(site: FunctionContext, names: tuple[str, ...], positional: int = 0) -> bool:
    """Whether any call in the project may pass more than the parameters, these names, and so many more values."""
    known = {p.name for p in site.function.parameters if p.kind is not ParameterKind.POSITIONAL_ONLY} | set(names)
    plain = (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)
    most = sum(p.kind in plain for p in site.function.parameters) + positional
    unfit = ((caller, call) for caller, call in calls_by_name(site) if not _fits(caller, call, known, most))
    return any(_may_mean(caller, call, site.function) for caller, call in unfit)


def calls_by_name(site: FunctionContext) -> Iterator[tuple[FunctionContext, ast.Call]]:
    """The calls with arguments that may enter the function, judging by its name, each with the site around it."""
    called = site.function.node.name  # a module's `forward` is called under the name of any attribute that holds it
    project = site.project
    files = sorted(set(project.modules.values()) if called == FORWARD else project.calling(called))
    callers: dict[Owner, FunctionContext] = {}  # each knows its function's names, once they are needed
    for file in filter(project.has, files):
        for function, call in project.read(file).calls:
            yield callers.setdefault(function.owner, site.at(function)), call


def calls_of_itself(site: FunctionContext) -> list[ast.Call]:
    """The calls of a function in itself; the compiler reads no function with such a call."""
    named = [call for call in nodes_in(site.node, ast.Call) if called_name(call) == site.node.name]
    return [call for call in named if (each := site.definition(call.func)) and each.owner == site.function.owner]


def _fits(caller: FunctionContext, call: ast.Call, known: set[str], most: int) -> bool:
    """Whether a call passes only known names and few enough values; examples showed the names in its `**kwargs`."""
    unpacked = [keyword for keyword in call.keywords if keyword.arg is None]
    if unpacked and not (caller.is_entered() and all(passes_on(keyword, caller.node) for keyword in unpacked)):
        return False
    names = {keyword.arg for keyword in call.keywords if keyword.arg}.union(caller.passed.names if unpacked else ())
    return names <= known and len(call.args) <= most and not any(isinstance(a, ast.Starred) for a in call.args)


def _may_mean(caller: FunctionContext, call: ast.Call, function: Function) -> bool:
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


def own_variadics(site: FunctionContext) -> dict[str, object]:
    """The variadic parameters, each with its value in a call that passes nothing."""
    args = site.node.args
    return {arg.arg: empty for arg, empty in ((args.vararg, ()), (args.kwarg, {})) if arg}


def untaken_choices(site: FunctionContext) -> Iterator[ast.If]:
    """The statements that do nothing if no variadic argument is passed, and that the function can spare."""
    empty = own_variadics(site)
    for node in ast.walk(site.node):
        if isinstance(node, ast.If) and not node.orelse and _is_false(node.test, empty):
            block = getattr(site.parents[node], "body", [])
            if node in block and len(block) > 1:
                yield node


def _is_false(test: ast.expr, empty: dict[str, object]) -> bool:
    """Whether a test that reads only variadic parameters, and changes nothing, is false if they are empty."""
    names, methods = names_in(test) - {"len"}, {node.attr for node in nodes_in(test, ast.Attribute)}
    if not names or not names <= empty.keys() or not methods <= {"get"}:
        return False
    try:
        return not eval(compile(ast.Expression(test), "<test>", "eval"), {**empty, "__builtins__": {"len": len}})
    except Exception:
        return False
