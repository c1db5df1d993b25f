"""`--stubs DIR`: `.pyi` files for mypy and pyright, which mirror the annotated files' paths below the root.

A stub has everything that a type checker needs to know of a module, without code.
https://typing.readthedocs.io/en/latest/guides/writing_stubs.html says what a stub may contain. A value whose type the
source does not state is `Incomplete`, as in typeshed. `nodes` reads the tree, and finds annotations that a stub lacks.
"""

import ast
import os
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pdt_annotate.emit.files import assert_within
from pdt_annotate.emit.machine.invocation import relative_to
from pdt_annotate.emit.stubs.nodes import flatten, instance_attributes, is_constant, last_name, spread_tables
from pdt_annotate.emit.words import plural
from pdt_annotate.settings.options import Options
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.writes.transaction import write_files

# The first line of every stub; a later run overwrites only files that begin with it.
HEADER = "# Written by pdt-annotate for type checkers. TorchScript itself never reads stubs.\n"
ACCESSORS = frozenset(("setter", "getter", "deleter"))
FUNCTION_DECORATORS = ACCESSORS | {"staticmethod", "classmethod", "property", "cached_property", "overload", "override"}
FUNCTION_DECORATORS |= {"final", "abstractmethod", "contextmanager", "asynccontextmanager", "cache", "lru_cache"}
FUNCTION_DECORATORS |= {"deprecated"}
"""Decorators, by their last name, that mean something to a type checker. Others would need their own types."""

CLASS_DECORATORS = frozenset(("dataclass", "final", "runtime_checkable", "total_ordering", "unique", "deprecated"))
TORCH_OVERLOADS = frozenset(("_overload", "_overload_method"))  # for a type checker they become `typing.overload`
OVERLOADS = TORCH_OVERLOADS | {"overload"}
# A module-level subscript of one of these is a type alias.
GENERICS = frozenset((*typing.__all__, "dict", "frozenset", "list", "set", "tuple", "type"))
TYPE_MAKERS = frozenset(("TypeVar", "TypeVarTuple", "ParamSpec", "NewType", "NamedTuple", "namedtuple", "TypedDict"))
TYPE_MAKERS |= {"Enum", "IntEnum"}
"""Calls whose result a type checker understands as a type."""

SOURCES = {"Incomplete": "_typeshed", "overload": "typing"}  # the modules of names that a stub needs in addition
NO_BODY = " ..."


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write the stub of every changed file below `options.stubs`; raises UserError if one is not ours or writable."""
    stubs: dict[str, bytes] = {}
    for change in outcome.changes:
        path = (Path(options.stubs) / relative_to(outcome.root, change.file)).with_suffix(".pyi")
        assert_within([os.fspath(path)], options.stubs)
        if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
            message = "a stub exists that pdt-annotate did not write, so nothing was written"
            hint = "give --stubs another directory, or move the file away"
            raise UserError(message, file=os.fspath(path), hint=hint)
        stubs[os.fspath(path)] = make_stub(change.after)
    write_files(stubs)
    return (
        f"wrote {plural(len(stubs), 'stub')} into {options.stubs} for mypy and pyright "
        "(TorchScript itself never reads stubs: to script the model, annotate the source)"
    )


def make_stub(source: bytes) -> bytes:
    """The stub of a module, in UTF-8.

    It has simple constants, but no bodies, default values, docstrings or comments. If several branches of a condition
    define a name, the first counts. It raises a SyntaxError if the source is not Python.
    """
    scope = _Scope(decode(source))
    for statement in flatten(ast.parse(source).body):
        scope.visit(statement)
    needs = [f"from {SOURCES[name]} import {name}" for name in sorted(scope.needs)]
    return (HEADER + "".join(f"{line}\n" for line in (*needs, *scope.lines))).encode()


@dataclass
class _Scope:
    """The declarations of a module or of one class body, in source order; the first declaration of a name counts."""

    source: Text
    needs: set[str] = field(default_factory=set)
    in_class: bool = False
    enum: bool = False
    names: set[str] = field(default_factory=set)
    overloaded: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)

    def visit(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self.add(ast.unparse(ast.Import([alias])), _bound_name(alias))
            case ast.ImportFrom():
                fresh = [alias for alias in node.names if _bound_name(alias) not in self.names]
                if node.level:  # a name that a stub imports can only be imported from it if it is written `x as x`
                    named = ((each.name, each) for each in fresh)
                    fresh = [each if name == "*" else ast.alias(name, _bound_name(each)) for name, each in named]
                if fresh and node.module != "__future__":
                    names = [_bound_name(alias) for alias in fresh if alias.name != "*"]
                    self.add(ast.unparse(ast.ImportFrom(node.module, fresh, node.level)), *names)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.add_function(node)
            case ast.ClassDef():
                self.add_class(node)
            case ast.AnnAssign(ast.Name(name)):
                self.add_annotated(name, node)
            case ast.Assign():
                self.add_assigned(node)
            case ast.If():  # one that type checkers decide; names bound in any branch are not declared again
                bound: set[str] = set()
                self.add(self.condition("if", node, bound))
                self.names |= bound
            case ast.AugAssign() if last_name(node.target) == "__all__":
                self.add(ast.unparse(node))
            case _ if type(node).__name__ == "TypeAlias":  # from Python 3.12 on
                self.add(ast.unparse(node), node.name.id)  # type: ignore[attr-defined]

    def add(self, text: str, *names: str) -> None:
        if not names or not self.names.issuperset(names):
            self.lines += text.split("\n")
            self.names.update(names)

    def add_incomplete(self, name: str) -> None:
        if name not in self.names:
            self.needs.add("Incomplete")
            self.add(f"{name}: Incomplete", name)

    def block(self) -> str:
        return "".join(f"\n    {line}" if line else "\n" for line in self.lines) or NO_BODY

    def written(self, node: ast.expr) -> str:
        """The source of an expression, its lines joined."""
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        return self.source.body[self.source.start(node) : self.source.end(node)].decode()

    def add_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = set(map(last_name, node.decorator_list))
        if decorators & OVERLOADS and node.name not in self.names:
            self.overloaded.add(node.name)
        is_part = decorators & ACCESSORS or (decorators & OVERLOADS and node.name in self.overloaded)
        above = ""
        for each in node.decorator_list:
            if last_name(each) in TORCH_OVERLOADS:
                self.needs.add("overload")
                above += "@overload\n"
            elif last_name(each) in FUNCTION_DECORATORS:
                above += f"@{self.written(each)}\n"
        keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        returns = f" -> {self.written(node.returns)}" if node.returns else ""
        head = f"{keyword} {node.name}{_generics(node)}({self.signature(node)}){returns}"
        self.add(f"{above}{head}:{NO_BODY}", *(() if is_part else (node.name,)))
        self.names.add(node.name)

    def signature(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        args, optional = node.args, defaults_of(node)
        parts = [self.parameter(arg, arg.arg in optional) for arg in (*args.posonlyargs, *args.args)]
        if args.posonlyargs:
            parts.insert(len(args.posonlyargs), "/")
        if args.vararg or args.kwonlyargs:
            parts.append("*" + (self.parameter(args.vararg) if args.vararg else ""))
        parts += [self.parameter(arg, arg.arg in optional) for arg in args.kwonlyargs]
        return ", ".join([*parts, *(["**" + self.parameter(args.kwarg)] if args.kwarg else [])])

    def parameter(self, node: ast.arg, is_optional: bool = False) -> str:
        if node.annotation is None:
            return node.arg + "=..." * is_optional
        return f"{node.arg}: {self.written(node.annotation)}" + " = ..." * is_optional

    def add_class(self, node: ast.ClassDef) -> None:
        enum = any(last_name(base).endswith(("Enum", "Flag")) for base in node.bases)
        decorators = [each for each in node.decorator_list if last_name(each) in CLASS_DECORATORS]
        body = _Scope(self.source, self.needs, in_class=True, enum=enum)
        for statement in spread_tables(node):
            body.visit(statement)
        # In a dataclass and an enum a declaration in the body is a field or a member, not just an attribute.
        is_fields = enum or "dataclass" in map(last_name, decorators)
        attributes = [] if is_fields else list(instance_attributes(node))
        for name, annotation in attributes:
            if annotation is not None:
                body.add(f"{name}: {self.written(annotation)}", name)
        for name, _ in attributes:
            body.add_incomplete(name)
        bases = [*map(self.written, node.bases), *map(ast.unparse, node.keywords)]
        for index, each in enumerate(node.bases):
            if not (isinstance(each, ast.Name | ast.Attribute | ast.Subscript) or last_name(each) in TYPE_MAKERS):
                self.needs.add("Incomplete")  # it is only known when the code runs
                bases[index] = "Incomplete"
        head = f"class {node.name}{_generics(node)}" + f"({', '.join(bases)})" * bool(bases)
        above = "".join(f"\n@{self.written(each)}" for each in decorators)
        self.add(f"{above}\n{head}:{body.block()}", node.name)

    def add_annotated(self, name: str, node: ast.AnnAssign) -> None:
        kind, value = last_name(node.annotation), ""
        if kind == "Final" and not is_constant(node.value):
            self.add_incomplete(name)
            return
        if node.value is not None and kind in ("Final", "TypeAlias"):
            value = f" = {self.written(node.value)}"
        elif node.value is not None and self.in_class:  # a field of a dataclass or NamedTuple has a default
            value = " = ..."
        self.add(f"{name}: {self.written(node.annotation)}{value}", name)

    def add_assigned(self, node: ast.Assign) -> None:
        is_single = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        parts = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        for name in [part.id for part in parts if isinstance(part.ctx, ast.Store)]:
            if is_single and self.keeps(name, node.value):
                self.add(f"{name} = {self.written(node.value)}", name)
            elif self.enum:
                self.add(f"{name} = ...", name)
            else:
                self.add_incomplete(name)

    def keeps(self, name: str, value: ast.expr) -> bool:
        """Whether the assignment itself shows the type: a constant, a type, an alias of another name, `__all__`."""
        if name in {"__all__", "__slots__"}:
            return isinstance(value, ast.List | ast.Tuple) and all(map(is_constant, value.elts))
        if isinstance(value, ast.Call):
            return last_name(value) in TYPE_MAKERS
        if isinstance(value, ast.Subscript):
            return not self.in_class and last_name(value.value) in GENERICS
        if isinstance(value, ast.Name | ast.Attribute):
            return ast.unparse(value).partition(".")[0] in self.names
        return is_constant(value)

    def condition(self, keyword: str, node: ast.If, bound: set[str]) -> str:
        text = f"{keyword} {self.written(node.test)}:{self.branch(node.body, bound)}"
        match node.orelse:
            case []:
                return text
            case [ast.If() as inner]:
                return f"{text}\n{self.condition('elif', inner, bound)}"
        return f"{text}\nelse:{self.branch(node.orelse, bound)}"

    def branch(self, statements: Sequence[ast.stmt], bound: set[str]) -> str:
        scope = _Scope(self.source, self.needs, self.in_class, self.enum, set(self.names))
        for statement in flatten(statements):
            scope.visit(statement)
        bound |= scope.names
        return scope.block()


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _generics(node: ast.AST) -> str:
    parameters = getattr(node, "type_params", ())
    return f"[{', '.join(map(ast.unparse, parameters))}]" if parameters else ""
