"""Mended sources in modules that are imported already: in a fork, or taken back afterwards.

Functions get the code that the sources have for them, modules the imports and definitions that are new, classes the
constants. What is constructed already stays as it is, so a source with another constructor is refused.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from types import CodeType, FunctionType
from typing import Any

from pdt_annotate.observers.classes import find_classes, find_named, module_of
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.processes.child.apply import MISSING, put, restore
from pdt_annotate.source.survey import Definition, Function, Scope, defaults_of, read_survey, survey
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.live import own_annotations

HINT = "use the command line, which builds the model anew: pdt-annotate TARGET -i FILE --mend"


def renew(sources: Mapping[str, bytes]) -> Callable[[], None]:
    """Give imported modules the code of sources that stand in for their files.

    Returns:
        what takes all of it back.

    Raises:
        UserError: a constructor is another, or a function closes over other names. Everything is as it was then.
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


def _renew_module(file: str, source: bytes, undo: ExitStack) -> None:
    module = module_of(file)
    if module is None:
        return
    before, after = read_survey(file), survey(file, source)
    if before is None:
        return
    known = {function.owner.qualname: function for function in before.functions}
    for function in after.functions:
        old = known.get(function.owner.qualname)
        if function.node.name == "__init__" and (old is None or ast.dump(old.node) != ast.dump(function.node)):
            raise UserError(f"a mend changes the constructor `{function.owner.qualname}`", hint=HINT, file=file)
    _run_new(before.tree.body, after.tree.body, vars(module), file, undo)
    for cls in after.classes:
        old_class = before.class_named(cls.owner.qualname)
        if old_class is not None:
            for live in find_classes(file, cls.owner.qualname):
                _set_constants(live, old_class.node, cls.node, vars(module), undo)
    codes = dict(_codes(compile(source, file, "exec", dont_inherit=True)))
    for function in after.functions:
        code = codes.get((function.owner.qualname, function.owner.line))
        if code is not None:
            for found in find_named(file, function.owner.qualname):
                live = getattr(found, "__func__", found)
                if isinstance(live, FunctionType) and live.__code__.co_filename == file:
                    _renew_function(live, code, function, vars(module), undo)


def _run_new(before: list[ast.stmt], after: list[ast.stmt], names: dict[str, Any], file: str, undo: ExitStack) -> None:
    """Run the imports and definitions at the top that are new."""
    known = {ast.dump(node) for node in before}
    defined = {node.name for node in before if isinstance(node, Scope)}
    for node in after:
        is_new = isinstance(node, (ast.Import, ast.ImportFrom)) and ast.dump(node) not in known
        if is_new or (isinstance(node, Scope) and node.name not in defined):
            scope = dict(names)
            exec(compile(ast.Module([node], []), file, "exec", dont_inherit=True), scope)
            for name, value in scope.items():
                if names.get(name, MISSING) is not value:
                    undo.callback(put, names, name, names.get(name, MISSING))
                    names[name] = value


def _set_constants(
    cls: type, before: ast.ClassDef, after: ast.ClassDef, names: dict[str, Any], undo: ExitStack
) -> None:
    """Set the constants of a class body that are new, with their annotations."""
    known = {ast.dump(node) for node in before.body}
    for node in after.body:
        if isinstance(node, Definition | ast.ClassDef) or ast.dump(node) in known:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        name, value = targets[0], getattr(node, "value", None)
        if not isinstance(name, ast.Name):
            continue
        if value is not None:
            undo.callback(_set, cls, name.id, vars(cls).get(name.id, MISSING))
            setattr(cls, name.id, _evaluate(value, names))
        if isinstance(node, ast.AnnAssign):
            own = own_annotations(cls)
            undo.callback(_set, cls, "__annotations__", own or MISSING)
            cls.__annotations__ = {**own, name.id: _evaluate(node.annotation, names)}


def _renew_function(
    live: FunctionType, code: CodeType, function: Function, names: dict[str, Any], undo: ExitStack
) -> None:
    if code.co_freevars != live.__code__.co_freevars:
        raise UserError(f"a mend changes what `{function.owner.qualname}` closes over", hint=HINT)
    for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
        undo.callback(setattr, live, attribute, getattr(live, attribute))
    passed = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if passed != live.__code__.co_varnames[: live.__code__.co_argcount + live.__code__.co_kwonlyargcount]:
        defaults = {name: _evaluate(value, names) for name, value in defaults_of(function.node).items()}
        positional = passed[: code.co_argcount]
        live.__defaults__ = tuple(defaults[name] for name in positional if name in defaults)
        live.__kwdefaults__ = {name: defaults[name] for name in passed[code.co_argcount :] if name in defaults}
    live.__code__ = code


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """The code of all functions by qualified name and first line."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _codes(constant)


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<mend>", "eval", dont_inherit=True), names)


def _set(cls: type, name: str, value: Any) -> None:
    if value is MISSING:
        delattr(cls, name)
    else:
        setattr(cls, name, value)
