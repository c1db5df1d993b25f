"""A branch that no instance takes becomes a function of its own, which is left out of the scripted model.

Message: any, in the branch: the compiler reads what it would never run.
Kind: scripted.
Needs: a test that parameters for which only None was seen, and attributes that hold one constant, decide; a branch that
    leaves neither the function nor a loop, and all of whose names surely have a value.
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

from pdt_annotate.search.mend.eager import can_be_indented
from pdt_annotate.search.mend.none_helpers import written_out
from pdt_annotate.search.mend.rule import MendRule
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.search.mend.spelled import bound, stores
from pdt_annotate.search.mend.unused_functions import DECORATOR
from pdt_annotate.source.survey import Scope
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE
from pdt_annotate.values.verdicts import Failure

LEAVING = (
    *(ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete),
    *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.NamedExpr, *Scope.__args__),
)
"""What ties statements to the function in which they stand."""
OF_FRAMES = ("super", "__class__", "locals", "vars", "eval", "exec")
LOOPS = (ast.For, ast.AsyncFor, ast.While)
INDENT = "    "


def is_asked_for(failure: Failure) -> bool:
    return bool(failure.place.line)


def find(site: MendSite) -> Iterator[Mend]:
    """The innermost branch around the failing line that is never taken and may be moved."""
    line = site.failure.place.line if site.failure else 0
    is_method = bool(site.function.receiver) and not site.function.decorators
    if not is_method and (site.function.in_class or "<locals>" in site.function.owner.qualname):
        return
    ifs = [node for node in ast.walk(site.node) if isinstance(node, ast.If)]
    for node in sorted(ifs, key=lambda node: -node.lineno):
        taken = _decide(site, node.test)
        branch = [] if taken is None else node.orelse if taken else node.body
        if branch and node.lineno < branch[0].lineno <= line <= (branch[-1].end_lineno or 0):
            yield from _moved(site, node, branch)
            return


def _decide(site: MendSite, test: ast.expr) -> bool | None:
    """What a test gave in all calls; None where nobody knows."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _decide(site, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        deciding, parts = isinstance(test.op, ast.Or), [_decide(site, value) for value in test.values]
        return deciding if deciding in parts else None if None in parts else not deciding
    if isinstance(test, ast.Call) and (new := written_out(site, test)):
        return _decide(site, ast.parse(new.text, mode="eval").body)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and ast.unparse(test.comparators[0]) == "None":
        value = _constant(site, test.left)
        is_asked = isinstance(test.ops[0], ast.Is)
        return (value == "None") is is_asked if value and isinstance(test.ops[0], (ast.Is, ast.IsNot)) else None
    value = _constant(site, test)
    return bool(ast.literal_eval(value)) if value else None


def _constant(site: MendSite, node: ast.expr) -> str:
    """The one value that a parameter or an attribute ever had, as source text; "" where nobody knows."""
    if isinstance(node, ast.Name):
        is_none = set(site.observed(node.id)) == {NONE} and site.function.parameter(node.id)
        return "None" if is_none else ""
    return site.held(site.self_attribute(node)).literal if site.self_attribute(node) else ""


def _moved(site: MendSite, node: ast.If, branch: list[ast.stmt]) -> Iterator[Mend]:
    read, given = _read(site, branch), _given(site, branch)
    source = _source(site, branch)
    if read is None or given is None or source is None or not _may_move(site, branch):
        return
    decorator, imports = site.spell(DECORATOR)
    own = [site.function.receiver] * bool(site.function.receiver)
    name = _name(site, node)
    called = ".".join((*own, name))
    call = f"{', '.join(given)} = {called}" if given else called
    header = f"def {name}({', '.join((*own, *(_parameter(site, each) for each in read)))}):"
    body = [source, *([f"return {', '.join(given)}"] if given else [])]
    method = f"@{decorator}\n{header}\n{textwrap.indent(chr(10).join(body), INDENT)}"
    start, end = site.span(branch[0])[0], site.span(branch[-1])[1]
    edits = [Edit(start, f"{call}({', '.join(read)})", removed=end - start), _behind(site, method)]
    test = " ".join(site.source(node.test).split())
    left_out = f"what `{site.function.owner.qualname}` does {'unless' if branch is node.orelse else 'if'} `{test}`"
    summary = f"leave {left_out} out, as `{name}`"
    yield site.mend(RULE.name, MendKind.SCRIPTED, node, summary, edits, imports=imports, left_out=left_out)


def _may_move(site: MendSite, branch: Sequence[ast.stmt]) -> bool:
    inside = [node for each in branch for node in ast.walk(each)]
    args = site.node.args
    variadic = {arg.arg for arg in (args.vararg, args.kwarg) if arg}
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    is_bare = all(isinstance(each, ast.Pass) for each in branch)
    return not (is_bare or names & {*OF_FRAMES, *variadic} or any(isinstance(node, LEAVING) for node in inside))


def _source(site: MendSite, branch: Sequence[ast.stmt]) -> str | None:
    """The lines of a branch, comments included; None where it has text that cannot be moved to the left."""
    start, end = site.text.line_start(branch[0].lineno), site.span(branch[-1])[1]
    lines = site.text.body[start:end].decode().replace(site.text.newline, "\n")
    is_alone = not site.text.body[start : site.span(branch[0])[0]].strip()
    return textwrap.dedent(lines) if is_alone and all(can_be_indented(site, each) for each in branch) else None


def _read(site: MendSite, branch: Sequence[ast.stmt]) -> list[str] | None:
    """The names of the function that a branch needs, in order; None where one of them may have no value."""
    known, needed = set[str](), dict[str, None]()
    surely = _surely_bound(site, branch[0])
    for statement in branch:
        scopes = [n for n in ast.walk(statement) if isinstance(n, (ast.Lambda, ast.comprehension))]
        inner = {name for scope in scopes for name in bound(scope)} - set(_names(statement, ast.Store, scopes))
        loaded = [*_names(statement, ast.Load), *_changed(statement)]
        outer = (n for n in loaded if n in site.local_names and n != site.function.receiver)
        needed.update(dict.fromkeys(n for n in outer if n not in known and (n in surely or n not in inner)))
        known |= set(_bound_by(statement))
    only_here = {n for n in needed if n not in surely and not _is_bound_elsewhere(site, branch, n)}
    # A name that the branch alone binds is none that it needs, wherever in it that is.
    wanted = [name for name in needed if name not in only_here]
    return wanted if set(wanted) <= surely else None


def _is_bound_elsewhere(site: MendSite, branch: Sequence[ast.stmt], name: str) -> bool:
    inside = {id(node) for each in branch for node in ast.walk(each)}
    return any(id(node) not in inside for node in stores(site.node, name))


def _names(
    tree: ast.AST, context: type[ast.expr_context], without: Sequence[ast.AST] = ()
) -> Iterator[str]:
    """Names in the order of the source."""
    hidden = {id(node) for each in without for node in ast.walk(each)}
    every = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in hidden)
    names = [name for name in every if isinstance(name.ctx, context)]
    yield from (n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset)))


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names that an augmented assignment reads and binds."""
    for node in ast.walk(statement):
        if isinstance(node, ast.AugAssign):
            yield from _names(node.target, ast.Store)


def _bound_by(statement: ast.stmt) -> Iterator[str]:
    """The names that have a value once a statement is done."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (name for target in targets for name in _names(target, ast.Store))
    elif isinstance(statement, ast.If) and statement.orelse:
        arms = [{n for each in arm for n in _bound_by(each)} for arm in (statement.body, statement.orelse)]
        yield from arms[0] & arms[1]
    elif isinstance(statement, ast.With):
        yield from (name for each in statement.body for name in _bound_by(each))


def _surely_bound(site: MendSite, statement: ast.AST) -> set[str]:
    """The names that have a value when a statement begins."""
    found = {p.name for p in site.function.parameters}
    while statement is not site.node:
        parent = site.parents[statement]
        if isinstance(parent, (ast.For, ast.AsyncFor)) and statement in parent.body:
            found |= set(_names(parent.target, ast.Store))
        for arm in (getattr(parent, field, []) for field in ("body", "orelse", "finalbody")):
            if isinstance(arm, list) and statement in arm:
                found |= {name for each in arm[: arm.index(statement)] for name in _bound_by(each)}
        statement = parent
    return found


def _given(site: MendSite, branch: Sequence[ast.stmt]) -> list[str] | None:
    """The names that a branch binds and that are read behind it; None where one may have no value then."""
    inside = {id(node) for each in branch for node in ast.walk(each)}
    end, around = branch[-1].end_lineno or 0, _around(site, branch[0])
    is_in_loop = any(isinstance(node, LOOPS) for node in around)
    own = dict.fromkeys(name for each in branch for name in _names(each, ast.Store))
    later = {
        node.id
        for node in ast.walk(site.node)
        if isinstance(node, ast.Name) and id(node) not in inside and (node.lineno > end or is_in_loop)
    }
    given = [name for name in own if name in later]
    surely = _surely_bound(site, branch[0]) | {name for each in branch for name in _bound_by(each)}
    return given if set(given) <= surely else None


def _around(site: MendSite, node: ast.AST) -> Iterator[ast.AST]:
    while node is not site.node:
        node = site.parents[node]
        yield node


def _parameter(site: MendSite, name: str) -> str:
    """A name as a parameter, with the annotation that the function has for it."""
    written = site.function.parameter(name)
    return f"{name}: {written.annotation}" if written and written.annotation else name


def _name(site: MendSite, node: ast.If) -> str:
    """`if mask is not None:` in `forward` → _forward_with_mask; one that the project does not know."""
    asked = [n for n in ast.walk(node.test) if isinstance(n, ast.expr) and _constant(site, n)]
    first = min(asked, key=lambda n: (n.lineno, n.col_offset))
    word = first.id if isinstance(first, ast.Name) else site.self_attribute(first)
    way = "without" if _decide(site, first) else "with"
    name = f"_{site.node.name.strip('_')}_{way}_{word.strip('_')}"
    numbered = (name, *(f"{name}_{number}" for number in range(2, 1000)))
    return next(each for each in numbered if not site.project.mentions(each.encode()))


def _behind(site: MendSite, text: str) -> Edit:
    """A function behind the one of the site, with the blank lines that stand between two."""
    edit = site.insert_behind(site.node, text)
    return Edit(edit.offset, site.text.newline * (1 if site.function.in_class else 2) + edit.text)


RULE = MendRule("dead_branches", MendKind.SCRIPTED, is_asked_for, find, sweeps=False)
