"""The values of expressions: functions whose code calls a recorder with the value of each expression of their source.

The recorder is a built-in name in the code, so the functions keep their globals, closures and lines.
"""

import __future__

import ast
import builtins
import contextlib
import copy
import functools
import linecache
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from pdt_annotate.source.definitions import first_line

RECORDER = "__pdt_annotate_record__"
VALUED = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp),
    *(ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp),
)
FIELDS: Mapping[type[ast.AST], tuple[str, ...]] = {  # the fields with expressions that run, if a node has others too
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), ("body",)),
    ast.FormattedValue: ("value",),
    ast.AnnAssign: ("target", "value"),
    ast.Match: ("subject", "cases"),
    ast.match_case: ("guard", "body"),
}
Key = tuple[str, str]  # of a function: its file and its qualified name
Record = Callable[[tuple[Key, str], Any], None]
"""Takes a function with the text of one of its expressions, and a value of the expression."""


def record_expressions(codes: Mapping[CodeType, Mapping[str, Any]], record: Record) -> None:
    """Replace the code of live functions by code that records its expressions, for the rest of this process.

    Functions whose source cannot be read, and functions inside of functions, keep their code. Each code comes with the
    globals of its module; `record` is called with each expression and its value.
    """
    expressions: list[tuple[Key, str]] = []

    def note(number: int, value: Any) -> Any:
        record(expressions[number], value)
        return value

    setattr(builtins, RECORDER, note)
    for code, names in codes.items():
        new = None
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            new = _recording(code, expressions)
        for function in _functions(names.get(code.co_qualname.partition(".")[0]), code):
            if new is not None and new.co_freevars == code.co_freevars:
                function.__code__ = new


def _functions(value: Any, code: CodeType) -> Iterator[FunctionType]:
    """The functions with a code in a class or behind decorators."""
    met, waiting = set[int](), [value]
    while waiting:
        value = waiting.pop()
        if id(value) in met:
            continue
        met.add(id(value))
        cls = type(value)  # `isinstance` would ask the object for its class
        if cls is FunctionType:
            if value.__code__ is code:
                yield value
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):  # it is empty
                    waiting.append(cell.cell_contents)
        elif issubclass(cls, type):
            waiting += vars(value).values()
        elif cls in (staticmethod, classmethod):
            waiting.append(value.__func__)
        elif cls is property:
            waiting += (value.fget, value.fset)


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(file)))


def _recording(code: CodeType, expressions: list[tuple[Key, str]]) -> CodeType | None:
    for top in _tree(code.co_filename).body:
        for node in ast.walk(top):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or first_line(node) != code.co_firstlineno:
                continue
            wrap, body = _Wrap((code.co_filename, code.co_qualname), expressions), node.body
            flags = code.co_flags & __future__.annotations.compiler_flag
            try:
                node.body = [wrap.visit(copy.deepcopy(each)) for each in body]
                module = ast.fix_missing_locations(ast.Module([top], []))
                whole = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
            finally:
                node.body = body
            found = (each for each in codes_inside(whole) if each.co_qualname == code.co_qualname)
            return next((each for each in found if each.co_firstlineno == code.co_firstlineno), None)
    return None


def codes_inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_inside(constant)


@dataclass(eq=False)
class _Wrap(ast.NodeTransformer):
    """Puts a call of the recorder around expressions; neither around what is called nor inside annotations."""

    function: Key
    expressions: list[tuple[Key, str]]

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, VALUED) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return super().visit(node)
        return self._recorded(ast.unparse(node), super().visit(node))

    def _recorded(self, text: str, value: ast.expr) -> ast.Call:
        self.expressions.append((self.function, text))
        return ast.Call(ast.Name(RECORDER, ast.Load()), [ast.Constant(len(self.expressions) - 1), value], [])

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        """The value where it is unpacked is known as `*x`: a list may have grown since it was read elsewhere."""
        text = ast.unparse(node)
        node.value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            node.value = self._recorded(text, node.value)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        """The same for a dict, as `**x`."""
        text = ast.unparse(node)
        node.value = self.visit(node.value)
        if node.arg is None:
            node.value = self._recorded(text, node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(each) for each in node.args]
        node.keywords = [self.visit(each) for each in node.keywords]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in FIELDS.get(type(node), node._fields):
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, [self.visit(each) if isinstance(each, ast.AST) else each for each in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node
