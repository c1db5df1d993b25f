"""A branch that no instance takes moves to a function of its own, which is left out of the scripted model.

Message: any, in the branch: the compiler reads code that never runs.
Kind: scripted.
Needs: a test that parameters that were always None, or attributes with one constant value, decide; a branch that leaves
    no loop, leaves the function only at its end, and whose names surely have a value.
Before:
    def forward(self, x, mask=None):
        if mask is not None:
            x = max(self.beams(x, mask), key=lambda beam: beam.score)
        return self.layer(x)
After:
    def forward(self, x, mask=None):
        if mask is not None:
            x = self._forward_with_mask(x, mask)
        return self.layer(x)

    @torch.jit.unused
    def _forward_with_mask(self, x, mask):
        x = max(self.beams(x, mask), key=lambda beam: beam.score)
        return x
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.mends.kit.blocks import can_be_indented, is_in_loop, names_given, names_read
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.mends.kit.written_out import written_out
from pdt_annotate.mends.moves.leave_out.unused_functions import DECORATOR
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.expressions import NUMBERS, STR
from pdt_annotate.source.syntax import numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE, TENSOR, union

LEAVING = (
    *(ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete),
    *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.NamedExpr, *Scope.__args__),
)
"""Names that tie statements to the function around them."""
OF_FRAMES = ("super", "__class__", "locals", "vars", "eval", "exec")
MODE = "training"  # examples show this attribute in one state only
INDENT = "    "


def find(site: FunctionContext) -> Iterator[Mend]:
    """The innermost branch around the failing line that is never taken."""
    line = site.failure.place.line if site.failure else 0
    is_own = bool(site.function.receiver) and "classmethod" not in site.function.decorators
    if not is_own and (site.function.in_class or "<locals>" in site.function.owner.qualname):
        return
    ifs = [node for node in ast.walk(site.node) if isinstance(node, ast.If)]
    for node in sorted(ifs, key=lambda node: -node.lineno):
        taken = _Decision(site, node).of(node.test)
        branch = [] if taken is None else node.orelse if taken else node.body
        if branch and node.lineno < branch[0].lineno <= line <= (branch[-1].end_lineno or 0):
            yield from _move(site, node, branch)
            return


@dataclass(frozen=True)
class _Decision:
    site: FunctionContext
    choice: ast.If

    def of(self, test: ast.expr) -> bool | None:
        """The result of a test; None if unknown."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.of(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            deciding, parts = isinstance(test.op, ast.Or), [self.of(value) for value in test.values]
            return deciding if deciding in parts else None if None in parts else not deciding
        if new := written_out(self.site, test):
            return self.of(new)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and ast.unparse(test.comparators[0]) == "None":
            value, is_is = self.constant(test.left), isinstance(test.ops[0], ast.Is)
            return (value == "None") is is_is if value and isinstance(test.ops[0], (ast.Is, ast.IsNot)) else None
        value = self.constant(test)
        return bool(ast.literal_eval(value)) if value else None

    def constant(self, node: ast.expr) -> str:
        """The one value that a parameter or an attribute ever had, as source text; "" if unknown."""
        attribute = self.site.self_attribute(node)
        if isinstance(node, ast.Name) and self.site.function.parameter(node.id):
            is_again = is_in_loop(self.site, self.choice)
            is_other = any(is_again or n.lineno < self.choice.lineno for n in stores(self.site.node, node.id))
            return "None" if set(self.site.observed(node.id)) == {NONE} and not is_other else ""
        return self.site.held(attribute).literal if attribute and attribute != MODE else ""

    @property
    def word(self) -> str:
        """`if mask is not None:` → with_mask, `if not self.fast:` if it always is fast → without_fast."""
        known = (n for n in ast.walk(self.choice.test) if isinstance(n, ast.expr) and self.constant(n))
        first = min(known, key=lambda node: (node.lineno, node.col_offset))
        name = first.id if isinstance(first, ast.Name) else self.site.self_attribute(first)
        return f"{'without' if self.of(first) else 'with'}_{name.strip('_')}"


def _move(site: FunctionContext, node: ast.If, branch: list[ast.stmt]) -> Iterator[Mend]:
    read, source = names_read(site, branch), _source(site, branch)
    given = [] if _is_answer(branch[-1]) else names_given(site, branch)
    if read is None or given is None or source is None or _is_tied(site, branch):
        return
    wanted = f"_{site.node.name.strip('_')}_{_Decision(site, node).word}"
    name = next(each for each in numbered(wanted, 2) if not site.project.mentions(each))
    own = [site.function.receiver] * bool(site.function.receiver)
    call = f"{'.'.join((*own, name))}({', '.join(read)})"
    decorator, imports = site.spell(DECORATOR)
    returns, needed = _returns(site, ["return"] if _is_answer(branch[-1]) else given)
    lead = "return " if _is_answer(branch[-1]) else f"{', '.join(given)} = " if given else ""
    parameters = [*own]
    for each in read:
        written = site.function.parameter(each)
        parameters.append(f"{each}: {written.annotation}" if written and written.annotation else each)
    header = f"def {name}({', '.join(parameters)}){returns}:"
    body = "\n".join((source, *([f"return {', '.join(given)}"] if given else ())))
    start, end = site.span(branch[0])[0], site.span(branch[-1])[1]
    moved = site.insert_behind(site.node, f"@{decorator}\n{header}\n{textwrap.indent(body, INDENT)}")
    blank = site.text.newline * (1 if site.function.in_class else 2)
    edits = [Edit(start, lead + call, removed=end - start), Edit(moved.offset, blank + moved.text)]
    test = " ".join(site.source(node.test).split())
    left_out = f"what `{site.function.owner.qualname}` does {'unless' if branch is node.orelse else 'if'} `{test}`"
    summary = f"leave {left_out} out, as `{name}`"
    imports = (*imports, *needed)
    yield site.mend(RULE.name, MendKind.SCRIPTED, node, summary, edits, imports=imports, left_out=left_out)


def _is_answer(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Return) and statement.value is not None


def _is_tied(site: FunctionContext, branch: Sequence[ast.stmt]) -> bool:
    """Whether statements cannot leave the function around them, or only call a function that is left out already.

    A return at their end ties nothing.
    """
    calls = [node for node in ast.walk(branch[-1]) if isinstance(node, ast.Call)]
    called = site.definition(calls[0].func) if calls else None
    if len(branch) == 1 and called is not None and any(d.endswith("jit.unused") for d in called.decorators):
        return True
    inside = [node for each in branch for node in ast.walk(each) if node is not branch[-1] or not _is_answer(each)]
    args = site.node.args
    variadic = {arg.arg for arg in (args.vararg, args.kwarg) if arg}
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    is_bare = all(isinstance(each, ast.Pass) for each in branch)
    return is_bare or bool(names & {*OF_FRAMES, *variadic}) or any(isinstance(node, LEAVING) for node in inside)


def _source(site: FunctionContext, branch: Sequence[ast.stmt]) -> str | None:
    """The lines of a branch, comments included; None if it has text that cannot be moved to the left."""
    start, end = site.text.line_start(branch[0].lineno), site.span(branch[-1])[1]
    lines = site.text.body[start:end].decode().replace(site.text.newline, "\n")
    is_movable = site.begins_line(branch[0]) and all(can_be_indented(site, each) for each in branch)
    return textwrap.dedent(lines) if is_movable else None


def _returns(site: FunctionContext, given: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The return annotation of the moved function, if it returns anything but one Tensor, and its imports."""
    if given == ["return"] and site.function.returns:
        return f" -> {site.function.returns}", ()
    # Apart from None; the compiler takes a name without a type for a Tensor.
    seen = ([type_ for type_ in site.observed(name) if type_ != NONE] for name in given)
    types = [union(*each) if each else TENSOR for each in seen]
    if types in ([], [TENSOR]) or not set(types) <= {TENSOR, STR, *NUMBERS}:
        return "", ()
    (tensor, of_torch), (tuple_, of_typing) = site.spell(TENSOR.name), site.spell("typing.Tuple")
    words = [tensor if type_ == TENSOR else type_.name for type_ in types]
    needed = (*(of_torch if TENSOR in types else ()), *(of_typing if len(types) > 1 else ()))
    return f" -> {words[0]}" if len(words) == 1 else f" -> {tuple_}[{', '.join(words)}]", needed


RULE = MendRule("dead_branches", MendKind.SCRIPTED, somewhere, find, sweeps=False)
