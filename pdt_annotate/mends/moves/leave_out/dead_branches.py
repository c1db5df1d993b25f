"""A branch that no example takes moves to a new function, which is left out of the scripted model.

So does the branch for Python of `if not torch.jit.is_scripting()` if it has syntax that the compiler cannot parse.

A `return` of a type that no example returned is not moved. Instead, an assertion that always fails in the scripted
model is inserted before it. The end of a function is treated as `return None`. If the file imports `annotations` from
`__future__`, a comment has the types of the new function.

Message:
    - Any message in the branch, such as `Lambda aren't supported` or `try blocks aren't supported`. The compiler
      compiles code even if it never runs.
    - `Previous return statement returned a value of type`, `Return value was annotated as having type`.
    - Any message about a Union or an Optional that a function returns.
Kind: Scripted. Exact for the branch of `is_scripting()`.
Needs:
    - Examples entered the function. The test had the same result in all of them, or none of them reached it.
    - The branch contains no `break` or `continue`, and no `return` unless it always returns a value. The variables that
      it reads or sets always have a value.
    - A `return` gets the assertion if it returns a display, None, or a local variable whose types were observed, and
      the function always returned other types.
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

import ast
import itertools
import re
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import OPTIONAL_FOUND, RETURN_ANNOTATED, RETURNS_DIFFER, UNION
from pdt_annotate.mends.kit.annotations import take_wrong_return
from pdt_annotate.mends.kit.blocks import (
    UNUSED,
    always_returns,
    asks_for_python,
    blocks,
    code_of,
    ends_line,
    is_in_loop,
    may_end,
    names_given,
    names_read,
    nested,
    never_scripted,
    put_in_place,
    settled_by,
    statements,
)
from pdt_annotate.mends.kit.callers import own_variadics
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted, somewhere
from pdt_annotate.mends.kit.deciding import is_untaken, word
from pdt_annotate.mends.kit.settled import MODE
from pdt_annotate.mends.kit.spelled import is_negation, stores
from pdt_annotate.source import scopes
from pdt_annotate.source.definitions import Function, Scope
from pdt_annotate.source.expressions import NUMBERS, STR
from pdt_annotate.source.scopes import names_in, names_inside
from pdt_annotate.source.syntax import numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union
from pdt_annotate.values.verdicts import Failure

LEAVING = (
    *(ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.NamedExpr, *Scope.__args__),
)
"""Names that tie statements to the function around them."""
OF_FRAMES = ("super", "__class__", "locals", "vars", "eval", "exec")
OF_NONE = re.compile(r"(?P<name>\w+)_is_(?P<is_not>not_)?none")
IS_OF_RETURNS = quoted(RETURNS_DIFFER, RETURN_ANNOTATED, UNION, OPTIONAL_FOUND)


def is_asked_for(failure: Failure) -> bool:
    return somewhere(failure) or IS_OF_RETURNS(failure)


def find(site: FunctionContext) -> Iterator[Mend]:
    returns = list(_untaken_returns(site)) if site.failure is None or IS_OF_RETURNS(site.failure) else []
    yield from returns or _dead_branch(site)


def _dead_branch(site: FunctionContext) -> Iterator[Mend]:
    """The innermost branch around the failing line that is never taken."""
    is_own = bool(site.function.receiver) and "classmethod" not in site.function.decorators
    if not is_own and (site.function.in_class or "<locals>" in site.function.owner.qualname):
        return
    if _is_unused(site.function):  # Python raised an error there
        return
    ifs = [node for node in ast.walk(site.node) if isinstance(node, ast.If)]
    for node in sorted(ifs, key=lambda node: -node.lineno):
        # Examples show the mode in one state only.
        is_of_mode = any(site.self_attribute(part) == MODE for part in ast.walk(node.test))
        for branch, truth in ((node.body, True), (node.orelse, False)):
            is_there = branch and node.lineno < branch[0].lineno and site.fails_in(*branch)
            is_elif = is_there and site.source(branch[0]).startswith("elif")
            is_dead = not is_of_mode and is_untaken(site, node.test, truth)
            if is_there and not is_elif and (is_dead or _is_for_python(node, branch)):
                yield from _move(site, node, branch)
                return


def _is_for_python(choice: ast.If, branch: Sequence[ast.stmt]) -> bool:
    return asks_for_python(choice) and is_negation(choice.test) is (branch is choice.body)


def _move(site: FunctionContext, node: ast.If, branch: list[ast.stmt]) -> Iterator[Mend]:
    read, source = names_read(site, branch), code_of(site, branch)
    given = [] if always_returns(branch[-1]) else names_given(site, branch)
    if read is None or given is None or source is None or _is_tied(site, branch) or _is_bound(site, branch, read):
        return
    if not _deleted(branch) <= {*read} - {*given}:
        return
    # A value from before the branch stays where the branch does not set the name.
    read += [each for each in given if each not in {*read, *settled_by(branch)}]
    asked = word(node.test, f"{site.function.receiver}.")
    if _is_for_python(node, branch):
        condition, asked = "in", "python"
    elif of_none := OF_NONE.fullmatch(asked):
        is_there = bool(of_none["is_not"]) is (branch is not node.orelse)
        condition, asked = "with" if is_there else "without", of_none["name"]
    else:
        condition = "unless" if branch is node.orelse else "if"
    wanted = f"_{site.node.name.strip('_')}_{condition}_{asked}"
    name = next(each for each in numbered(wanted, 2) if not site.project.mentions(each))
    own = list(filter(None, [site.function.receiver]))
    call = f"{'.'.join((*own, name))}({', '.join(read)})"
    results = ["return"] if always_returns(branch[-1]) else given
    lead = "return " if always_returns(branch[-1]) else f"{', '.join(given)} = " if given else ""
    written = {each.name: f"{each.name}: {each.annotation}" for each in site.function.parameters if each.annotation}
    body = f"{source}\nreturn {', '.join(given)}" if given else source
    if site.module.future_annotations:
        # Then annotations are text, which the compiler does not read in a function that is left out.
        returns, written, comment = "", {}, _comment(site, read, results)
        body = f"{comment}\n{body}" if comment else body
    else:
        returns, comment = _returns(site, results), ""
    is_known = returns or comment or {*site.observed("return")} <= {TENSOR}
    if always_returns(branch[-1]) and not is_known and not _is_for_python(node, branch):
        lead = f"{never_scripted(site)}\n{lead}"  # the compiler reads nothing after it
    header = f"@{site.spell(UNUSED)}\ndef {name}({', '.join((*own, *(written.get(e, e) for e in read)))}){returns}:"
    moved = site.insert_behind(site.node, nested(body, header))
    blank = site.text.newline * (1 if site.function.in_class else 2)
    edits = [put_in_place(site, branch, lead + call), Edit(moved.offset, blank + moved.text)]
    left_out = f"the branch of `{site.function.owner.qualname}` {condition} `{site.on_one_line(node.test)}`"
    summary = f"leave out {left_out}, as `{name}`"
    if _is_for_python(node, branch):
        summary, left_out = f"move the branch for Python to `{name}`", ""
    yield site.mend(node, summary, edits, left_out=left_out)


def _is_tied(site: FunctionContext, branch: Sequence[ast.stmt]) -> bool:
    """Whether statements cannot leave the function around them, or only call a function that is left out already.

    If they return a value in any case, no return ties them.
    """
    calls = [node for node in ast.walk(branch[-1]) if isinstance(node, ast.Call)]
    called = site.definition(calls[0].func) if calls and len(branch) == 1 else None
    is_bare = all(isinstance(each, ast.Pass) for each in branch)
    answers = always_returns(branch[-1])
    inside = (node for each in branch for node in ast.walk(each) if not (answers and always_returns(node)))
    leaves = any(isinstance(node, LEAVING) for node in inside)
    return _is_unused(called) or is_bare or leaves or bool(names_in(*branch) & {*OF_FRAMES, *own_variadics(site)})


def _is_unused(function: Function | None) -> bool:
    return function is not None and any(each.endswith("jit.unused") for each in function.decorators)


def _deleted(branch: Sequence[ast.stmt]) -> set[str]:
    names = (node for each in branch for node in ast.walk(each) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Del)}


def _comment(site: FunctionContext, read: Sequence[str], results: Sequence[str]) -> str:
    """The types of the moved function as a comment; "" if all are Tensors, or if one is not known."""
    written = {each.name: each.annotation for each in site.function.parameters if each.annotation}
    if site.function.returns:
        written["return"] = site.function.returns
    taken, given = ([written.get(name) or _word(_type_of(site, name)) for name in names] for names in (read, results))
    result = given[0] if len(given) == 1 else f"Tuple[{', '.join(given)}]" if given else "None"
    is_needed = {*taken, *given} != {"Tensor"} and all((*taken, *given))
    return f"# type: ({', '.join(taken)}) -> {result}" if is_needed else ""


def _word(type_: TypeExpr) -> str:
    """A type in a comment; "" if it is not known."""
    if type_ == TENSOR or type_ in (STR, *NUMBERS):
        return type_.name.rpartition(".")[2]
    args = [_word(each) for each in type_.args]
    return f"{type_.name.title()}[{', '.join(args)}]" if type_.name in ("list", "tuple") and args and all(args) else ""


def _type_of(site: FunctionContext, name: str) -> TypeExpr:
    """The type of a variable apart from None; the compiler takes one without a type for a Tensor."""
    seen = [type_ for type_ in site.observed(name) if type_ != NONE]
    known = [type_ for type_ in (STR, *NUMBERS) if site.is_always(ast.Name(name), type_.name)]
    if site.is_always(ast.Name(name), "torch.Size", "list[int]"):
        known = [TypeExpr("list", (TypeExpr("int"),))]
    return union(*seen) if seen else known[0] if known else TENSOR


def _is_bound(site: FunctionContext, branch: Sequence[ast.stmt], read: Sequence[str]) -> bool:
    """Whether a branch reads or binds names in a way that a function of its own cannot."""
    set_inside = {name for each in branch for name in names_inside(each)}
    set_inside |= {str(n.name) for each in branch for n in ast.walk(each) if isinstance(n, ast.ExceptHandler)}
    declared = {name for n in ast.walk(site.node) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    # An import, a definition or the error of `except` binds the name.
    bound = {name for each in scopes.statements(site.node.body) for name, _ in scopes.bindings(each.node)}
    others = (names_in(*branch) & bound) - {*read} - set_inside
    # Code that runs later reads the values that the names have then.
    late = [n for each in branch for n in ast.walk(each) if isinstance(n, (ast.Lambda, ast.GeneratorExp))]
    again, own = is_in_loop(site, branch[0]), {n for each in late for n in ast.walk(each)}
    rebound = (n for name in names_in(*late) for n in stores(site.node, name) if n not in own)
    is_late = any(again or n.lineno >= branch[0].lineno for n in rebound)
    return bool(others) or not declared.isdisjoint(set_inside) or is_late


def _returns(site: FunctionContext, given: Sequence[str]) -> str:
    """The return annotation of the moved function, if it returns anything but one Tensor."""
    if given == ["return"] and site.function.returns:
        return f" -> {site.function.returns}"
    types = [_type_of(site, name) for name in given]
    if types in ([], [TENSOR]) or not set(types) <= {TENSOR, STR, *NUMBERS}:
        return ""
    words = [site.spell(TENSOR.name) if type_ == TENSOR else type_.name for type_ in types]
    return f" -> {words[0]}" if len(words) == 1 else f" -> {site.spell('typing.Tuple')}[{', '.join(words)}]"


def _untaken_returns(site: FunctionContext) -> Iterator[Mend]:
    """In the function, and in the functions that it calls: to the compiler their results may be a Union."""
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call))
    called = filter(None, (site.definition(call.func) for call in calls))
    for inner in map(site.at, dict.fromkeys((site.function, *called))):
        asserted = never_scripted(inner)
        for statement, before in _returns_of(inner):
            is_left_out = isinstance(before, ast.Assert) and asks_for_python(before)
            if _is_never_returned(inner, statement.value) and not is_left_out:
                yield _without(inner, statement, inner.source(statement), inner.insert_before(statement, asserted))
        last, returns = inner.node.body[-1], any(statement.value for statement, _ in _returns_of(inner))
        if returns and _is_never_returned(inner, None) and may_end(inner.node.body) and ends_line(inner, last):
            yield _without(inner, last, "return None", inner.insert_behind(last, asserted))


def _without(site: FunctionContext, statement: ast.stmt, left_out: str, edit: Edit) -> Mend:
    return site.mend(
        statement,
        f"leave out `{left_out}`, which no example reaches",
        [edit, *take_wrong_return(site)],
        left_out=f"`{left_out}`",
    )


def _returns_of(site: FunctionContext) -> Iterator[tuple[ast.Return, ast.stmt | None]]:
    """The returns that the compiler reads, each on a line of its own, with the statement in front of it."""
    read = set(statements(site.node.body))
    for block in blocks(site.node):
        for before, statement in itertools.pairwise((None, *block)):
            if isinstance(statement, ast.Return) and statement in read and site.begins_line(statement):
                yield statement, before


def _is_never_returned(site: FunctionContext, value: ast.expr | None) -> bool:
    """Whether a returned value has none of the types that calls returned."""
    returned = alike = site.observed("return")
    match value:
        case None | ast.Constant(None):
            seen = {NONE.name}
        case ast.Tuple(items) if not any(isinstance(each, ast.Starred) for each in items):
            seen, alike = {"tuple"}, tuple(each for each in returned if len(each.args) in (0, len(items)))
        case ast.Tuple() | ast.List() | ast.Dict():
            seen = {type(value).__name__.lower()}
        case ast.Name(name):
            seen = {each.name for each in site.observed(name)}
        case _:
            return False
    return bool(returned and seen) and seen.isdisjoint(each.name for each in alike)


RULE = MendRule("dead_branches", MendKind.SCRIPTED, is_asked_for, find, sweeps=False)
