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
      loop such as `for i in range(self.depth)`. Exact if the loop reads the list by its index in each round, because
      it raises an error, too, if the list is too short.
    - Frozen for a list of layers with nothing but None, which an assertion checks.
    - Scripted for a variable that a call or a conditional expression sets to a list of layers.
Needs:
    - The loop iterates over lists of layers, or over a plain list of `self` that always holds the same attributes.
    - Each layer is only called, or one of its methods, unless the loop iterates over the complete list or the compiler
      does not read the call.
    - The loop does not change the other lists and tensors over which it iterates. The ends of slices are literals, or
      the only end is an int. A `range` starts at a literal, and the lists are at least as long as its end. If it leaves
      layers out, so does an `if`, and no later code reads a name that only the loop sets.
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
    for n in range(1, len(self.convs)):
        x = self.convs[n](x) * n
    for n, inner in enumerate(self.layers):
        x = self.norms[n](inner(x))
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
        if n >= 1:
            x = conv(x) * n
    assert len(self.norms) >= len(self.layers)
    for inner, norm in zip(self.layers, self.norms):
        x = norm(inner(x))
    for block in self.blocks:
        attention = block[0]
        feed = block[1]
        x = feed(attention(x))
    zs = [head(x) for head in self.heads]
"""

import ast
from collections.abc import Iterator, Sequence

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
    can_be_indented,
    code_of,
    if_python,
    if_scripted,
    indent,
    is_left_out,
    nested,
    rest_of_block,
    round_ends,
    statement_of_first,
    statements,
)
from pdt_annotate.mends.kit.branches import without_continue
from pdt_annotate.mends.kit.construction import KEYED, is_call, is_list, is_list_of_lists, layers_in
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import Expression, expression, is_plain, loads, only_assignment, put_in, stores
from pdt_annotate.mends.moves.unroll.looped_layers import (
    GETATTR,
    Given,
    LoopedLayers,
    by_index,
    by_item,
    has_no_layer,
    held_by,
    index_of,
    is_of_names,
    is_read_outside,
    items_of,
    start,
)
from pdt_annotate.mends.moves.unroll.sources import Item, Loop, changes, columns, loops, walk_of
from pdt_annotate.source.syntax import is_name, nodes_in, numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

ITERATED = {"torch.nn.Sequential", "torch.nn.ModuleList"}
COUNTING = ("enumerate", "len", "min", "range")


def find(site: FunctionContext) -> Iterator[Mend]:
    if not site.known_names.isdisjoint(COUNTING):
        return
    # Without a message about layers, only None that the compiler skips may be the cause.
    sources = (source for loop in loops(site) for _, source in columns(loop.target, loop.iterated))
    if site.failure and not SAID(site.failure) and not any(has_no_layer(held_by(site, source)) for source in sources):
        return
    taken = list[tuple[ast.AST, str]]()  # the loops, each with a name that it gives to layers
    for loop in sorted(loops(site), key=lambda loop: loop.first is None):
        yield from _modules(site, loop.iterated)
        yield from _displays(site, loop.iterated)
        yield from _keyed(site, loop)
        # A loop inside of another one needs another name, and the compiler lets no later comprehension use one of them.
        around = set(site.around(loop.node))
        leaves = bool(round_ends(site, loop.node, ast.Break, ast.Continue))
        others = {name for n, name in taken if n in around or not loop.first}
        layers = None if leaves else by_index(site, loop, others)
        if not (leaves or layers or is_call(loop.iterated, "range")):
            layers = by_item(site, loop, others)
        if layers:
            taken += ((loop.node, name) for _, name in layers.lists)
            yield from _over_layers(site, loop, layers)  # where it is frozen, the next one is exact
        are_layers = any(is_list(held_by(site, source)) for _, source in columns(loop.target, loop.iterated))
        if edits := without_continue(site, loop.node) if leaves and are_layers else []:
            yield site.mend(loop.target, "write the code after `continue` as a branch", edits)
        else:
            yield from _over_indices(site, loop, leaves=leaves)
    yield from _unpacked(site)
    yield from _named(site)
    yield from _kept(site)


def _over_layers(site: FunctionContext, loop: Loop, layers: LoopedLayers) -> Iterator[Mend]:
    """`for i, layer in enumerate(self.layers): y = ys[i]`."""
    lists, names = (", ".join(column) for column in zip(*layers.lists, strict=True))
    over, target = (f"zip({lists})", f"({names})") if len(layers.lists) > 1 else (lists, names)
    over = f"enumerate({', '.join([over, *start(site, loop)])})" if layers.index else over
    target = f"{layers.index}, {target}" if layers.index else names
    statement = loop.node if isinstance(loop.node, ast.stmt) else statement_of_first(site, loop.node)
    given = _given(site, loop, layers.given, layers.guard, layers.gone)
    if given is None or (layers.checks and statement is None):
        return
    edits = [site.replace(loop.target, target), site.replace(loop.iterated, over), *layers.edits, *given]
    edits += map(site.remove, layers.gone)
    if layers.checks and statement is not None:
        edits.append(site.insert_before(statement, "\n".join(layers.checks)))
    summary = f"loop over the layers of `{lists}`{' and index the other values' if layers.given else ''}"
    yield site.mend(loop.target, summary, edits, frozen=bool(layers.checks) and not layers.raises)


def _over_indices(site: FunctionContext, loop: Loop, *, leaves: bool) -> Iterator[Mend]:
    """`for i in range(len(self.layers) - 1): x = self.layers[i + 1](x)`."""
    walk, index = walk_of(site, loop.iterated), index_of(site, loop)
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
        check = f"assert len({walk.listed}) == {walk.length}"
        edits.append(site.insert_before(statement, if_python(site, check)))
    summary = f"loop over the indices of `{site.source(loop.iterated)}`"
    yield site.mend(loop.target, summary, edits, frozen=frozen)


def _given(
    site: FunctionContext, loop: Loop, items: Given, guard: str = "", gone: Sequence[ast.stmt] = ()
) -> list[Edit] | None:
    """The edits that set targets of a loop in each round, or write their items in their place; None if they cannot.

    With a guard, the code of a round moves into this `if`, without the statements that are gone.
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
        edits += [put_in(site, use, expression(item.text)) for use in uses if use.id != item.text]
    if guard and isinstance(loop.node, ast.For):
        header, body = nested("\n".join(lines), guard), [each for each in loop.node.body if each not in gone]
        if site.text.lines[body[0].lineno - 1].startswith("\t"):
            header = header.replace("\n    ", "\n\t")
        edits += [site.insert_before(body[0], header.rstrip()), *indent(site, *body)]
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
        check = if_python(site, f"assert len(list({text}.children())) == len({text}._modules)")
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
    return len(stores(loop.node, name)) == 1 and not is_read_outside(site, loop, name) and is_called


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
        if not isinstance(target, ast.Tuple) or text in map(ast.unparse, target.elts) or not is_of_names(target):
            continue
        items = items_of(site, target, text)
        if _is_list_here(site, node.value) and not any(GETATTR in item.text for _, item in items):
            lines = [f"{ast.unparse(part)} = {item.text}" for part, item in items]
            summary = f"read `{ast.unparse(target).strip('()')}` from `{text}` by index"
            yield site.mend(target, summary, [site.replace(node, "\n".join(lines))])


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
            new = if_scripted(site, f"{name} = {layers}", code_of(site, [setting]) or "")
            left_out = f"other layers than `{layers}` in `{name}` of `{site.function.owner.qualname}`"
            yield site.mend(value, f"let `{name}` be `{layers}`", [site.replace(setting, new)], left_out=left_out)


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
