"""The compiler's front end, and the places of its failures.

It reads functions with parts left out, and all its refusals in a function are collected. A failure is in a function of
the user's, in a library that it calls, or in an annotation, for which the message has no place.
"""

import ast
import linecache
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from types import FunctionType
from typing import Any

import torch
import torch._sources
import torch.jit._builtins
import torch.jit.frontend

from pdt_annotate.blame import cuts
from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.observers.cells import file_of_class
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.source.module import load_module
from pdt_annotate.source.moves import Places
from pdt_annotate.values.live import function_of, own_annotations
from pdt_annotate.values.slots import Annotation, Owner, Place, SlotKind, column_at
from pdt_annotate.values.types import TENSOR
from pdt_annotate.values.verdicts import Failure, Fault
from pdt_annotate.verify.judges.scripts import replaced

# Errors of the source text alone, for any types.
FRONT_END = ("FrontendError", "NotSupportedError", "UnsupportedNodeError")
NOT_ANNOTATED = "PDT039"

# Types that the compiler resolves in every file, with any imports.
KNOWN = {"Optional", "Union", "Any", "None", "int", "float", "bool", "str", "complex", "list", "dict", "tuple"}
KNOWN |= {TENSOR.name}

Types = Mapping[Owner, tuple[Annotation, ...]]
"""By function, the known types of its parameters without annotation on disk, and of its result."""


def leaving_out(anatomy_of: Callable[[Owner], cuts.CutFunction | None], types: Types) -> AbstractContextManager[None]:
    """Let the compiler's front end read functions without their cut parts; a result without a return gets its type."""
    original: Any = torch.jit.frontend.parse_def

    def parse_def(fn: Any) -> Any:
        parsed = original(fn)
        function = function_of(fn)
        owner = Owner.of(function.__code__) if function else None
        anatomy = anatomy_of(owner) if owner else None
        if owner is None or anatomy is None:
            return parsed
        definition = cuts.cut_out(anatomy, result_type(types.get(owner, ())))
        tree = ast.Module([ast.increment_lineno(definition, 1 - parsed.file_lineno)], [])
        cuts.move_columns(tree, -definition.col_offset)
        return parsed._replace(ast=tree)

    return replaced(torch.jit.frontend, "parse_def", parse_def)


def refusals(function: FunctionType) -> Iterator[Failure]:
    """Everything in a function that the front end refuses: in its signature, then statement by statement."""
    parsed = torch.jit.frontend.parse_def(function)
    definition = parsed.ast.body[0]
    builds = [partial(torch.jit.frontend.build_param_list, parsed.ctx, definition.args, None)]
    builds += [partial(torch.jit.frontend.build_stmt, parsed.ctx, statement) for statement in _headers(definition.body)]
    for build in builds:
        try:
            build()
        except Exception as error:  # the front end raises any error for a tree that it does not know
            yield read_failure(error)


def _headers(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements; compound ones first without their blocks, then the statements in these."""
    for statement in body:
        inner = list(cuts.blocks(statement))
        hollow = ast.copy_location(type(statement)(**dict(ast.iter_fields(statement))), statement)
        for name, _ in inner:
            setattr(hollow, name, [ast.copy_location(ast.Pass(), statement)])
        yield hollow
        for _, block in inner:
            yield from _headers(block)


def missing_annotations(owner: Owner, known: tuple[Annotation, ...]) -> Fault | None:
    """The fault for the parameters of a function that are no Tensor and have no annotation on disk."""
    wanted = {a.slot.name: a.type for a in known if a.slot.kind is SlotKind.PARAMETER and a.type != TENSOR}
    if not wanted:
        return None
    listed = ", ".join(f"{name}: {type_}" for name, type_ in wanted.items())
    return Fault(NOT_ANNOTATED, Failure(f"{owner.qualname}({listed})", "", Places().of(owner)), owner)


def result_type(known: tuple[Annotation, ...]) -> str:
    """Source text for the type of a function's result; "" if it is not known, or not every file can name it."""
    type_ = next((a.type for a in known if a.slot.kind is SlotKind.RETURN), None)
    return str(type_) if type_ and KNOWN.issuperset(type_.names) else ""


TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


def is_of_torch(cls: type) -> bool:
    return file_of_class(cls).startswith(TORCH)


def function_at(functions: Iterable[FunctionType], failure: Failure) -> FunctionType | None:
    in_file = [each for each in functions if each.__code__.co_filename == failure.place.file]
    around = [each for each in in_file if each.__code__.co_firstlineno <= failure.place.line]
    return max(around, key=lambda function: function.__code__.co_firstlineno, default=None)


def siblings(subject: Any, owner: Owner, name: str) -> Iterator[str]:
    """The dotted names of a method in the subject and its submodules, if they have the method that calls it."""
    simple = owner.qualname.rpartition(".")[2]
    for path, module in subject.named_modules() if isinstance(subject, torch.nn.Module) else ():
        code = getattr(getattr(type(module), simple, None), "__code__", None)
        if code is not None and (code.co_filename, code.co_firstlineno) == (owner.file, owner.line):
            yield f"{path}.{name}" if path else name


def unknown_annotations(module: Any) -> Iterator[tuple[type, str]]:
    """The classes and names of annotations that the compiler reads and does not understand."""
    for cls in filterfalse(is_of_torch, type(module).__mro__):
        for name, annotation in own_annotations(cls).items():
            if hasattr(module, name) and not torch._jit_internal.is_final(annotation):
                known = None
                with suppress(Exception):  # the compiler's own, for a class that it tries to compile
                    known = torch.jit.annotations.try_ann_to_type(annotation, torch._sources.fake_range())
                if known is None:
                    yield cls, name


def place_annotation(failure: Failure, cls: type, name: str) -> Failure:
    failure = replace(failure, message=f"{failure.message.removesuffix(' at')} (of `{name}`)")
    found = load_module(file_of_class(cls))
    known = found.class_named(cls.__qualname__) if found else None
    for node in known.node.body if known else ():
        if found and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return replace(failure, place=found.text.place(found.file, found.text.start(node)))
    return failure


def places_of_calls(owner: Owner, callee: FunctionType) -> Iterator[Place]:
    """The calls that one function makes of another, by its name or an alias; in each statement the first."""
    definition = cuts.read_definition(owner)
    for statement in cuts.statements_in(definition.body) if definition else ():
        for call in cuts.own_nodes(statement):
            dotted = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            is_named = dotted.rpartition(".")[2] == callee.__name__
            if isinstance(call, ast.Call) and (is_named or look_up(module_of(owner.file), dotted) is callee):
                line = linecache.getline(owner.file, call.lineno)
                yield Place(owner.file, call.lineno, column_at(line, call.col_offset))
                break


def is_builtin(function: FunctionType) -> bool:
    """Whether the compiler knows a function without reading it, as it may for all of torch's."""
    return function.__module__.partition(".")[0] == "torch" or torch.jit._builtins._find_builtin(function) is not None
