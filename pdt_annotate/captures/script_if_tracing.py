"""Puts code with baked-in values under `torch.jit.script_if_tracing`: the function around it, or one made of a block.

The trace calls such a function compiled; Python calls it as before. Numbers that are passed to it are baked in, and it
may return only tensors: so a block moves together with the code that makes its numbers, and the code that uses them.
Verification decides which block is right; this module yields all candidates, the smallest first.
"""

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.mends.kit.blocks import ARMS, LOOPS, can_be_indented, insert_at_top, names_given, names_read
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.source.definitions import ParameterKind, Scope, first_line
from pdt_annotate.source.expressions import NUMBERS
from pdt_annotate.source.syntax import CHANGING, called_name, dotted_name, numbered
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
    edits = [site.insert_before(function.node, f"@{site.spell(DECORATOR)}")]
    summary = f"compile `{function.owner.qualname}` while tracing"
    yield Outlined(replace(site.mend(function.node, summary, edits), rewrite=REWRITE), function.node.name)


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
    deciding = []  # a trace may bake in a value or a size of a tensor there
    for node in around:
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        is_python = any(called_name(call) in AS_PYTHON or site.definition(call.func) for call in calls)
        if is_python or any(isinstance(each, DECIDES) for each in ast.walk(node)):
            deciding.append(node)
    deciding = deciding or around
    for node in around[around.index(deciding[0]) :] if deciding else []:
        body = next(b for arm in ARMS if node in (b := getattr(site.parents[node], arm, None) or []))
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

    def outlined(self) -> Outlined | str | None:
        """The change; otherwise the reason why not, for people; or None if that is of no interest."""
        read, given = names_read(self.site, self.block), names_given(self.site, self.block)
        if read is None or given is None or not self._can_be_moved():
            return None
        why = _impure(self.site, self.block, set(read))
        if why:
            return why
        receiver = self.site.function.receiver
        for node in self._inside:
            # Such a read of `self` cannot become a parameter: it is a method or a layer.
            if isinstance(node, ast.Name) and receiver and node.id == receiver and self._chain(node) is node:
                return f"it calls `{ast.unparse(self.site.parents[node])}`"
        ends = _always_returns(self.block)
        # The tensors that the block reads and writes to in place are returned, too.
        changed = dict.fromkeys(filter(None, map(_changed, self._inside)))
        last = self.block[-1].end_lineno or 0
        later = {n.id for n in ast.walk(self.site.node) if isinstance(n, ast.Name) and n.lineno > last}
        given = [*given, *(name for name in changed if name in read and name in later and name not in given)]
        given = [] if ends else given
        # Only if, as far as known, no number that varies is passed, and tensors alone are returned.
        types = [self.site.observed(name) for name in (["return"] if ends else given)]
        returns_tensors = bool(types) and all(_is_tensors(type_) for each in types for type_ in each)
        if not returns_tensors:
            return None
        for name in read:
            seen = self.site.observed(name)
            is_number = bool(seen) and all(_is_number(type_) for type_ in seen)
            bound = [self.site.parents[each] for each in stores(self.site.node, name)]
            constant = all(isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant) for each in bound)
            if is_number and bound and not (constant and len(bound) == 1):
                return None
        return self._moved(read, given, ends)

    @property
    def _inside(self) -> list[ast.AST]:
        return [node for each in self.block for node in ast.walk(each)]

    def _can_be_moved(self) -> bool:
        """Whether the statements do not leave a loop around them, and leave the function at their end only."""
        site, inside = self.site, {id(node) for node in self._inside}
        leaves = False
        for node in (node for node in self._inside if isinstance(node, (ast.Break, ast.Continue))):
            loop: ast.AST = node
            while not isinstance(loop, (*LOOPS, *Scope.__args__)):
                loop = site.parents[loop]
            leaves = leaves or id(loop) not in inside
        returns = any(isinstance(node, ast.Return) for node in self._inside)
        whole = self.block == site.node.body  # then the function would only call the new one
        texts = all(can_be_indented(site, each) for each in self.block)
        start = site.text.line_start(first_line(self.block[0]))
        is_alone = not site.text.body[start : site.span(self.block[0])[0]].strip()
        docstring = isinstance(self.block[0], ast.Expr) and isinstance(self.block[0].value, ast.Constant)
        plain = texts and is_alone and not docstring and not (whole and not site.function.in_class)
        return plain and not leaves and (not returns or _always_returns(self.block))

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
        kinds = (("loop", LOOPS), ("branch", (ast.If, ast.IfExp)))
        word = next((word for word, kind in kinds if any(isinstance(node, kind) for node in self._inside)), "part")
        candidates = numbered(f"_{site.node.name.strip('_')}_{word}", first=2)
        name = next(each for each in candidates if not site.project.mentions(each))
        inside = {node.id for node in self._inside if isinstance(node, ast.Name)}
        attributes, edits = self._attributes({*inside, *given})
        start, end = site.span(self.block[0])[0], site.span(self.block[-1])[1]
        begin = site.text.line_start(first_line(self.block[0]))
        source = site.text.edited(edits, begin, end).decode().replace(site.text.newline, "\n")
        returned = "" if ends else f"\nreturn {', '.join(given)}"
        body = textwrap.indent(textwrap.dedent(source) + returned, "    ")
        header = f"def {name}({', '.join((*read, *attributes.values()))}):"
        lead = "return " if ends else f"{', '.join(given)} = "
        call = f"{lead}{name}({', '.join((*read, *attributes))})"
        made = insert_at_top(site, f"@{site.spell(DECORATOR)}\n{header}\n{body}")
        changes = [made, Edit(start, call, removed=end - start)]
        summary = f"move this part of `{site.function.owner.qualname}` into `{name}`, which is compiled while tracing"
        return Outlined(replace(site.mend(self.block[0], summary, changes), rewrite=REWRITE), name)

    def _attributes(self, taken: set[str]) -> tuple[dict[str, str], list[Edit]]:
        """For each expression that begins with `self` the parameter that replaces it; and the edits that do so."""
        found: dict[str, str] = {}
        edits: list[Edit] = []
        receiver = self.site.function.receiver
        for node in self._inside:
            if isinstance(node, ast.Name) and receiver and node.id == receiver:
                chain = self._chain(node)
                text = ast.unparse(chain)
                if text not in found:
                    candidates = numbered(text.rpartition(".")[2], first=2)
                    known = {*taken, *found.values()}
                    found[text] = next(each for each in candidates if each not in known)
                edits.append(self.site.replace(chain, found[text]))
        return found, sorted(edits, key=lambda edit: edit.offset)


def _is_number(type_: TypeExpr) -> bool:
    held = type_.name in ("list", "tuple") and bool(type_.args) and all(map(_is_number, type_.args))
    return type_ in NUMBERS or type_.name == "torch.Size" or held


def _is_tensors(type_: TypeExpr) -> bool:
    """Whether a trace may return a type; None is a part of an Optional."""
    nested = type_.name == "tuple" and bool(type_.args) and all(map(_is_tensors, type_.args))
    return nested or type_ == NONE or type_.inherits(TENSOR.name)
