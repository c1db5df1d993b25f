"""A variable with several types becomes several variables, and a joint assignment becomes one statement per variable.

If every branch of an `if` assigns a value of another type to a variable, these assignments and the code after them use
a new name. A declaration without a value is removed. The result of `tolist()` is assigned to a new variable, which can
be annotated. A slice that branches assign becomes two variables. A tuple of slices becomes a tuple of pairs.

Message:
    - Any message about a use of a list or dict. Without an annotation, the compiler assumes that a list holds Tensors
      and that the keys of a dict are strings.
    - `annotated assignments without assigned value aren't supported`, `Variable … previously had type`,
      `is annotated with type`, `Expected type hint for result of tolist()`, `undefined value` of a slice,
      `slice value cannot be used as a value`.
Kind: Exact. Scripted if a new `else`, which no example takes, raises an error in the scripted model.
Needs:
    - A joint assignment such as `a, b = [], 0` is split if its targets are different plain names, each target has a
      value of its own, no value reads one of the names, and at least one value is an empty list or dict.
    - A declaration such as `size: int` is removed if the function assigns the variable elsewhere.
    - The `if` that changes the type of a variable is at the top level of the function, or in a block outside of loops
      that alone uses the variable from there on. Each of its branches either assigns the variable in a plain assignment
      or ends with `return` or `raise`. If there is no `else`, its test was true in all calls. No lambda, inner
      function or assigned generator uses the variable, and no f-string after the start of the `if`.
    - `tolist()` is called on a tensor, and no other call or operation comes before it in the same statement.
    - A variable that is only assigned slices of one or two arguments is split if it is used only as an index. A tuple
      of such slices is only looped over, and the variable of each loop is used only as an index.
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

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import BARE_DECLARATION, REASSIGNED, SLICE_VALUE, TOLIST, UNDEFINED
from pdt_annotate.mends.kit.blocks import (
    LOOPS,
    add_else,
    blocks,
    ends_line,
    never_scripted,
    settled_before,
    statement_of_first,
    statements,
)
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.deciding import decided, is_untaken
from pdt_annotate.mends.kit.spelled import CHOICE, loads, only_assignment, spell, stores, targets
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import is_call_of, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

LEAVING = (ast.Return, ast.Raise)
IS_OF_NAMES = said(BARE_DECLARATION, REASSIGNED, SLICE_VALUE, TOLIST, UNDEFINED)
EMPTY = ("[]", "{}", "list()", "dict()")


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _split(site)
    yield from _renamed(site)
    yield from _listed(site)
    yield from _sliced(site)
    yield from _pairs(site)


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
        named = targets(around) if isinstance(around, (ast.Assign, ast.AnnAssign)) and around.value is call else []
        if named and all(isinstance(each, ast.Name) and len(stores(site.node, each.id)) == 1 for each in named):
            continue  # an annotation of its only assignment is enough
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
        match outer := site.parents[node]:
            case ast.Assign([_], value) if ends := _ends(site, value):
                edits.append(site.replace(outer, f"{start}, {stop} = {', '.join(ends)}"))
            case _ if _is_index(site, node):
                edits.append(site.replace(node, f"{start}:{stop}"))
            case _:
                return
    if edits and name and not site.function.parameter(name):
        yield site.mend(node, f"split the slice `{name}` into its ends", edits)


def _pairs(site: FunctionContext) -> Iterator[Mend]:
    """`parts = ((0, n), (n, None))` for a tuple of slices, and `x[part_start:part_stop]` in loops over it."""
    taken: list[str] = []
    declared = {name for n in ast.walk(site.node) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
    for assign in statements(site.node.body):
        match assign:
            case ast.Assign([ast.Name(name)], ast.Tuple([ast.Call(), *_] as slices)) if only_assignment(site, name):
                ends = [_ends(site, each) for each in slices]
                loops = [_over_pairs(site, site.parents[use], declared, taken) for use in loads(site.node, name)]
                if all(ends) and all(loops) and name not in declared:
                    pairs = zip(slices, ends, strict=True)
                    edits = [site.replace(each, f"({', '.join(pair)})") for each, pair in pairs]
                    edits += (edit for loop in loops for edit in loop)
                    yield site.mend(assign, f"write the slices of `{name}` as pairs of their ends", edits)


def _over_pairs(site: FunctionContext, loop: ast.AST, declared: set[str], taken: list[str]) -> list[Edit]:
    """The edits of a loop over slices, which are pairs now; none if it uses a slice as anything but an index."""
    match loop:
        case ast.For(ast.Name(name) as target):
            outermost = [loop, *(each for each in site.around(loop) if isinstance(each, LOOPS))][-1]
            again, inside = set(ast.walk(outermost)), set(ast.walk(loop))
            named = [node for node in _names(site.node, name) if node is not target]
            used = [node for node in named if node in inside]
            is_seen_elsewhere = any(node in again or node.lineno > loop.lineno for node in named if node not in inside)
            inner = (n for n in ast.walk(site.node) if isinstance(n, (ast.Lambda, Scope)) and n is not site.node)
            is_seen_elsewhere |= name in declared or any(name in names_in(each) for each in inner)
            if not is_seen_elsewhere and all(_is_index(site, each) for each in used):
                start, stop = (site.local_name(f"{name}_{end}", taken) for end in ("start", "stop"))
                taken += (start, stop)
                indices = [site.replace(each, f"{start}:{stop}") for each in used]
                return [site.replace(target, f"{start}, {stop}"), *indices]
    return []


def _ends(site: FunctionContext, node: ast.expr) -> list[str]:
    """The start and the stop of a slice, as they are written; nothing for another expression."""
    match node:
        case ast.Call(ast.Name("slice"), [*ends], []) if 0 < len(ends) < 3 and "slice" not in site.known_names:
            is_plain = not any(isinstance(end, ast.Starred) for end in ends)
            return ["None", *(spell(site, end).at_least(CHOICE) for end in ends)][-2:] if is_plain else []
    return []


def _is_index(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is read as an index, or among indices, without parentheses."""
    outer = site.parents[node]
    index, read = (outer, site.parents[outer]) if isinstance(outer, ast.Tuple) else (node, outer)
    before = site.text.body[: site.span(node)[0]].rstrip()
    is_bare = not before.endswith(b"(") and not site.source(index).startswith("(")
    is_read = isinstance(getattr(node, "ctx", None), ast.Load)
    return is_read and is_bare and isinstance(read, ast.Subscript) and read.slice is index


def _renamed(site: FunctionContext) -> Iterator[Mend]:
    name, body = site.fact(REASSIGNED), site.node.body
    nodes = [node for part in body for node in ast.walk(part)]
    late: list[ast.AST] = [each for each in nodes if isinstance(each, (ast.FunctionDef, ast.Lambda))]
    values = (each.value for each in nodes if isinstance(each, ast.Assign))
    late += [each for each in values if isinstance(each, ast.GeneratorExp)]
    if any(_names(each, name) for each in late):
        return
    settings = [(block, each) for block in blocks(site.node) for each in block if stores(each, name)]
    choices = [(block, each) for block, each in settings if isinstance(each, ast.If)]
    for block, choice in sorted(choices, key=lambda pair: not site.fails_in(pair[1])):
        rest, renamed, lacking = block[block.index(choice) :], list[ast.Name](), list[ast.If]()
        is_hidden = any(_names(n, name) for part in rest for n in ast.walk(part) if isinstance(n, ast.JoinedStr))
        if is_hidden or not _is_last_use(site, name, block, choice):
            continue
        # Another name for all uses of a variable splits nothing.
        is_followed = _follow(rest, name, renamed, lacking)
        is_whole = not site.function.parameter(name) and len(renamed) == len(_names(site.node, name))
        if is_followed and not is_whole:
            new = site.local_name(name)
            edits = [site.replace(node, new) for node in renamed]
            lines = never_scripted(site), f"{new} = {name}"
            edits += (edit for each in lacking for edit in add_else(site, each, *lines))
            open_ = [each.test for each in lacking if decided(site, each.test) is not True]
            cases = dict.fromkeys(f"the case that `{site.on_one_line(each)}` is false" for each in open_)
            left_out, ends = " and ".join(cases), [each.body[-1] for each in lacking]
            is_set = all(name in settled_before(site, each) for each in lacking)
            can_add = is_set and all(site.begins_line(each) and ends_line(site, each) for each in ends)
            if can_add and all(is_untaken(site, each, truth=False) for each in open_):
                yield site.mend(choice, f"rename `{name}` to `{new}` from this `if` on", edits, left_out=left_out)
                return


def _is_last_use(site: FunctionContext, name: str, block: Sequence[ast.stmt], choice: ast.stmt) -> bool:
    """Whether only the block around a statement uses a name from this statement on."""
    is_again = any(isinstance(outer, LOOPS) for outer in site.around(choice))
    known = {node for each in block for node in ast.walk(each)}
    later = (node for node in _names(site.node, name) if node.lineno >= choice.lineno and node not in known)
    return block is site.node.body or not (is_again or any(later))


def _follow(block: Sequence[ast.stmt], name: str, renamed: list[ast.Name], lacking: list[ast.If]) -> bool | None:
    """Whether a block gives the name a new value in any case, or leaves the function; None if that is not clear.

    Adds to `lacking` each `if` that would need an `else` for this.
    """
    is_new = False
    for statement in block:
        if is_new:
            renamed += _names(statement, name)
        elif isinstance(statement, ast.If) and stores(statement, name):
            arms = [_follow(arm, name, renamed, lacking) for arm in (statement.body, statement.orelse)]
            if arms[0] is not True or (statement.orelse and arms[1] is not True):
                return None
            lacking += [statement] * (not statement.orelse)
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
