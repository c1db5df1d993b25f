"""A variable with several types becomes several variables, and a joint assignment becomes one statement per variable.

If every branch of an `if` assigns a value of another type to a variable, these assignments and the code after them use
a new name. A declaration without a value is removed. The result of `tolist()` is assigned to a new variable, which can
be annotated. A slice that branches assign becomes two variables.

Message:
    - Any message about a use of a list or dict. Without an annotation, the compiler assumes that a list holds Tensors
      and that the keys of a dict are strings.
    - `annotated assignments without assigned value aren't supported`, `Variable … previously had type`,
      `is annotated with type`, `Expected type hint for result of tolist()`, `undefined value` of a slice.
Kind: Exact.
Needs:
    - A joint assignment such as `a, b = [], 0` is split if its targets are different plain names, each target has a
      value of its own, no value reads one of the names, and at least one value is an empty list or dict.
    - A declaration such as `size: int` is removed if the function assigns the variable elsewhere.
    - The `if` that changes the type of a variable is at the top level of the function. Each of its branches either
      assigns the variable in a plain assignment or ends with `return` or `raise`. After the start of the `if`, no
      f-string, lambda or inner function uses the variable.
    - `tolist()` is called on a tensor, and no other call or operation comes before it in the same statement.
    - A variable that is only assigned slices of one or two arguments is split if it is used only as an index.
Before:
    def forward(self, x, labels):
        size: int
        found, outputs = [], ()
        size = x.size(-1)
        if labels is not None:
            outputs = (self.loss(x, labels), x) + outputs
        else:
            outputs = (x, x) + outputs
        return outputs, found, size
After:
    def forward(self, x, labels):
        found = []
        outputs = ()
        size = x.size(-1)
        if labels is not None:
            outputs_1 = (self.loss(x, labels), x) + outputs
        else:
            outputs_1 = (x, x) + outputs
        return outputs_1, found, size
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import BARE_DECLARATION, REASSIGNED, TOLIST, UNDEFINED
from pdt_annotate.mends.kit.blocks import blocks, statement_of_first
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import CHOICE, loads, spell, stores, targets
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import is_call_of, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

LEAVING = (ast.Return, ast.Raise)
IS_OF_NAMES = said(BARE_DECLARATION, REASSIGNED, TOLIST, UNDEFINED)
EMPTY = ("[]", "{}", "list()", "dict()")


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _split(site)
    yield from _renamed(site)
    yield from _listed(site)
    yield from _sliced(site)


def _split(site: FunctionContext) -> Iterator[Mend]:
    for block in blocks(site.node):
        bare = [each for each in block if isinstance(each, ast.AnnAssign) and each.value is None]
        for statement in bare if len(bare) < len(block) else ():
            if isinstance(statement.target, ast.Name) and len(stores(site.node, statement.target.id)) > 1:
                yield site.mend(statement, f"remove `{site.source(statement)}`", [site.remove(statement)])
    for node in ast.walk(site.node):
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values) as value) if len(targets) == len(values):
                names = {target.id for target in targets if isinstance(target, ast.Name)}
                is_plain = len(names) == len(targets) and names.isdisjoint(names_in(value))
                has_star = any(isinstance(each, ast.Starred) for each in values)
                if is_plain and not has_star and any(ast.unparse(each) in EMPTY for each in values):
                    pairs = zip(targets, values, strict=True)
                    lines = [f"{site.source(target)} = {site.source(each)}" for target, each in pairs]
                    summary = f"split `{site.source(node)}` into a statement for each name"
                    yield site.mend(node, summary, [site.replace(node, "\n".join(lines))])


def _listed(site: FunctionContext) -> Iterator[Mend]:
    """`lengths = x.tolist()` in front of `for n in x.tolist():`, where the name can say what the list holds."""
    for call in (node for node in ast.walk(site.node) if is_call_of(node, "tolist")):
        around, _ = site.statement(call)
        is_named = isinstance(around, (ast.Assign, ast.AnnAssign)) and around.value is call
        if is_named and all(isinstance(target, ast.Name) for target in targets(around)):  # type: ignore[arg-type]
            continue
        statement = statement_of_first(site, call)
        if statement and isinstance(call.func, ast.Attribute) and site.is_always(call.func.value, *TENSORS):
            name = site.local_name(f"{root_name(call.func.value) or 'tensor'}_list")
            edits = [site.insert_before(statement, f"{name} = {site.source(call)}"), site.replace(call, name)]
            yield site.mend(call, f"give `{site.source(call)}` a name, which can be annotated", edits)


def _sliced(site: FunctionContext) -> Iterator[Mend]:
    """`part_start, part_stop = 1, None` for `part = slice(1, None)`: an `if` of the compiler has no slice as result."""
    name, edits = site.fact(UNDEFINED), list[Edit]()
    start, stop = (site.local_name(f"{name}_{end}") for end in ("start", "stop"))
    for node in _names(site.node, name):
        outer = site.parents[node]
        index, read = (outer, site.parents[outer]) if isinstance(outer, ast.Tuple) else (node, outer)
        match outer:
            case ast.Assign([_], ast.Call(ast.Name("slice"), [*ends], [])) if 0 < len(ends) < 3:
                values = [spell(site, end).at_least(CHOICE) for end in ends if not isinstance(end, ast.Starred)]
                if len(values) < len(ends):
                    return
                edits.append(site.replace(outer, f"{start}, {stop} = {', '.join(['None', *values][-2:])}"))
            case _ if isinstance(read, ast.Subscript) and read.slice is index:
                edits.append(site.replace(node, f"{start}:{stop}"))
            case _:
                return
    is_own = name and not site.function.parameter(name) and "slice" not in site.local_names
    if edits and is_own:
        yield site.mend(node, f"split the slice `{name}` into its ends", edits)


def _renamed(site: FunctionContext) -> Iterator[Mend]:
    name, body, inner = site.fact(REASSIGNED), site.node.body, (ast.JoinedStr, ast.FunctionDef, ast.Lambda)
    for index, choice in enumerate(body):
        if not isinstance(choice, ast.If) or not stores(choice, name):
            continue
        renamed: list[ast.Name] = []
        is_hidden = any(_names(n, name) for part in body for n in ast.walk(part) if isinstance(n, inner))
        if _follow(body[index:], name, renamed) and not is_hidden:
            new = site.local_name(name)
            edits = [site.replace(node, new) for node in renamed]
            yield site.mend(choice, f"rename `{name}` to `{new}` from this `if` on", edits)
        return


def _follow(block: Sequence[ast.stmt], name: str, renamed: list[ast.Name]) -> bool | None:
    """Whether a block gives the name a new value in any case, or leaves the function; None if that is not clear."""
    is_new = False
    for statement in block:
        if is_new:
            renamed += _names(statement, name)
        elif isinstance(statement, ast.If) and stores(statement, name):
            arms = [_follow(arm, name, renamed) for arm in (statement.body, statement.orelse)]
            if arms != [True, True]:
                return None
            is_new = True
        elif stores(statement, name):
            if not isinstance(statement, ast.Assign) or stores(statement.value, name):
                return None
            renamed += stores(statement, name)
            is_new = True
    return is_new or (bool(block) and isinstance(block[-1], LEAVING))


def _names(node: ast.AST, name: str) -> list[ast.Name]:
    return [*loads(node, name), *stores(node, name)]


def is_asked_for(failure: Failure) -> bool:
    """Whether a message is about a declaration, or a use of a container: names it, or the element that is added."""
    return IS_OF_NAMES(failure) or any(word in failure.message for word in ("List[", "Dict[", "argument 'el'"))


RULE = MendRule("split_names", MendKind.EXACT, is_asked_for, find)
