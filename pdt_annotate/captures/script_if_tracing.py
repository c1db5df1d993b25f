"""Puts code with baked-in values under `torch.jit.script_if_tracing`: the function around it, or one made of a block.

The trace calls such a function compiled; Python calls it as before. Numbers that are passed to it are baked in, and it
may return only tensors: so a block moves together with the code that makes its numbers, and the code that uses them.
Verification decides which block is right; this module yields all candidates, the smallest first.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pdt_annotate.mends.kit import blocks
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.source.definitions import ParameterKind, Scope, first_line
from pdt_annotate.source.expressions import NUMBERS
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import CHANGING, called_name, dotted_name, is_name, numbered
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

REWRITE = "script_if_tracing"
DECORATOR = f"torch.jit.{REWRITE}"

# Nodes that tie statements to their function, or that no compiled function can have.
TIED = (
    *(ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Delete),
    *(ast.NamedExpr, ast.Lambda, ast.Try, ast.AsyncFor, ast.AsyncWith, *Scope.__args__),
)
# Builtins with effects other than their result.
OUTSIDE = ("print", "open", "input", "super", "locals", "globals", "vars", "eval", "exec", "setattr", "delattr")
DECIDES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ListComp, ast.DictComp, ast.BoolOp, ast.Compare)
AS_PYTHON = ("int", "float", "bool", "len", "item", "tolist", "range")  # make a Python value of a tensor or of its size


@dataclass(frozen=True)
class Outlined:
    """A function that is compiled while tracing: the mend that makes it, and its name in the module of the mend."""

    mend: Mend
    name: str


def outline(site: FunctionContext, line: int) -> Iterator[Outlined | str]:
    """The changes that may help if a trace bakes something in at a line of a function; reasons why others may not."""
    yield from _decorated(site)
    if "<locals>" in site.function.owner.qualname:  # it may read names of the function around it
        return
    tried = 0
    for block in _blocks(site, line):
        made = _Block(site, block).outlined()
        yield from filter(None, [made])
        tried += isinstance(made, Outlined)
        if tried == ALLOWANCES["outlined blocks"].steps:
            return


def _decorated(site: FunctionContext) -> Iterator[Outlined | str]:
    function = site.function
    if function.in_class or "." in function.owner.qualname or function.decorators:
        return
    why = _impure(site, function.node.body, {each.name for each in function.parameters})
    if not all(each.kind is ParameterKind.PLAIN for each in function.parameters):
        why = f"`{function.owner.qualname}` has parameters that are not plain positional parameters"
    if why:
        yield why
        return
    edit = site.insert_before(function.node, f"@{site.spell(DECORATOR)}")
    mend = site.mend(function.node, f"compile `{function.owner.qualname}` while tracing", [edit])
    yield Outlined(replace(mend, rewrite=REWRITE), function.node.name)


def _impure(site: FunctionContext, block: Sequence[ast.stmt], outer: set[str]) -> str:
    """Why statements are no pure function of the `outer` names that they read; "" if they are.

    Tensors may be written to: the compiled function does so, too. A list that is passed is a copy there.
    """
    for node in (node for each in block for node in ast.walk(each)):
        if isinstance(node, TIED):
            head = ast.unparse(node).partition("\n")[0]
            return f"a compiled function cannot use `{head}`"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OUTSIDE:
            return f"it calls `{node.func.id}`"
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return f"it sets `{ast.unparse(node)}`"
        changed = _changed(node)
        name, _, held = changed.partition(".")
        if name in {*outer, site.function.receiver} - {""} and (
            held or not any(each.inherits(TENSOR.name) for each in site.observed(name))
        ):
            return f"it changes `{changed}`"
    return ""


def _changed(node: ast.AST) -> str:
    """The name that a node changes in place; "" if it changes none."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return dotted_name(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        in_place = name in CHANGING or (name.endswith("_") and not name.endswith("__"))
        return dotted_name(node.func.value) if in_place else ""
    return ""


def _blocks(site: FunctionContext, line: int) -> Iterator[Sequence[ast.stmt]]:
    """Statements in a row around a line, the fewest first; then the same for the statement around them."""
    inside = [node for node in ast.walk(site.node) if isinstance(node, ast.stmt) and node is not site.node]
    around = [node for node in inside if first_line(node) <= line <= (node.end_lineno or node.lineno)]
    around.sort(key=lambda node: (-node.lineno, node.end_lineno or 0))

    def decides(node: ast.AST) -> bool:  # a trace may bake in a value or a size of a tensor there
        is_call = isinstance(node, ast.Call) and (called_name(node) in AS_PYTHON or site.definition(node.func))
        return isinstance(node, DECIDES) or bool(is_call)

    first = next((index for index, node in enumerate(around) if any(map(decides, ast.walk(node)))), 0)
    for node in around[first:]:
        body = next(each for each in blocks.blocks(site.parents[node]) if node in each)
        at = body.index(node)
        for size in range(1, len(body) + 1):
            for start in range(at, at - size, -1):
                if start >= 0 and start + size <= len(body):
                    yield body[start : start + size]


def _always_returns(block: Sequence[ast.stmt]) -> bool:
    last = block[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return) and last.value is not None


@dataclass(frozen=True)
class _Block:
    """Statements of a function that may become a function of their own."""

    site: FunctionContext
    block: Sequence[ast.stmt]

    @cached_property
    def inside(self) -> list[ast.AST]:
        return [node for each in self.block for node in ast.walk(each)]

    @property
    def receivers(self) -> list[ast.Name]:
        """The reads of `self`."""
        receiver = self.site.function.receiver
        return [node for node in self.inside if receiver and is_name(node, receiver)]

    def outlined(self) -> Outlined | str | None:
        """The change; otherwise the reason why not, for people; or None if that is of no interest."""
        site = self.site
        read, given = blocks.names_read(site, self.block), blocks.names_given(site, self.block)
        if read is None or given is None or not self._can_be_moved():
            return None
        if why := _impure(site, self.block, set(read)):
            return why
        for node in self.receivers:
            if self._chain(node) is node:  # a method or a layer, which cannot become a parameter
                return f"it calls `{ast.unparse(site.parents[node])}`"
        ends = _always_returns(self.block)
        # The tensors that the block reads and writes to in place are returned, too.
        last = self.block[-1].end_lineno or 0
        later = {n.id for n in ast.walk(site.node) if isinstance(n, ast.Name) and n.lineno > last}
        changed = (name for name in map(_changed, self.inside) if name in read and name in later)
        given = [] if ends else list(dict.fromkeys((*given, *changed)))
        # Only if, as far as known, no number that varies is passed, and tensors alone are returned.
        types = [site.observed(name) for name in (["return"] if ends else given)]
        returns_tensors = bool(types) and all(_is_tensors(type_) for each in types for type_ in each)
        return self._moved(read, given, ends) if returns_tensors and not any(map(self._is_varying, read)) else None

    def _can_be_moved(self) -> bool:
        """Whether the statements do not leave a loop around them, and leave the function at their end only."""
        site, inside = self.site, set(self.inside)
        leaving = [node for node in self.inside if isinstance(node, (ast.Break, ast.Continue))]
        stops = (*blocks.LOOPS, *Scope.__args__)
        loops = {next(each for each in site.around(node) if isinstance(each, stops)) for node in leaving}
        returns = any(isinstance(node, ast.Return) for node in self.inside)
        whole = self.block == site.node.body  # then the function would only call the new one
        docstring = isinstance(self.block[0], ast.Expr) and isinstance(self.block[0].value, ast.Constant)
        is_alone = blocks.ends_line(site, self.block[-1]) and blocks.code_of(site, self.block) is not None
        plain = is_alone and not docstring and not (whole and not site.function.in_class)
        return plain and loops <= inside and (not returns or _always_returns(self.block))

    def _is_varying(self, name: str) -> bool:
        """Whether a name that the block reads is a number, other than a parameter or one constant."""
        seen = self.site.observed(name)
        bound = [self.site.parents[each] for each in stores(self.site.node, name)]
        constant = [each for each in bound if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)]
        is_fixed = not bound or (len(bound) == len(constant) == 1)
        return bool(seen) and all(map(_is_number, seen)) and not is_fixed

    def _chain(self, name: ast.Name) -> ast.expr:
        """The longest chain of attributes that begins with a name and whose end is no method."""
        node: ast.expr = name
        while isinstance(above := self.site.parents[node], ast.Attribute):
            call = self.site.parents[above]
            if isinstance(call, ast.Call) and call.func is above:
                break
            node = above
        return node

    def _moved(self, read: list[str], given: list[str], ends: bool) -> Outlined:
        site = self.site
        kinds = (("loop", blocks.LOOPS), ("branch", (ast.If, ast.IfExp)))
        word = next((word for word, kind in kinds if any(isinstance(node, kind) for node in self.inside)), "part")
        candidates = numbered(f"_{site.node.name.strip('_')}_{word}", first=2)
        name = next(each for each in candidates if not site.project.mentions(each))
        # By expression that begins with `self`, the parameter that replaces it.
        attributes: dict[str, str] = {}
        edits: list[Edit] = []
        for chain in map(self._chain, self.receivers):
            text = ast.unparse(chain)
            if text not in attributes:
                taken = {*names_in(*self.block), *given, *attributes.values()}
                candidates = numbered(text.rpartition(".")[2], first=2)
                attributes[text] = next(each for each in candidates if each not in taken)
            edits.append(site.replace(chain, attributes[text]))
        body = blocks.code_of(site, self.block, sorted(edits, key=lambda edit: edit.offset))
        returned = "" if ends else f"\nreturn {', '.join(given)}"
        code = blocks.nested(f"{body}{returned}", f"def {name}({', '.join((*read, *attributes.values()))}):")
        lead = "return " if ends else f"{', '.join(given)} = "
        call = blocks.put_in_place(site, self.block, f"{lead}{name}({', '.join((*read, *attributes))})")
        summary = f"move this part of `{site.function.owner.qualname}` into `{name}`, which is compiled while tracing"
        changes = [blocks.insert_at_top(site, f"@{site.spell(DECORATOR)}\n{code}"), call]
        return Outlined(replace(site.mend(self.block[0], summary, changes), rewrite=REWRITE), name)


def _is_number(type_: TypeExpr) -> bool:
    held = type_.name in ("list", "tuple") and bool(type_.args) and all(map(_is_number, type_.args))
    return type_ in NUMBERS or type_.name == "torch.Size" or held


def _is_tensors(type_: TypeExpr) -> bool:
    """Whether a trace may return a type; None is a part of an Optional."""
    nested = type_.name == "tuple" and bool(type_.args) and all(map(_is_tensors, type_.args))
    return nested or type_ == NONE or type_.inherits(TENSOR.name)
