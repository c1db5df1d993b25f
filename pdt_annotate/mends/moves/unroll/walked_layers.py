"""A loop over layers that the compiler cannot unroll becomes a loop that it can unroll, or a loop over indices.

The compiler unrolls only loops over complete lists of layers, from start to end, without other lists and without
`break` or `continue`. The new loop iterates over the layers alone, and reads items of other lists by their index. If
that is not possible, it iterates over indices, and the rule `chosen_layers` then changes the calls of the layers. A
loop over the items of a plain dict of layers becomes a loop over its keys. Code after `if …: continue` becomes a
branch. A variable that a function sets to a list of layers is the list itself in the scripted model.

Message: `Can not iterate over a module list or tuple with a value that does not have a statically determinable length`,
    `we do not support break or continue inside the body of these loops`, `has no attribute or method '__call__'`,
    `reversed(Tensor 0) -> Tensor`, `tuple slice indices must be integer constants`, `module cannot be used as a tuple`,
    `Module` … `has no attribute` (for `'_modules'`, or a plain list or dict), `Expected integer literal for index`,
    `found type '__torch__.`, `object has no attribute or method`, for a method of a layer. In a loop over a slice, the
    compiler knows only the methods that it has compiled before. Also if the scripted model returns other results than
    Python: the compiler skips None in a list of layers.
Kind:
    - Exact, except in the following cases.
    - Frozen for `_modules` of a module that is not a list: an assertion checks that `children()` returns all of them.
    - Frozen if an assertion checks the length of another list, of a plain list of layers, or of a list of layers in a
      loop such as `for i in range(self.depth)`.
    - Frozen for a list of layers with nothing but None, which an assertion checks.
    - Scripted for a variable that a call or a conditional expression sets to a list of layers.
Needs:
    - The loop iterates over lists of layers, or over a plain list of `self` that always holds the same attributes.
    - Each layer is only called, or one of its methods, unless the loop iterates over the complete list or the compiler
      does not read the call.
    - The loop does not change the other lists and tensors over which it iterates. The ends of slices are literals, or
      the only end is an int. The length of a `range` is the length of the lists.
    - A variable over which a loop iterates gets its value in the statement before.
    - A variable that is set to a list of layers always had one like `self.layers`. Its value reads no other, and calls
      nothing of torch, such as `nn.ModuleList`.
    - A value that is unpacked is a list of layers, or an item of a list of lists of layers. An example entered the
      function.
Before:
    for layer, y in zip(self.layers, ys):
        x = layer(x) + y
    for layer, y in zip(self.layers[1:], ys):
        x = layer(x) + y
    for n in range(len(self.convs)):
        x = self.convs[n](x) * n
    for attention, feed in self.blocks:
        x = feed(attention(x))
    zs = [self.heads[n](x) for n in range(len(self.heads))]
After:
    for i, layer in enumerate(self.layers):
        if i < len(ys):
            y = ys[i]
            x = layer(x) + y
    for i in range(min(len(self.layers) - 1, len(ys))):
        y = ys[i]
        x = self.layers[i + 1](x) + y
    for n, conv in enumerate(self.convs):
        x = conv(x) * n
    for block in self.blocks:
        attention = block[0]
        feed = block[1]
        x = feed(attention(x))
    zs = [head(x) for head in self.heads]
"""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pdt_annotate.findings.messages.said import (
    NO_ATTRIBUTE,
    NO_BREAK,
    NO_CALL,
    NO_LENGTH,
    NO_LITERAL_INDEX,
    NO_LITERAL_SLICE,
    NO_METHOD_OF_LAYER,
    NO_MODULES,
    PASSED_MODULE,
    REVERSED,
    UNPACKED_MODULE,
)
from pdt_annotate.mends.kit.blocks import (
    COMPREHENSIONS,
    IS_SCRIPTING,
    bound_in,
    can_be_indented,
    code_of,
    indent,
    is_left_out,
    nested,
    rest_of_block,
    settled_before,
    statement_of_first,
    statements,
)
from pdt_annotate.mends.kit.branches import without_continue
from pdt_annotate.mends.kit.construction import (
    KEYED,
    PARAMETERS,
    is_call,
    is_list,
    is_list_of_lists,
    is_set_later,
    layers_in,
    length_of,
    name_of_one,
)
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import Settled
from pdt_annotate.mends.kit.spelled import Expression, is_plain, loads, only_assignment, put_in, stores, strength
from pdt_annotate.mends.moves.unroll.sources import Item, Loop, changes, columns, ends_early, loops, other_list, walk_of
from pdt_annotate.source.syntax import is_name, nodes_in, numbered
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held, Mend, MendKind

ITERATED = {"torch.nn.Sequential", "torch.nn.ModuleList"}
GETATTR = "getattr("
COUNTING = ("enumerate", "len", "min", "range")
LOOPING = (ast.For, *COMPREHENSIONS)
MEMBERS = (ast.Attribute, ast.Subscript)
Given = list[tuple[ast.expr, Item]]  # targets, each with the item that it gets in each round


@dataclass
class LoopedLayers:
    """The lists of layers of a loop."""

    lists: list[tuple[str, str]]  # each list, with the target for its layers
    index: str = ""  # its name, if the loop needs one
    given: Given = field(default_factory=list)  # the other targets
    edits: list[Edit] = field(default_factory=list)  # further edits in the code of a round
    checks: list[str] = field(default_factory=list)  # assertions about lengths
    guard: str = ""  # a test for each round, in place of assertions
    nothing: list[str] = field(default_factory=list)  # the lists with nothing but None


def find(site: FunctionContext) -> Iterator[Mend]:
    if not site.known_names.isdisjoint(COUNTING):
        return
    # Without a message about layers, only None that the compiler skips may be the cause.
    sources = (source for loop in loops(site) for _, source in columns(loop.target, loop.iterated))
    if site.failure and not SAID(site.failure) and not any(_has_no_layer(_held(site, source)) for source in sources):
        return
    taken = list[tuple[ast.AST, str]]()  # the loops, each with a name that it gives to layers
    for loop in sorted(loops(site), key=lambda loop: loop.first is None):
        yield from _modules(site, loop.iterated)
        yield from _displays(site, loop.iterated)
        yield from _keyed(site, loop)
        # A loop inside of another one needs another name, and the compiler lets no later comprehension use one of them.
        around = set(site.around(loop.node))
        leaves, others = ends_early(site, loop.node), {name for n, name in taken if n in around or not loop.first}
        read = _by_index if is_call(loop.iterated, "range") else _by_item
        if not leaves and (layers := read(site, loop, others)):
            taken += ((loop.node, name) for _, name in layers.lists)
            yield from _over_layers(site, loop, layers)  # where it is frozen, the next one is exact
        are_layers = any(is_list(_held(site, source)) for _, source in columns(loop.target, loop.iterated))
        if edits := without_continue(site, loop.node) if leaves and are_layers else []:
            yield site.mend(loop.target, "write the code after `continue` as a branch", edits)
        else:
            yield from _over_indices(site, loop, leaves=leaves)
    yield from _unpacked(site)
    yield from _named(site)
    yield from _kept(site)


def _by_index(site: FunctionContext, loop: Loop, taken: set[str]) -> LoopedLayers | None:
    """The lists whose layers a loop reads by their index."""
    target, bounds = loop.target, loop.iterated.args if isinstance(loop.iterated, ast.Call) else []
    is_from_start = len(bounds) == 1 or (len(bounds) == 2 and ast.unparse(bounds[0]) == "0")
    if not isinstance(target, ast.Name) or not is_from_start:
        return None
    index, bound = target.id, bounds[-1]
    uses = [n for n in loop.inside if isinstance(n, ast.Subscript) and is_name(n.slice, index)]
    uses = [use for use in uses if is_list(_without_none(site.held(site.self_attribute(use.value))))]
    members = [n for use in uses for n in itertools.takewhile(lambda n: isinstance(n, MEMBERS), site.around(use))]
    if any(isinstance(n, ast.Subscript) and not isinstance(n.slice, ast.Constant) for n in members):
        return None  # the compiler cannot index a list in the layer either, so `chosen_layers` calls both
    lists = dict.fromkeys(site.self_attribute(use.value) for use in uses)
    stored = [n for n in loop.inside if not isinstance(getattr(n, "ctx", ast.Load()), ast.Load)]
    binds = any(is_name(n, index) or n in uses or site.self_attribute(n) in lists for n in stored)
    grows = any(isinstance(n, ast.Attribute) and site.self_attribute(n.value) in lists for n in loop.inside)
    lengths = {length_of(site, name) for name in lists}
    varies = None in lengths and _is_own_length(site, bound)  # from module to module, so each has an assertion
    if not uses or binds or grows or not (varies or lengths == {_length(site, bound)} != {None}):
        return None
    # `conv = self.convs[i]` names the layer, and goes.
    naming = {site.self_attribute(use.value): use for use in reversed(uses) if _local_of(site, loop, use)}
    names = {attribute: _local_of(site, loop, use) for attribute, use in naming.items()}
    for attribute in lists:
        names.setdefault(attribute, name_of_one(site, attribute, {*taken, *names.values()}))
    edits = [site.replace(use, names[site.self_attribute(use.value)]) for use in uses if use not in naming.values()]
    # Code may use the index for more than taking layers: in a comprehension, or in or after a loop statement.
    where = ast.walk(site.node) if loop.first else loop.inside
    others = {target, *(use.slice for use in uses)}
    is_read = any(is_name(n, index) and n not in others for n in where)
    own = site.function.receiver
    return LoopedLayers(
        [(f"{own}.{attribute}", names[attribute]) for attribute in lists],
        index if is_read else "",
        edits=edits + [site.remove(site.statement(use)[0]) for use in naming.values()],
        checks=[
            f"assert len({own}.{each}) == {site.source(bound)}"
            for each in lists
            if (varies or not is_call(bound, "len")) and site.source(bound) != f"len({own}.{each})"
        ],
    )


def _without_none(held: Held) -> Held:
    return replace(held, values=tuple(value for value in held.values if value.type != NOTHING))


def _is_own_length(site: FunctionContext, bound: ast.expr) -> bool:
    """Whether each module has a number of rounds of its own: `self.n`, or `len(self.layers)`."""
    match bound:
        case ast.Call(ast.Name("len"), [each]):
            return is_list(site.held(site.self_attribute(each)))
    attribute = site.self_attribute(bound)
    return bool(attribute) and site.is_always(bound, "int") and not is_set_later(site, attribute)


def _local_of(site: FunctionContext, loop: Loop, use: ast.Subscript) -> str:
    """The local that gets a layer in each round of a loop statement, and that nothing else binds; "" if none does."""
    body = loop.node.body if isinstance(loop.node, ast.For) else []
    match site.parents[use]:
        case ast.Assign([ast.Name(name)]) as assign if assign in body[:-1] and only_assignment(site, name) is assign:
            is_read_before = any(loads(each, name) for each in body[: body.index(assign)])
            return "" if is_read_before else name
    return ""


def _length(site: FunctionContext, bound: ast.expr) -> int | None:
    """The number of rounds, if it is the same in all modules."""
    match bound:
        case ast.Call(ast.Name("len"), [each]) if (known := length_of(site, site.self_attribute(each))) is not None:
            return known
        case ast.Constant(int(value)):
            return value
    if attribute := site.self_attribute(bound):
        literal = "" if is_set_later(site, attribute) else site.held(attribute).literal
    else:
        literals = {value.literal for value in site.values(bound)} if Settled(site).holds(bound) else set()
        literal = literals.pop() if len(literals) == 1 else ""
    return int(literal) if literal.isdecimal() else None


def _by_item(site: FunctionContext, loop: Loop, taken: set[str]) -> LoopedLayers | None:
    """The whole lists of layers of a loop that also unpacks layers, or runs over other lists.

    A guard stops at the end of a shorter list. If code cannot have one, the other lists were always as long.
    """
    index, pairs = _index(site, loop), columns(loop.target, loop.iterated)
    found = LoopedLayers([], index if is_call(loop.iterated, "enumerate") else "")
    held = [_held(site, source) for _, source in pairs]
    empty = [isinstance(loop.node, ast.For) and _has_no_layer(each) for each in held]
    filled = [each for each, is_empty in zip(held, empty, strict=True) if is_list(each) and not is_empty]
    most = max((value.length for each in filled for value in each.values), default=-1)
    others, can_be_guarded = list[str](), _can_be_guarded(site, loop)
    for (each, source), layers, is_empty in zip(pairs, held, empty, strict=True):
        other = other_list(site, source)
        if is_empty:
            found.given.append((each, Item("None")))
            found.nothing.append(site.source(source))
        elif is_list(layers) or {value.type for value in layers.values} == {PARAMETERS}:
            name, text = site.source(each), site.source(source)
            if isinstance(each, ast.Tuple) and is_list_of_lists(layers) and _is_of_names(each) and site.is_entered():
                name = name_of_one(site, site.self_attribute(source) or text, taken)
                found.given += _items(site, each, name)
            found.lists.append((text, name))
        elif other is None or most < 0 or changes(loop.inside, other, index) or _start(site, loop):
            return None
        elif can_be_guarded or min((value.length for value in site.values(source)), default=-1) >= most:
            found.given.append((each, other.at(index)))
            others.append(other.length)
            found.index = index
        else:
            return None
    joined = ", ".join(others)
    layered = [site.source(source) for (_, source), layers in zip(pairs, held, strict=True) if layers in filled]
    if others and can_be_guarded:
        found.guard = f"if {index} < {f'min({joined})' if len(others) > 1 else joined}:"
    else:
        found.checks += (f"assert {length} >= len({layered[0]})" for length in others)
    nothing = [f"assert list({each}) == [None] * len({text})" for each in found.nothing for text, _ in found.lists[:1]]
    found.checks += [nested("\n".join(nothing), f"if not {site.spell(IS_SCRIPTING)}():")] if nothing else []
    return found if found.lists and found.given else None


def _has_no_layer(held: Held) -> bool:
    """Whether a list of layers has nothing but None, which the compiler skips."""
    return is_list(held) and {item for value in held.values for item in value.items} == {NOTHING}


def _held(site: FunctionContext, source: ast.expr) -> Held:
    """The values of a list, which is an attribute, or a local variable of a function that examples entered."""
    return Held(site.values(source)) if isinstance(source, ast.Name) else site.held(site.self_attribute(source))


def _over_layers(site: FunctionContext, loop: Loop, layers: LoopedLayers) -> Iterator[Mend]:
    """`for i, layer in enumerate(self.layers): y = ys[i]`."""
    lists, names = (", ".join(column) for column in zip(*layers.lists, strict=True))
    over, target = (f"zip({lists})", f"({names})") if len(layers.lists) > 1 else (lists, names)
    over = f"enumerate({', '.join([over, *_start(site, loop)])})" if layers.index else over
    target = f"{layers.index}, {target}" if layers.index else names
    statement = loop.node if isinstance(loop.node, ast.stmt) else statement_of_first(site, loop.node)
    given = _given(site, loop, layers.given, layers.guard)
    if given is None or (layers.checks and statement is None):
        return
    edits = [site.replace(loop.target, target), site.replace(loop.iterated, over), *layers.edits, *given]
    if layers.checks and statement is not None:
        edits.append(site.insert_before(statement, "\n".join(layers.checks)))
    summary = f"loop over the layers of `{lists}`{' and index the other values' if layers.given else ''}"
    yield site.mend(loop.target, summary, edits, frozen=bool(layers.checks))


def _can_be_guarded(site: FunctionContext, loop: Loop) -> bool:
    """Whether the code of a round may move into an `if`: the compiler lets no later code read a name that it binds."""
    if not isinstance(loop.node, ast.For) or not all(can_be_indented(site, each) for each in loop.node.body):
        return False
    # The loop itself still sets the index and the layers, in all rounds.
    pairs = columns(loop.target, loop.iterated)
    items = [target for target, source in pairs if not is_list(_held(site, source))]
    bound = bound_in(ast.walk(loop.target)) - bound_in(part for each in items for part in ast.walk(each))
    bound |= bound_in([*ast.walk(loop.target), *loop.inside]) - settled_before(site, loop.node)
    return not any(_is_read_outside(site, loop, name) for name in bound)


def _start(site: FunctionContext, loop: Loop) -> list[str]:
    """The argument of `enumerate` after the list: the first index."""
    call = loop.iterated
    parts = (*call.args[1:], *call.keywords) if isinstance(call, ast.Call) and is_call(call, "enumerate") else ()
    return [site.source(each) for each in parts]


def _over_indices(site: FunctionContext, loop: Loop, *, leaves: bool) -> Iterator[Mend]:
    """`for i in range(len(self.layers) - 1): x = self.layers[i + 1](x)`."""
    walk, index = walk_of(site, loop.iterated), _index(site, loop)
    if walk is None or not walk.has_layers or (walk.whole and not leaves):
        return
    bound = _bound(loop.target, walk.at(index))
    given = _given(site, loop, bound) if bound and not changes(loop.inside, walk, index) else None
    if given is None:
        return
    edits = [site.replace(loop.target, index), site.replace(loop.iterated, f"range({walk.length})"), *given]
    statement = site.statement(loop.target)[0]
    frozen = bool(walk.listed) and site.begins_line(statement)
    if frozen:
        check = f"if not {site.spell(IS_SCRIPTING)}():\n    assert len({walk.listed}) == {walk.length}"
        edits.append(site.insert_before(statement, check))
    summary = f"loop over the indices of `{site.source(loop.iterated)}`"
    yield site.mend(loop.target, summary, edits, frozen=frozen)


def _given(site: FunctionContext, loop: Loop, items: Given, guard: str = "") -> list[Edit] | None:
    """The edits that set targets of a loop in each round, or write their items in their place; None if they cannot.

    With a guard, the code of a round moves into this `if`.
    """
    first, lines, edits = loop.first, list[str](), list[Edit]()
    if first and items and first.lineno == loop.target.lineno:
        return None
    for target, item in items:
        # To the compiler, a name that held a layer in one round cannot be None in the next.
        if first and not item.depth and not item.text.startswith(GETATTR):
            lines += [] if is_name(target, item.text) else [f"{_bare(target)} = {item.text}"]
            continue
        uses = loop.reads(target.id) if isinstance(target, ast.Name) else []
        if not isinstance(target, ast.Name) or not _can_replace(site, loop, target.id, item):
            return None
        new = Expression(item.text, strength(parse_expression(item.text)))
        edits += [put_in(site, use, new) for use in uses if use.id != item.text]
    if guard and isinstance(loop.node, ast.For):
        header = nested("\n".join(lines), guard)
        if site.text.lines[loop.node.body[0].lineno - 1].startswith("\t"):
            header = header.replace("\n    ", "\n\t")
        edits += [site.insert_before(loop.node.body[0], header), *indent(site, *loop.node.body)]
    elif first and lines:
        edits.append(site.insert_before(first, "\n".join(lines)))
    return edits


def _displays(site: FunctionContext, node: ast.expr) -> Iterator[Mend]:
    """`zip((x, y), self.layers)` for `zip([x, y], self.layers)`: the compiler knows the length of the tuple."""
    args = [each for call in ast.walk(node) if is_call(call, "zip") for each in call.args]
    for each in args if any(is_list(site.held(site.self_attribute(arg))) for arg in args) else ():
        if isinstance(each, ast.List) and each.elts and not any(isinstance(part, ast.Starred) for part in each.elts):
            text = site.source(each)[1:-1]
            new = f"({text})" if len(each.elts) > 1 or text.rstrip().endswith(",") else f"({text},)"
            yield site.mend(each, "write the list as a tuple", [site.replace(each, new)])


def _modules(site: FunctionContext, node: ast.expr) -> Iterator[Mend]:
    """`self.layers._modules.values()` as `self.layers`, `self._modules.items()` as `self.named_children()`."""
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(module, "_modules"), "items" | "values" as method), []):
            text, statement = site.source(module), site.statement(node)[0]
        case _:
            return
    bases = site.cls.node.bases if site.cls and text == site.function.receiver else ()
    has_own = site.module.function_named(f"{site.function.in_class}.__iter__") is not None
    is_own = not has_own and not ITERATED.isdisjoint(map(site.meaning, bases))
    if method == "values" and (is_own or is_list(site.held(site.self_attribute(module)))):
        yield site.mend(node, f"loop over `{text}`", [site.replace(node, text)])
    elif is_plain(module) and site.begins_line(statement):
        # `children` leaves out layers that are None, or there twice.
        new = f"{text}.{'named_children' if method == 'items' else 'children'}()"
        check = f"if not {site.spell(IS_SCRIPTING)}():\n    assert len(list({text}.children())) == len({text}._modules)"
        edits = [site.insert_before(statement, check), site.replace(node, new)]
        yield site.mend(node, f"write `{new}` for `{site.source(node)}`", edits, frozen=True)


def _keyed(site: FunctionContext, loop: Loop) -> Iterator[Mend]:
    """`for name in self.layers: x = self.layers[name](x)` for a loop over the items of a plain dict of layers."""
    for target, iterated in columns(loop.target, loop.iterated):
        match iterated, target:
            case ast.Call(ast.Attribute(layers, "items"), []), ast.Tuple([ast.Name(key), ast.Name(layer)]):
                pass
            case ast.Call(ast.Attribute(layers, "values"), []), ast.Name(layer):
                key = site.first_free(numbered("key"))
            case _:
                continue
        item = Item(f"{site.source(layers)}[{key}]")
        is_bound_once = len(stores(loop.node, key)) == isinstance(target, ast.Tuple)
        is_known = is_bound_once and layers_in(site, site.self_attribute(layers), KEYED)
        if is_known and _can_replace(site, loop, layer, item):
            edits = [put_in(site, use, Expression(item.text)) for use in loop.reads(layer)]
            edits += [site.replace(target, key), site.replace(iterated, site.source(layers))]
            yield site.mend(target, f"loop over the keys of `{site.source(layers)}`", edits)


def _index(site: FunctionContext, loop: Loop) -> str:
    """The name of the index: what `enumerate` gives it, or a new one."""
    match loop.iterated, loop.target:
        case ast.Call(ast.Name("enumerate")), ast.Tuple([ast.Name(name), *_]):
            return name
    return site.first_free(itertools.chain("ijk", numbered("index")))


def _bound(target: ast.expr, item: Item) -> Given | None:
    """The targets of a loop, each with its item; None if an item cannot be taken apart."""
    if isinstance(target, (ast.Tuple, ast.List)) and (item.parts or item.depth > 1):
        parts = item.parts or [Item(f"{item.text}[{n}]", item.depth - 1) for n in range(len(target.elts))]
        found = [_bound(*each) for each in zip(target.elts, parts, strict=False)]
        if len(target.elts) != len(parts) or None in found:
            return None
        return [pair for each in found if each is not None for pair in each]
    return None if item.parts or (item.depth and not isinstance(target, ast.Name)) else [(target, item)]


def _bare(target: ast.expr) -> str:
    """A target as a statement has it, without parentheses."""
    text = ast.unparse(target)
    return text[1:-1] if isinstance(target, ast.Tuple) and len(target.elts) > 1 else text


def _can_replace(site: FunctionContext, loop: Loop, name: str, item: Item) -> bool:
    """Whether the item may replace a name in a loop: nothing else binds or reads it; a layer is only called."""
    uses = loop.reads(name)
    is_called = item.depth == 0 or all(_is_callee(site, use, item.depth) or is_left_out(site, use) for use in uses)
    return len(stores(loop.node, name)) == 1 and not _is_read_outside(site, loop, name) and is_called


def _is_read_outside(site: FunctionContext, loop: Loop, name: str) -> bool:
    """Whether code outside a loop statement reads a name of the loop, and no other loop around the code binds it."""
    binding = {n for n in ast.walk(site.node) if isinstance(n, LOOPING) and n is not loop.node and stores(n, name)}
    outside = set(loads(site.node, name)).difference(loop.reads(name)) if loop.first else ()
    return any(binding.isdisjoint(site.around(n)) for n in outside)


def _is_callee(site: FunctionContext, use: ast.expr, depth: int) -> bool:
    parent = site.parents[use]
    if depth > 1 and isinstance(parent, ast.Subscript) and parent.value is use:
        return _is_callee(site, parent, depth - 1)
    if isinstance(parent, ast.Attribute):  # a method of the layer
        use, parent = parent, site.parents[parent]
    return isinstance(parent, ast.Call) and parent.func is use


def _unpacked(site: FunctionContext) -> Iterator[Mend]:
    """`a = block[0]` and `b = block[1]` for `a, b = block`."""
    found = [node for node in ast.walk(site.node) if isinstance(node, ast.Assign) and len(node.targets) == 1]
    for node in found if site.is_entered() else ():
        target, text = node.targets[0], site.source(node.value)
        if not isinstance(target, ast.Tuple) or text in map(ast.unparse, target.elts) or not _is_of_names(target):
            continue
        items = _items(site, target, text)
        if _is_list_here(site, node.value) and not any(GETATTR in item.text for _, item in items):
            lines = [f"{ast.unparse(part)} = {item.text}" for part, item in items]
            summary = f"read `{ast.unparse(target).strip('()')}` from `{text}` by index"
            yield site.mend(target, summary, [site.replace(node, "\n".join(lines))])


def _items(site: FunctionContext, target: ast.Tuple, layers: str) -> Given:
    """The targets, each with its item of a list of layers. The compiler counts only layers that are not None."""
    may_be_none = [any(value.type == NOTHING for value in site.values(part)) for part in target.elts]
    start, end = (f'{GETATTR}{layers}, "', '")') if any(may_be_none) else (f"{layers}[", "]")
    items = [(part, f"{start}{number}{end}") for number, part in enumerate(target.elts)]
    nested = (_items(site, part, text) if isinstance(part, ast.Tuple) else [(part, Item(text))] for part, text in items)
    return list(itertools.chain(*nested))


def _named(site: FunctionContext) -> Iterator[Mend]:
    """`for y in zip(ys, self.layers)` in place of a loop over a local that the statement before it sets."""
    for loop in ast.walk(site.node):
        match loop:
            case ast.For(iter=ast.Name(name) as iterated) if setting := only_assignment(site, name):
                is_alone = loads(site.node, name) == [iterated] and rest_of_block(site, setting)[:1] == [loop]
                is_iterator = any(is_call(setting.value, each) for each in ("zip", "reversed"))
                if is_alone and is_iterator and site.is_failing(setting):
                    edits = [site.remove(setting), site.replace(iterated, site.source(setting.value))]
                    yield site.mend(loop, f"write the value of `{name}` in the loop", edits)


def _kept(site: FunctionContext) -> Iterator[Mend]:
    """`layers = self.layers`, in the scripted model, for `layers = drop(self.layers, self.rate)`."""
    for setting in statements(site.node.body):
        match setting:
            case ast.Assign([ast.Name(name)], (ast.Call() | ast.IfExp()) as value):
                read = {part for node in ast.walk(value) if is_list(site.held(part := site.self_attribute(node)))}
            case _:
                continue
        values, called = site.values(value), [site.meaning(call.func) for call in nodes_in(value, ast.Call)]
        is_same = len(read) == 1 and values and set(values) <= set(site.held(*read).values)
        is_new = any(each.startswith("torch.") for each in called)
        if is_same and not is_new and can_be_indented(site, setting) and site.begins_line(setting):
            layers = f"{site.function.receiver}.{read.pop()}"
            before = nested(f"{name} = {layers}", f"if {site.spell(IS_SCRIPTING)}():")
            new = f"{before}\n{nested(code_of(site, [setting]) or '', 'else:')}"
            left_out = f"other layers than `{layers}` in `{name}` of `{site.function.owner.qualname}`"
            yield site.mend(value, f"let `{name}` be `{layers}`", [site.replace(setting, new)], left_out=left_out)


def _is_of_names(target: ast.Tuple) -> bool:
    """Whether a target, and each tuple in it, has only names."""
    parts = (_is_of_names(part) if isinstance(part, ast.Tuple) else isinstance(part, ast.Name) for part in target.elts)
    return bool(target.elts) and all(parts)


def _is_list_here(site: FunctionContext, value: ast.expr) -> bool:
    """Whether a value is a list of layers: an attribute, or an item that a loop takes from a list of lists."""
    if attribute := site.self_attribute(value):
        return is_list(site.held(attribute))
    name = value.id if isinstance(value, ast.Name) else ""
    pairs = [pair for loop in loops(site) for pair in columns(loop.target, loop.iterated)]
    held = [site.held(site.self_attribute(iterated)) for target, iterated in pairs if is_name(target, name)]
    return bool(held) and len(stores(site.node, name)) == len(held) and all(map(is_list_of_lists, held))


SAID = quoted(
    *(NO_ATTRIBUTE, NO_LENGTH, NO_BREAK, NO_CALL, NO_MODULES, REVERSED, NO_LITERAL_SLICE, UNPACKED_MODULE),
    *(NO_LITERAL_INDEX, NO_METHOD_OF_LAYER, PASSED_MODULE),
)
RULE = MendRule("walked_layers", MendKind.EXACT, lambda failure: SAID(failure) or bool(failure.call), find)
