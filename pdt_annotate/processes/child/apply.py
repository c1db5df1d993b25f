"""Apply the changes of a run to modules that are already imported, for one trial in a fork, or until they are undone.

`apply` sets a candidate's annotations on live objects. `renew` gives functions the code of mended sources, modules
their new imports and definitions, and classes their new constants. Existing objects do not change, so `renew` refuses a
source with another constructor.
"""

import ast
import linecache
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import CodeType, FunctionType
from typing import Any

from pdt_annotate.observers.classes import find_classes, find_functions, find_named, live_annotation, module_of
from pdt_annotate.observers.record_expressions import codes_inside
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.source.definitions import Function, Scope, defaults_of
from pdt_annotate.source.module import load_module, read_module
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.live import METHODS, is_a, own_annotations, state_of
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Owner

MISSING: Any = object()
HINT = "use the command line, which constructs the model itself: pdt-annotate TARGET -i FILE --mend"


def apply(candidate: Candidate) -> Callable[[], None]:
    """Give imported modules a candidate's source lines, names in scope and annotations. Returns its undo function."""
    undo = ExitStack()
    undo.callback(restore, linecache.cache, dict(linecache.cache))
    serve_lines(candidate.sources)
    for file, statements in candidate.imports.items():
        if (module := module_of(file)) is not None:
            _run_in(vars(module), statements, undo)
    for annotation in candidate.signatures:
        name = annotation.slot.name
        for function in find_functions(annotation.slot.owner):
            plain = function.__func__ if is_a(function, *METHODS) else function
            own = plain.__annotations__ if is_a(plain, FunctionType) else state_of(plain).get("__annotations__")
            if isinstance(own, dict):
                undo.callback(put, own, name, own.get(name, MISSING))
                own[name] = live_annotation(annotation.type)
    for (file, qualname), attributes in candidate.attributes.items():
        for cls in find_classes(file, qualname):
            _annotate_class(cls, {each.slot.name: live_annotation(each.written) for each in attributes}, undo)
    return undo.close


def renew(sources: Mapping[str, bytes]) -> Callable[[], None]:
    """Give imported modules the code of sources that replace their files. Returns a function that undoes it.

    Raises UserError if a constructor changed, or a function closes over other names. Then nothing has changed.
    """
    undo = ExitStack()
    undo.callback(restore, linecache.cache, dict(linecache.cache))
    try:
        for file, source in sources.items():
            _renew_module(file, source, undo)
        serve_lines(sources)
    except BaseException:
        undo.close()
        raise
    return undo.close


def _run_in(names: dict[str, Any], statements: tuple[Any, ...], undo: ExitStack) -> None:
    """Run statements, as text or code, in a module, and bind the names that they change."""
    scope = dict(names)
    for statement in statements:
        exec(statement, scope)
    for name, value in scope.items():
        before = names.get(name, MISSING)
        if value is not before:
            undo.callback(put, names, name, before)
            names[name] = value


def _annotate_class(cls: type, annotations: Mapping[str, Any], undo: ExitStack) -> None:
    before = own_annotations(cls)
    undo.callback(_set, cls, "__annotations__", before or MISSING)
    cls.__annotations__ = {**before, **annotations}


def put(names: dict[str, Any], name: str, value: Any) -> None:
    """Set a name to its value; `MISSING` removes it."""
    if value is MISSING:
        names.pop(name, None)
    else:
        names[name] = value


def restore(mapping: dict[Any, Any], before: dict[Any, Any]) -> None:
    mapping.clear()
    mapping.update(before)


def _renew_module(file: str, source: bytes, undo: ExitStack) -> None:
    module = module_of(file)
    before = load_module(file) if module is not None else None
    if module is None or before is None:
        return
    after = read_module(file, source)
    for function in (each for each in after.functions if each.node.name == "__init__"):
        old = before.function_named(function.owner.qualname)
        if old is None or ast.dump(old.node) != ast.dump(function.node):
            raise UserError(f"a code change is in the constructor `{function.owner.qualname}`", hint=HINT, file=file)
    statements = {ast.dump(node) for node in before.tree.body}
    defined = {node.name for node in before.tree.body if isinstance(node, Scope)}
    for node in after.tree.body:
        is_new = isinstance(node, (ast.Import, ast.ImportFrom)) and ast.dump(node) not in statements
        if is_new or (isinstance(node, Scope) and node.name not in defined):
            _run_in(vars(module), (compile(ast.Module([node], []), file, "exec", dont_inherit=True),), undo)
    for cls in after.classes:
        old_class = before.class_named(cls.owner.qualname)
        if old_class is not None:
            for live in find_classes(file, cls.owner.qualname):
                _set_constants(live, old_class.node, cls.node, vars(module), undo)
    codes = {Owner.of(code): code for code in codes_inside(compile(source, file, "exec", dont_inherit=True))}
    for function in after.functions:
        if (code := codes.get(function.owner)) is not None:
            for found in find_named(file, function.owner.qualname):
                live = getattr(found, "__func__", found)
                if isinstance(live, FunctionType) and live.__code__.co_filename == file:
                    _renew_function(live, code, function, vars(module), undo)


def _set_constants(
    cls: type, before: ast.ClassDef, after: ast.ClassDef, names: dict[str, Any], undo: ExitStack
) -> None:
    known = {ast.dump(node) for node in before.body}
    for node in after.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        name, value = targets[0], getattr(node, "value", None)
        if not isinstance(name, ast.Name) or ast.dump(node) in known:
            continue
        if value is not None:
            undo.callback(_set, cls, name.id, vars(cls).get(name.id, MISSING))
            setattr(cls, name.id, _evaluate(value, names))
        if isinstance(node, ast.AnnAssign):
            _annotate_class(cls, {name.id: _evaluate(node.annotation, names)}, undo)


def _renew_function(
    live: FunctionType, code: CodeType, function: Function, names: dict[str, Any], undo: ExitStack
) -> None:
    if code.co_freevars != live.__code__.co_freevars:
        raise UserError(f"a code change is in the closure of `{function.owner.qualname}`", hint=HINT)
    for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
        undo.callback(setattr, live, attribute, getattr(live, attribute))
    passed = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if passed != live.__code__.co_varnames[: live.__code__.co_argcount + live.__code__.co_kwonlyargcount]:
        defaults = {name: _evaluate(value, names) for name, value in defaults_of(function.node).items()}
        positional = passed[: code.co_argcount]
        live.__defaults__ = tuple(defaults[name] for name in positional if name in defaults)
        live.__kwdefaults__ = {name: defaults[name] for name in passed[code.co_argcount :] if name in defaults}
    live.__code__ = code


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<mend>", "eval", dont_inherit=True), names)


def _set(cls: type, name: str, value: Any) -> None:
    if value is MISSING:
        delattr(cls, name)
    else:
        setattr(cls, name, value)
