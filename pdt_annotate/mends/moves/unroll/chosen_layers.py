"""A layer that is chosen by a computed index, key or name is called by a new method that tries all layers in turn.

The compiler accepts only a literal index, but it unrolls a loop over layers. A list comprehension of attributes with
numbered names becomes a list display of these attributes. A parameter that is chosen by a computed index is read from a
list of all parameters.

Message: `Expected integer literal for index`, `Unable to extract string literal index`,
    `second argument must be a string literal`, `Module` … `has no attribute` (for `'_modules'` or a plain list),
    `Unknown type name 'Module'`.
Kind:
    - Exact, except in the following cases. The scripted model raises an error for a name that no observed module has,
      and for an index beyond the length of the observed lists that hold None.
    - Frozen for a plain list of layers of `self`.
    - Scripted for a comprehension whose `range` depends on more than the configuration. The scripted model raises an
      error for another number of attributes.
Needs:
    - In every call, the index of a list of layers was an int. The key of a dict of layers, and the name that `getattr`
      received, was a str.
    - The layer is only called, without starred arguments. A local variable that holds the layer is assigned once.
    - Layers in a chosen layer, as in `self.levels[i].blocks[j]`, are called, or counted by `len`. A number, a str or a
      Tensor in a chosen layer is only read.
    - A comprehension calls `getattr` on `self` for each number of a `range`, and the names were the same in all calls.
Before:
    def forward(self, x, i: int):
        return self.convs[i](x)
After:
    def forward(self, x, i: int):
        return self._run_convs(i, x)

    def _run_convs(self, index: int, x):
        for i, layer in enumerate(self.convs):
            if i == index or i - len(self.convs) == index:
                return layer(x)
        raise IndexError(index)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import (
    NO_ATTRIBUTE,
    NO_LITERAL_INDEX,
    NO_LITERAL_KEY,
    NO_LITERAL_NAME,
    NO_MODULES,
)
from pdt_annotate.mends.kit.blocks import (
    IS_SCRIPTING,
    bound_until,
    calls_of_local,
    is_for_python,
    names_in,
    statements,
    when_scripted,
)
from pdt_annotate.mends.kit.construction import LISTS, add_method, is_call, names_in_list
from pdt_annotate.mends.kit.context import NOTHING, TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import Settled
from pdt_annotate.mends.kit.spelled import ATOM, Expression, spell, stores
from pdt_annotate.source.syntax import called_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

DICT = "torch.nn.modules.container.ModuleDict"
PARAMETERS = "torch.nn.modules.container.ParameterList"
MOST = 16  # attributes of a list
LETTERS = ("i", "j", "k")
KEYS = ("index", "inner", "innermost")


@dataclass(frozen=True)
class Method:
    """A method that calls the layer that its first arguments choose.

    Args:
        word: the attribute with the layers, or the beginning of their names.
        keys: the expressions that choose, from the outside in, each with its parameter.
        lines: the body, with `{call}` for the arguments of the layer.
    """

    word: str
    keys: Mapping[ast.expr, str]
    lines: tuple[str, ...]
    frozen: bool = False


def find(site: FunctionContext) -> Iterator[Mend]:
    read = set(statements(site.node.body))
    nodes = [node for node in ast.walk(site.node) if isinstance(node, ast.expr) and site.statement(node)[0] in read]
    yield from _lists(site, nodes)
    for node in nodes if site.cls and site.function.receiver else ():
        parent, edits = site.parents[node], list[Edit]()
        chain = _chain(site, node) if not isinstance(parent, (ast.Subscript, ast.Attribute)) else []
        method = (_of_containers(site, node, chain) if chain else None) or _of_names(site, node)
        if method is None:
            continue
        calls: list[ast.AST] = [parent]
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) and len(parent.targets) == 1:
            calls = _calls_of_local(site, parent, parent.targets[0].id, method.keys)
            edits = [site.remove(parent)]
            node = parent.targets[0]
        changes = [_call(site, node, call, method) for call in calls]
        if changes and None not in changes:
            edits += dict.fromkeys(edit for each in changes if each for edit in each)
            summary = (
                f"call the layer of `{method.word}` that `{site.source(list(method.keys)[-1])}` chooses, in a method"
            )
            yield site.mend(node, summary, edits, frozen=method.frozen)


Step = tuple[ast.expr, ast.expr | str]  # a container with the index or key into it, or an object with an attribute


def _chain(site: FunctionContext, node: ast.expr) -> list[Step]:
    """The steps from `self.<attribute>` to an expression such as `self.levels[i].blocks[j]`."""
    steps: list[Step] = []
    while isinstance(node, (ast.Subscript, ast.Attribute)) and not site.self_attribute(node):
        steps.insert(0, (node.value, node.slice if isinstance(node, ast.Subscript) else node.attr))
        node = node.value
    return steps if site.self_attribute(node) else []


def _of_containers(site: FunctionContext, node: ast.expr, chain: Sequence[Step]) -> Method | None:
    """The method for `self.layers[i]`, `self.layers[i][j]` or `self.layers[i].blocks[j]`."""
    base, receiver = chain[0][0], site.function.receiver
    attribute = site.self_attribute(base)
    chosen = [(container, key) for container, key in chain if not isinstance(key, str)]
    if all(_is_literal(key) for _, key in chosen) or len(chosen) > len(KEYS):
        return None
    if len(chain) == len(chosen) == 1 and (named := names_in_list(site, attribute)) and _is_index(site, chosen[0][1]):
        tried = (
            f"if index == {i} or index == {i - len(named)}:\n    return {receiver}.{n}({{call}})"
            for i, n in enumerate(named)
        )
        lines = "\n".join((*tried, "raise IndexError(index)")).split("\n")
        return Method(attribute.strip("_"), {chosen[0][1]: f"{KEYS[0]}: int"}, tuple(lines), frozen=True)
    path, indent, lines, keys = f"{receiver}.{attribute}", "", list[str](), dict[ast.expr, str]()
    error, words = "", [attribute.strip("_")]
    for depth, (container, key) in enumerate(chain):
        if isinstance(key, str):
            if keys and _may_lack(site, container, key):
                lines.append(f'{indent}if hasattr({path}, "{key}"):')
                indent += " " * 4
            path, words = f"{path}.{key}", [*words, key.strip("_")]
            continue
        values = site.held(attribute).values if container is base else site.values(container)
        types, lengths = {value.type for value in values}, {value.length for value in values}
        has_gaps, is_literal = any(NOTHING in value.items for value in values), _is_literal(key)
        if not types or (has_gaps and (len(lengths) > 1 or depth + 1 < len(chain) or not types <= set(LISTS))):
            return None
        if has_gaps and (is_literal or _is_index(site, key)):
            if not is_literal:
                error, keys[key] = error or "IndexError", f"{KEYS[len(keys)]}: int"
            lines += (indent + line for line in _in_gaps(path, max(lengths), key, KEYS[len(keys) - 1]))
            break
        if is_literal:
            path = f"{path}[{site.source(key)}]"
            words.append(re.sub(r"\W+", "", site.source(key).replace("-", "last")))
            continue
        name, letter = KEYS[len(keys)], LETTERS[len(keys)]
        layer = "layer" if container is chosen[-1][0] else f"{letter}_layers"
        if types <= set(LISTS) and _is_index(site, key):
            lines.append(f"{indent}for {letter}, {layer} in enumerate({path}):")
            lines.append(f"{indent}    if {letter} == {name} or {letter} - len({path}) == {name}:")
            error, keys[key] = error or "IndexError", f"{name}: int"
        elif types == {DICT} and site.is_always(key, "str"):
            lines += [f"{indent}for {letter}, {layer} in {path}.items():", f"{indent}    if {letter} == {name}:"]
            error, keys[key] = error or "KeyError", f"{name}: str"
        else:
            return None
        path, indent = layer, indent + " " * 8
    else:
        lines.append(f"{indent}return {path}({{call}})")
    lines.append(f"raise {error}({', '.join(KEYS[: len(keys)])})")
    if has_gaps or len(chosen) < len(chain):
        changed = [site.replace(each, name) for each, name in zip(keys, KEYS, strict=False)]
        in_python = site.text.edited(changed, *site.span(node)).decode()
        lines[:0] = [f"if not {site.spell(IS_SCRIPTING)}():", f"    return {in_python}({{call}})"]
    return Method("_".join(words), keys, tuple(lines))


def _may_lack(site: FunctionContext, layers: ast.expr, attribute: str) -> bool:
    """Whether some layer may have no such attribute: its class does not set it always, or is `nn.Module` itself."""
    types = {value.type for value in site.values(layers)}
    known = (
        held[attribute].lacking
        for (_, cls), held in site.shown.facts.held.items()
        if attribute in held and any(f".{type_}".endswith(f".{cls}") for type_ in types)
    )
    return "torch.nn.modules.module.Module" in types or any(known)


def _in_gaps(path: str, length: int, key: ast.expr, index: str) -> Iterator[str]:
    """The lines that call a layer of a list that also holds None, which the compiler skips when it counts layers."""
    numbers = [range(length)[ast.literal_eval(key)]] if _is_literal(key) else range(length)
    for number in numbers:
        layer = f'getattr({path}, "{number}")'
        yield f"if {layer} is not None:"
        if _is_literal(key):
            yield f"    return {layer}({{call}})"
        else:
            yield f"    if {index} == {number} or {index} == {number - length}:"
            yield f"        return {layer}({{call}})"


def _is_index(site: FunctionContext, key: ast.expr) -> bool:
    """Whether a key is a whole number: it always was, or counts the rounds of a loop that never ran."""
    if isinstance(key, ast.BinOp) and isinstance(key.op, (ast.Add, ast.Sub)):
        return _is_index(site, key.left) and _is_index(site, key.right)
    if isinstance(key, ast.Name):
        loops = [n for n in ast.walk(site.node) if isinstance(n, (ast.For, ast.comprehension))]
        counting = [n for n in loops if is_name(n.target, key.id) and is_call(n.iter, "range")]
        if counting and len(counting) == len(stores(site.node, key.id)):
            return True
    return site.is_always(key, "int") or is_call(key, "len")


def _is_literal(key: ast.expr) -> bool:
    return isinstance(key.operand if isinstance(key, ast.UnaryOp) else key, ast.Constant)


def _of_names(site: FunctionContext, node: ast.AST) -> Method | None:
    """The method for `getattr(self, f"conv{i}")`, `self.__getattr__(…)` or `self._modules[…]`.

    In Python it calls the same layer as before.
    """
    key = _name_of_layer(site, node)
    if key is None or isinstance(key, ast.Constant) or not site.is_always(key, "str"):
        return None
    known = site.shown.facts.held.get((site.file, site.function.in_class), {})
    seen = [ast.literal_eval(value.literal or "0") for value in site.values(key)]
    # All layers with the same name as an observed one but for the number.
    shapes = {re.sub(r"\d+", r"\\d+", name) for name in seen if isinstance(name, str) and re.fullmatch(r"\w+", name)}
    names = [name for name in known if any(re.fullmatch(shape, name) for shape in shapes)]
    modules = (value.is_module or value.type.startswith("torch.nn.") for name in names for value in known[name].values)
    if not names or not set(seen) <= set(names) or not all(modules):
        return None
    words = dict.fromkeys(re.sub(r"_*\d+_*", "_", name).strip("_") for name in names)
    word = "_or_".join(filter(None, words)) if len(words) < 3 else "layer"
    asked, index = site.spell(IS_SCRIPTING), KEYS[0]
    chosen = site.text.edited([site.replace(key, index)], *site.span(node)).decode()
    lines = [f"if not {asked}():", f"    return {chosen}({{call}})"]
    lines += [
        line
        for name in sorted(names, key=lambda name: [part.zfill(9) for part in re.split(r"(\d+)", name)])
        for line in _try(site, name, lacking=known[name].lacking)
    ]
    return Method(word or "layer", {key: f"{index}: str"}, (*lines, f"raise AttributeError({index})"))


def _try(site: FunctionContext, name: str, *, lacking: bool) -> Iterator[str]:
    """The lines that call a layer if it is meant; the compiler reads nothing under a `hasattr` that is False."""
    if lacking:
        yield f'if hasattr({site.function.receiver}, "{name}"):'
    indent = "    " * lacking
    yield f'{indent}if index == "{name}":'
    own = site.function.receiver
    layer = f"{own}.{name}" if name.isidentifier() else f'getattr({own}, "{name}")'
    yield f"{indent}    return {layer}({{call}})"


def _name_of_layer(site: FunctionContext, node: ast.AST) -> ast.expr | None:
    receiver = site.function.receiver
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == f"{receiver}._modules":
        return node.slice
    if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{receiver}.__getattr__" and len(node.args) == 1:
        return node.args[0]
    is_own = is_call(node, "getattr") and len(node.args) == 2 and is_name(node.args[0], receiver)
    return node.args[1] if is_own and isinstance(node, ast.Call) else None


def _calls_of_local(site: FunctionContext, binding: ast.Assign, name: str, keys: Iterable[ast.expr]) -> list[ast.AST]:
    """The calls of a local that is bound once; none if it has other uses, or if a key may change before one."""
    calls = calls_of_local(site, name, binding).get(binding, [])
    parts = [node for key in keys for node in ast.walk(key)]
    called = {called_name(node) for node in parts if isinstance(node, ast.Call)}
    is_pure = not any(isinstance(node, ast.NamedExpr) for node in parts) and called <= {"str", "format", "len"}
    changes = not names_in(parts).isdisjoint(bound_until(site, binding, calls))
    return [*calls] if is_pure and not changes and site.begins_line(binding) else []


def _call(site: FunctionContext, layer: ast.expr, call: ast.AST, method: Method) -> list[Edit] | None:
    """The edits that call the method in place of the layer, and add it to the class; None for other uses."""
    is_called = isinstance(call, ast.Call) and (call.func is layer or is_name(call.func, getattr(layer, "id", "")))
    args, keywords = list[ast.expr](), list[ast.keyword]()
    if isinstance(call, ast.Call) and is_called:
        verb, args, keywords, result = "run", call.args, call.keywords, r"\1({call})"
    elif is_call(call, "len") and layer in call.args:
        verb, result = "len", r"len(\1)"
    elif isinstance(layer, ast.Attribute) and site.is_always(layer, *TENSORS, "int", "float", "bool", "str"):
        verb, call, result = "get", layer, r"\1"
    else:
        return None
    words = [keyword.arg or "**" for keyword in keywords]
    if any(isinstance(arg, ast.Starred) for arg in args) or "**" in words:
        return None
    receiver = site.function.receiver
    count = len(args)
    plain = ["x"] if count == 1 else [f"x{number}" for number in range(1, count + 1)]
    name = "_".join([f"_{verb}", method.word, *([str(count)] if count > 1 else []), *words])
    keys = KEYS[: len(method.keys)]
    passed = ", ".join([*plain, *(f"{word}={word}" for word in words)])
    lines = (re.sub(r"(?<=return )(.*)\({call}\)$", result, line) for line in method.lines)
    body = "\n".join(f"    {line}".replace("{call}", passed) for line in lines)
    text = f"def {name}({', '.join((receiver, *method.keys.values(), *plain, *words))}):\n{body}"
    # Its parameters and locals have different names.
    names = (receiver, *keys, *plain, *words, *LETTERS, *(f"{letter}_layers" for letter in LETTERS), "layer")
    added = add_method(site, text) if len(set(names)) == len(names) else None
    given = ", ".join(map(site.source, (*method.keys, *args, *(keyword.value for keyword in keywords))))
    return None if added is None else [site.replace(call, f"{receiver}.{name}({given})"), *added]


def _lists(site: FunctionContext, nodes: Iterable[ast.expr]) -> Iterator[Mend]:
    """`[self.scale0, self.scale1]` for `[getattr(self, f"scale{i}") for i in range(2)]`, an item of a plain list."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_index(site, node.slice):
            types = {value.type for value in site.held(site.self_attribute(node.value)).values}
            if types == {PARAMETERS} and not _is_literal(node.slice):
                edits = [site.replace(node.value, f"[each for each in {site.source(node.value)}]")]
                yield site.mend(node, f"choose `{site.source(node)}` from a list", edits)
        index = ast.literal_eval(node.slice) if isinstance(node, ast.Subscript) and _is_literal(node.slice) else None
        named = names_in_list(site, site.self_attribute(node.value)) if isinstance(node, ast.Subscript) else []
        if isinstance(index, int) and -len(named) <= index < len(named):
            new = f"{site.function.receiver}.{named[index]}"
            yield site.mend(node, f"write `{site.source(node)}` as `{new}`", [site.replace(node, new)], frozen=True)
        if is_call(node, "len") and node.args and (named := names_in_list(site, site.self_attribute(node.args[0]))):
            summary = f"write the length of `{site.source(node.args[0])}`"
            yield site.mend(node, summary, [site.replace(node, str(len(named)))], frozen=True)
        loop = node.generators[0] if isinstance(node, ast.ListComp) and len(node.generators) == 1 else None
        bounds = loop.iter.args if loop and is_call(loop.iter, "range") and not loop.ifs else []
        if not isinstance(node, ast.ListComp) or loop is None or len(bounds) != 1 or is_for_python(site, node):
            continue
        held = site.held(site.self_attribute(bounds[0]))  # of a function that no example enters
        counts = [value.literal for value in site.values(bounds[0]) or held.values]
        statement = site.statement(node)[0]
        if len(counts) != 1 or not counts[0].isdecimal() or int(counts[0]) > MOST or not site.begins_line(statement):
            continue
        items = [_item(site, node.elt, loop.target, index) for index in range(int(counts[0]))]
        if not items or None in items:
            continue
        new, summary = f"[{', '.join(map(str, items))}]", f"list the attributes of `{site.source(node)}`"
        edits, left_out = [site.replace(node, new)], ""
        if not isinstance(bounds[0], ast.Constant):
            asked, bound = site.spell(IS_SCRIPTING), site.source(bounds[0])
            edits = [
                site.insert_before(statement, f"if {asked}():\n    assert {bound} == {counts[0]}"),
                when_scripted(site, node, new),
            ]
            if not Settled(site).holds(bounds[0]):
                left_out = f"another `{bound}` than {counts[0]}"
        yield site.mend(node, summary, edits, left_out=left_out)


def _item(site: FunctionContext, item: ast.expr, target: ast.expr, index: int) -> str | None:
    """An item of the list with attributes by their names; None if it has none, or if some module lacks one."""
    found, name = list[str](), target.id if isinstance(target, ast.Name) else ""

    def put(node: ast.expr) -> Expression | None:
        if is_name(node, name):
            return Expression(str(index), ATOM)
        key = _name_of_layer(site, node) if isinstance(node, ast.Call) else None
        if key is None:
            return None
        read = {part.id for part in ast.walk(key) if isinstance(part, ast.Name)}
        code = compile(ast.Expression(key), "<name>", "eval")
        found.append(str(eval(code, {"__builtins__": {"str": str}, name: index})) if read <= {name, "str"} else "")
        return Expression(f"{site.function.receiver}.{found[-1]}", ATOM)

    text = spell(site, item, put).text
    is_known = all(each.isidentifier() and site.held(each).values and not site.lacks(each) for each in found)
    return text if found and is_known else None


RULE = MendRule(
    "chosen_layers",
    MendKind.EXACT,
    quoted(NO_ATTRIBUTE, NO_LITERAL_INDEX, NO_LITERAL_KEY, NO_LITERAL_NAME, NO_MODULES),
    find,
)
