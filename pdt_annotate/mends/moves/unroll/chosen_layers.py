"""A layer that is chosen by a computed index, key or name is called by a new method that tries all layers in turn.

The compiler accepts only a literal index, but it unrolls a loop over layers. It reads no layers in a plain list or
dict, or in a field of a plain object, but the same layers where they are registered. A list comprehension of attributes
with numbered names becomes a list display of these attributes.

Message: `Expected integer literal for index`, `Unable to extract string literal index`,
    `second argument must be a string literal`, `Module` … `has no attribute` (for `'_modules'`, or a plain list or
    dict), `Unknown type name 'Module'`.
Kind:
    - Exact, except in the following cases. The scripted model raises an error for a name that no observed module has,
      and for an index beyond the length of the observed lists that hold None, or a negative one if they have different
      lengths.
    - Frozen for a literal index or key of a plain list or dict of layers of `self`, for the length of a list, and for a
      layer, or `self`, in a field of a plain object.
    - Scripted for a comprehension whose `range` depends on more than the configuration. The scripted model raises an
      error for another number of attributes.
Needs:
    - In every call, the index of a list of layers was an int. The key of a dict of layers, and the name that `getattr`
      received, was a str.
    - The layer is only called, without starred arguments, or compared with None. A local variable that holds the layer
      is assigned once.
    - Layers in a chosen layer, as in `self.levels[i].blocks[j]`, are called, or counted by `len`. A number, a str or a
      Tensor in a chosen layer is only read. So is a Tensor that `getattr` chooses by a computed name.
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

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import (
    NO_ATTRIBUTE,
    NO_LITERAL_INDEX,
    NO_LITERAL_KEY,
    NO_LITERAL_NAME,
    NO_MODULES,
)
from pdt_annotate.mends.kit.blocks import (
    calls_of_local,
    if_python,
    if_scripted,
    is_for_python,
    nested,
    statements,
    when_scripted,
)
from pdt_annotate.mends.kit.callers import calls_of_itself
from pdt_annotate.mends.kit.construction import (
    LISTED,
    LISTS,
    add_method,
    bare_name,
    is_call,
    is_field_set,
    is_set_later,
    layers_in,
    may_change,
    name_read,
)
from pdt_annotate.mends.kit.context import NOTHING, TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import Settled
from pdt_annotate.mends.kit.spelled import ATOM, NOT, Expression, is_literal, is_none, put_in, spell, stores
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import called_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held, Mend, MendKind

DICT = "torch.nn.modules.container.ModuleDict"
MOST = 16  # attributes of a list
READ = (*TENSORS, "int", "float", "bool", "str")  # what a chosen layer has, or what a name chooses
LETTERS = ("i", "j", "k")
KEYS = ("index", "inner", "innermost")


@dataclass(frozen=True)
class Method:
    """A method that calls the layer that its first arguments choose."""

    word: str  # the attribute with the layers, or the beginning of their names
    keys: Mapping[ast.expr, str]  # the expressions that choose, from the outside in, each with its type
    body: str  # its code, with `{call}` for the arguments of the layer


def find(site: FunctionContext) -> Iterator[Mend]:
    if calls_of_itself(site):
        return  # each of its copies will call the layers by their names
    read = set(statements(site.node.body))
    nodes = [node for node in ast.walk(site.node) if isinstance(node, ast.expr) and site.statement(node)[0] in read]
    yield from _lists(site, nodes)
    for node in nodes if site.cls and site.function.receiver else ():
        parent, edits = site.parents[node], list[Edit]()
        chain = _chain(site, node) if not isinstance(parent, (ast.Subscript, ast.Attribute)) else []
        method = (_of_containers(site, node, chain) if chain else None) or _of_names(site, node)
        if method is None:
            continue
        uses = [node]
        match parent:
            case ast.Assign([ast.Name(name)]) if not site.is_always(node, *READ):
                uses = [call.func for call in _calls_of_local(site, parent, name, method.keys)]
                edits = [site.remove(parent)]
        changes = [_call(site, layer, method) for layer in uses]
        if changes and None not in changes:
            edits += dict.fromkeys(edit for each in changes if each for edit in each)
            key = site.source(list(method.keys)[-1])
            summary = f"call the layer of `{method.word}` that `{key}` chooses, in a method"
            yield site.mend(node, summary, edits)


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
    if all(is_literal(key) for _, key in chosen) or len(chosen) > len(KEYS):
        return None
    if chosen == chain[:1] and (listed := _of_plain(site, node, chain)):
        return listed
    path, words, body, has_gaps = f"{receiver}.{attribute}", [bare_name(site, attribute)], "", False
    headers, keys = list[str](), dict[ast.expr, str]()
    for container, key in chain:
        if isinstance(key, str):
            if keys and _may_lack(site, container, key):
                headers.append(f'if hasattr({path}, "{key}"):')
            path, words = f"{path}.{key}", [*words, key.strip("_")]
            continue
        values = site.held(attribute).values if container is base else site.values(container)
        types, lengths = {value.type for value in values}, {value.length for value in values}
        name, letter, is_constant = KEYS[len(keys)], LETTERS[len(keys)], is_literal(key)
        has_gaps = any(NOTHING in value.items for value in values)
        is_from_end = len(lengths) > 1 and isinstance(key, ast.UnaryOp)
        if not types or (has_gaps and (is_from_end or key is not chain[-1][1] or not types <= set(LISTS))):
            return None
        if not is_constant and types <= set(LISTS) and _is_index(site, key):
            keys[key] = "int"
        elif not is_constant and types == {DICT} and site.is_always(key, "str"):
            keys[key] = "str"
        elif not is_constant:
            return None
        if is_constant:
            words.append(re.sub(r"\W+", "", site.source(key).replace("-", "last")))
        if has_gaps:
            body = _in_gaps(path, lengths, key, name)
        elif is_constant:
            path = f"{path}[{site.source(key)}]"
        else:
            layer = "layer" if container is chosen[-1][0] else f"{letter}_layers"
            items = f"enumerate({path})" if keys[key] == "int" else f"{path}.items()"
            from_end = f" or {letter} - len({path}) == {name}" if keys[key] == "int" else ""
            headers += [f"for {letter}, {layer} in {items}:", f"if {letter} == {name}{from_end}:"]
            path = layer
    error = "IndexError" if next(iter(keys.values())) == "int" else "KeyError"
    as_before = [_in_python(site, node, keys)] if has_gaps or len(chosen) < len(chain) else []
    called = nested(body, *headers) if body else _return(path, *headers)
    text = "\n".join((*as_before, called, f"raise {error}({', '.join(KEYS[: len(keys)])})"))
    return Method("_".join(words), keys, text)


def _of_plain(site: FunctionContext, node: ast.expr, chain: Sequence[Step]) -> Method | None:
    """The method for `self.layers[i]` or `self.layers[name].weight` of a plain list or dict of registered layers."""
    (base, key), *fields = chain
    attribute = site.self_attribute(base)
    layers, is_list = layers_in(site, attribute), bool(layers_in(site, attribute, LISTED))
    kinds = {type(ast.literal_eval(each)).__name__ for each in layers}
    if isinstance(key, str) or len(kinds) != 1 or not kinds <= {"int", "str"}:
        return None
    if not (_is_index(site, key) if is_list else site.is_always(key, *kinds)):
        return None
    lines, path = [_in_python(site, node, [key])], "".join(f".{field}" for _, field in fields)
    for each, layer in layers.items():
        word = each if '"' in each or "\\" in each else each.replace("'", '"')
        test = _is_at("index", int(each), len(layers)) if is_list else f"if index == {word}:"
        own, name = re.split(r"\W", layer)[:2]
        headers = [f'if hasattr({own}, "{name}"):'] * site.lacks(name)  # under which the compiler reads nothing
        lines.append(_return(layer + path, *headers, test))
    lines.append("raise IndexError(index)" if is_list else "raise KeyError(index)")
    words = [bare_name(site, attribute), *(field.strip("_") for _, field in fields if isinstance(field, str))]
    return Method("_".join(words), {key: kinds.pop()}, "\n".join(lines))


def _of_object(site: FunctionContext, attribute: str, field: str) -> str:
    """The code that reads the layer, or the module itself, in a field of a plain object; "" if it is not known."""
    held = site.held(f"{attribute}[{field}]") if attribute else Held()
    paths = {value.name for value in held.values}
    if len(paths) != 1 or held.lacking or held.changes or held.late:
        return ""
    if is_set_later(site, attribute) or is_field_set(site.project, field):  # these read the whole project
        return ""
    return f"{site.function.receiver}{paths.pop()}".rstrip(".")


def _return(layer: str, *headers: str) -> str:
    """The code that calls a layer, in nested statements."""
    return nested(f"return {layer}({{call}})", *headers)


def _is_at(index: str, number: int, length: int) -> str:
    return f"if {index} == {number} or {index} == {number - length}:"


def _in_python(site: FunctionContext, node: ast.expr, keys: Iterable[ast.expr]) -> str:
    """The code that calls the same layer as before in Python."""
    names = {key: Expression(name, ATOM) for key, name in zip(keys, KEYS, strict=False)}
    return if_python(site, _return(spell(site, node, names.get).text))


def _may_lack(site: FunctionContext, layers: ast.expr, attribute: str) -> bool:
    """Whether some layer may have no such attribute: its class does not set it always, or is `nn.Module` itself."""
    types = {value.type for value in site.values(layers)}
    known = (
        held[attribute].lacking
        for (_, cls), held in site.shown.facts.held.items()
        if attribute in held and any(f".{type_}".endswith(f".{cls}") for type_ in types)
    )
    return "torch.nn.modules.module.Module" in types or any(known)


def _in_gaps(path: str, lengths: Collection[int], key: ast.expr, index: str) -> str:
    """The code that calls a layer of a list that also holds None, which the compiler skips when it counts layers."""
    counts = range(max(lengths))
    numbers = [counts[ast.literal_eval(key)]] if is_literal(key) else counts
    lines = []
    for number in numbers:
        layer = f'getattr({path}, "{number}")'
        test = _is_at(index, number, max(lengths)) if len(lengths) == 1 else f"if {index} == {number}:"
        headers = [f'if hasattr({path}, "{number}"):'] * (number >= min(lengths)) + [test] * (not is_literal(key))
        lines.append(_return(layer, *headers, f"if {layer} is not None:"))
    return "\n".join(lines)


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


def _of_names(site: FunctionContext, node: ast.expr) -> Method | None:
    """The method for `getattr(self, f"conv{i}")`, `self.__getattr__(…)` or `self._modules[…]`."""
    key, inner = name_read(site, node), list[ast.expr]()
    if key is None and isinstance(node, ast.Subscript):  # `getattr(self, name)[i]`
        key, inner = name_read(site, node.value), [node.slice]
    is_name = key is not None and not isinstance(key, ast.Constant) and site.is_always(key, "str")
    if key is None or not is_name or not all(_is_index(site, each) for each in inner):
        return None
    known = site.shown.facts.held.get((site.file, site.function.in_class), {})
    seen = [ast.literal_eval(value.literal or "0") for value in site.values(key)]
    # All layers with the same name as an observed one but for the number.
    shapes = {re.sub(r"\d+", r"\\d+", name) for name in seen if isinstance(name, str) and re.fullmatch(r"\w+", name)}
    names = [name for name in known if any(re.fullmatch(shape, name) for shape in shapes)]
    held = [value for name in names for value in known[name].values]
    is_known = all(value.is_module or value.type in TENSORS or value.type.startswith("torch.nn.") for value in held)
    is_known &= not inner or all(value.type in LISTS and NOTHING not in value.items for value in held)
    if not names or not set(seen).intersection(known) <= set(names) or not is_known:
        return None
    words = dict.fromkeys(re.sub(r"_*\d+_*", "_", name).strip("_") for name in names)
    word = "_or_".join(filter(None, words)) if len(words) < 3 else "layer"
    ordered = sorted(names, key=lambda name: [part.zfill(9) for part in re.split(r"(\d+)", name)])
    tried = (_try(site, name, lacking=known[name].lacking, is_list=bool(inner)) for name in ordered)
    body = "\n".join((_in_python(site, node, [key, *inner]), *tried, "raise AttributeError(index)"))
    return Method(word or "layer", {key: "str", **dict.fromkeys(inner, "int")}, body)


def _try(site: FunctionContext, name: str, *, lacking: bool, is_list: bool) -> str:
    """The code that calls a layer, or one in a list, if it is meant.

    The compiler reads nothing under a `hasattr` that is False.
    """
    own = site.function.receiver
    layer = f"{own}.{name}" if name.isidentifier() else f'getattr({own}, "{name}")'
    headers = [f'if hasattr({own}, "{name}"):'] * lacking + [f'if index == "{name}":']
    if is_list:
        headers += [f"for i, layer in enumerate({layer}):", f"if i == inner or i - len({layer}) == inner:"]
    return _return("layer" if is_list else layer, *headers)


def _calls_of_local(site: FunctionContext, binding: ast.Assign, name: str, keys: Iterable[ast.expr]) -> list[ast.Call]:
    """The calls of a local that is bound once; none if it has other uses, or if a key may change before one."""
    calls = calls_of_local(site, name, binding).get(binding, [])
    parts = [node for key in keys for node in ast.walk(key)]
    called = {called_name(node) for node in parts if isinstance(node, ast.Call)}
    is_pure = not any(isinstance(node, ast.NamedExpr) for node in parts) and called <= {"str", "format", "len"}
    changes = any(may_change(site, key, binding, calls) for key in keys)
    return calls if is_pure and not changes and site.begins_line(binding) else []


def _call(site: FunctionContext, layer: ast.expr, method: Method) -> list[Edit] | None:
    """The edits that call the method in place of the layer, and add it to the class; None for other uses."""
    outer = site.parents[layer]
    call = outer if isinstance(outer, ast.expr) else layer
    args, keywords, sign, body = list[ast.expr](), list[ast.keyword](), "", method.body
    of_none = call.ops if isinstance(call, ast.Compare) and call.left is layer and is_none(call.comparators[0]) else []
    if len(of_none) == 1 and isinstance(of_none[0], (ast.Is, ast.IsNot)):
        verb, result, sign = "has", r"\1 is not None", "not " * isinstance(of_none[0], ast.Is)
        body = re.sub(r"if (.*) is not None:\n\s*(return \1\({call}\))", r"\2", body)  # of a list that also holds None
    elif isinstance(call, ast.Call) and call.func is layer:
        verb, args, keywords, result = "run", call.args, call.keywords, r"\1({call})"
    elif is_call(call, "len") and layer in call.args:
        verb, result = "len", r"len(\1)"
    elif isinstance(layer, (ast.Attribute, ast.Call)) and site.is_always(layer, *READ):
        verb, call, result = "get", layer, r"\1"
    else:
        return None
    words = [keyword.arg or "**" for keyword in keywords]
    if any(isinstance(arg, ast.Starred) for arg in args) or "**" in words:
        return None
    receiver, keys, count = site.function.receiver, KEYS[: len(method.keys)], len(args)
    plain = ["x"] if count == 1 else [f"x{number}" for number in range(1, count + 1)]
    name = "_".join([f"_{verb}", method.word, *([str(count)] if count > 1 else []), *words])
    passed = ", ".join([*plain, *(f"{word}={word}" for word in words)])
    body = re.sub(r"(?<=return )(.*)\({call}\)$", result, body, flags=re.MULTILINE).replace("{call}", passed)
    typed = (f"{key}: {type_}" for key, type_ in zip(keys, method.keys.values(), strict=True))
    text = nested(body, f"def {name}({', '.join((receiver, *typed, *plain, *words))}):")
    # Its parameters and locals have different names.
    names = (receiver, *keys, *plain, *words, *LETTERS, *(f"{letter}_layers" for letter in LETTERS), "layer")
    added = add_method(site, text) if len(set(names)) == len(names) else None
    given = ", ".join(map(site.source, (*method.keys, *args, *(keyword.value for keyword in keywords))))
    new = Expression(f"{sign}{receiver}.{name}({given})", NOT if sign else ATOM)
    return None if added is None else [put_in(site, call, new), *added]


def _lists(site: FunctionContext, nodes: Iterable[ast.expr]) -> Iterator[Mend]:
    """The mends of plain lists of layers, and of lists that a comprehension makes."""
    for node in nodes:
        match node:
            case ast.Subscript(value, key, ast.Load()):
                attribute, text = site.self_attribute(value), site.source(node)
                layers, index = layers_in(site, attribute), ast.literal_eval(key) if is_literal(key) else None
                if isinstance(index, int) and index < 0:
                    index += len(layers_in(site, attribute, LISTED))
                if new := layers.get(repr(index)):
                    yield site.mend(node, f"write `{text}` as `{new}`", [site.replace(node, new)], frozen=True)
            case ast.Attribute(value, field, ast.Load()) if new := _of_object(site, site.self_attribute(value), field):
                summary = f"write `{site.source(node)}` as `{new}`"
                yield site.mend(node, summary, [site.replace(node, new)], frozen=True)
            case ast.Call(ast.Name("len"), [value]) if listed := layers_in(site, site.self_attribute(value), LISTED):
                summary = f"write the length of `{site.source(value)}`"
                yield site.mend(node, summary, [site.replace(node, str(len(listed)))], frozen=True)
            case ast.ListComp(_, [ast.comprehension(ast.Name(name), ast.Call(ast.Name("range"), [bound]), [])]):
                if not is_for_python(site, node):
                    yield from _attributes(site, node, bound, name)


def _attributes(site: FunctionContext, node: ast.ListComp, bound: ast.expr, name: str) -> Iterator[Mend]:
    """`[self.scale0, self.scale1]` for `[getattr(self, f"scale{i}") for i in range(2)]`."""
    held = site.held(site.self_attribute(bound))  # of a function that no example enters
    counts, statement = [value.literal for value in site.values(bound) or held.values], site.statement(node)[0]
    if len(counts) != 1 or not counts[0].isdecimal() or int(counts[0]) > MOST or not site.begins_line(statement):
        return
    items = [_item(site, node.elt, name, index) for index in range(int(counts[0]))]
    if not items or None in items:
        return
    new, text, left_out = f"[{', '.join(filter(None, items))}]", site.source(bound), ""
    edits = [site.replace(node, new)]
    if not isinstance(bound, ast.Constant):
        check = if_scripted(site, f"assert {text} == {counts[0]}")
        edits = [site.insert_before(statement, check), when_scripted(site, node, new)]
        left_out = f"another `{text}` than {counts[0]}" if not Settled(site).holds(bound) else ""
    yield site.mend(node, f"list the attributes of `{site.source(node)}`", edits, left_out=left_out)


def _item(site: FunctionContext, item: ast.expr, name: str, index: int) -> str | None:
    """An item of the list with attributes by their names; None if it has none, or if some module lacks one."""
    found, own = list[str](), site.function.receiver

    def put(node: ast.expr) -> Expression | None:
        if is_name(node, name):
            return Expression(str(index), ATOM)
        key, of = name_read(site, node), own
        match node:
            case ast.Call(ast.Name("getattr"), [layer, inner], []) if site.self_attribute(layer):
                key, of = inner, site.source(layer)
        if key is None:
            return None
        read = names_in(key)
        code = compile(ast.Expression(key), "<name>", "eval")
        last = str(eval(code, {"__builtins__": {"str": str}, name: index})) if read <= {name, "str"} else ""
        found.append(last if of != own or (site.held(last).values and not site.lacks(last)) else "")
        return Expression(f"{of}.{last}", ATOM)

    text = spell(site, item, put).text
    return text if found and all(each.isidentifier() and not each.startswith("__") for each in found) else None


RULE = MendRule(
    "chosen_layers",
    MendKind.EXACT,
    quoted(NO_ATTRIBUTE, NO_LITERAL_INDEX, NO_LITERAL_KEY, NO_LITERAL_NAME, NO_MODULES),
    find,
)
