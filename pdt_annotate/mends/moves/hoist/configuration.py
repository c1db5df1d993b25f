"""An expression that depends only on the configuration and does not compile is computed in the constructor.

Message:
    - Any message in a method, or in a function that a method calls, that is about one of the following: a field of an
      object whose class the compiler does not know, a function, number or index array of numpy, a builtin function
      that the compiler lacks, a set, the keys of a dict of layers, a property of the machine, a
      layer that is created in a call, a function from a look-up table, or a type test.
    - Any message in a branch that some instance never takes. The compiler skips such a branch only if the test is a
      constant.
Kind: Frozen. Exact for fields of a named tuple or a frozen dataclass, if the constructor does not return before.
Needs:
    - The expression consists of constants, names that the module assigns once, and attributes that only the constructor
      sets. Functions that it calls have no side effects. A class without a constructor gets one.
    - Its value is a plain value, a function, or a module without state.
    - It may read a parameter of the constructor that a library keeps, as in `self.hparams.width`. The project neither
      defines nor sets `hparams`, and the constructor does not return before its end.
Before:
    class Block(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.args = args

        def forward(self, x):
            if not self.args.skip:
                return x
            return x, x * self.args.scale
After:
    class Block(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.args = args
            self._args_skip = self.args.skip
            self._args_scale = self.args.scale

        def forward(self, x):
            if not self._args_skip:
                return x
            return x, x * self._args_scale
"""

import ast
import re
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import NO_BUILTIN
from pdt_annotate.mends.kit.blocks import names_and_attributes
from pdt_annotate.mends.kit.construction import (
    attribute_stores,
    construct,
    constructor,
    declare_constants,
    family_of,
    is_call,
    last_setting,
)
from pdt_annotate.mends.kit.context import NOTHING, TENSORS, FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.deciding import deciding, name_of_test, word
from pdt_annotate.mends.kit.settled import (
    MACHINE,
    Settled,
    asked_attribute,
    attributes,
    changes_in_place,
    is_given,
    is_of_library,
    makes_layer,
)
from pdt_annotate.mends.kit.spelled import is_gone_over, is_negation, loads, only_assignment
from pdt_annotate.mends.kit.stored import assignments_in
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.scopes import names_in, names_inside
from pdt_annotate.source.syntax import CHANGING, called_name, last_names, nodes_in, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import HeldValue, Mend, MendKind

REFUSED = ("isinstance", "issubclass", "type", "callable", "set", "dict")
NAMES_OF_TYPES = ("Tensor", "int", "float", "str", "bool", "list", "tuple")  # in `isinstance`, as the compiler reads it
PLAIN = {"int": "int", "float": "float", "bool": "bool", "str": "str", "long": "int", "double": "float"}
NUMBER = re.compile(r"(builtins|numpy)\.(bool|int|float|str|long|double)(8|16|32|64|_)?")
FUNCTIONS = ("builtins.function", "builtins.builtin_function_or_method", "torch.dtype", "torch.device")
RANGE = "builtins.range"
KEYS = ("builtins.dict", "builtins.dict_keys", "collections.OrderedDict", "collections.odict_keys")
GROWING = ("builtins.list", "builtins.set", *KEYS)  # constructors may fill them after they set the attribute
SEARCHED = ("builtins.set", "builtins.frozenset", RANGE, *KEYS)  # by `in`
COUNTING = ("enumerate", "zip", "len", "reversed")  # with a range as well as with a list of its numbers
COPY = "list({})"
CONTAINERS = ("builtins.list", "builtins.tuple", "torch.Size")
COPIES = {"builtins.list": ".copy()", "torch.Tensor": ".clone()"}  # what the method may change
LEAD = re.compile(r"^(np|numpy|math|nn|torch)_")
OF_MODULES = ("_apply", "_buffers", "_modules", "_parameters", "_version")
WRAPPERS = ("torch.autograd.Variable", "torch.from_numpy", "torch.tensor")


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _in_function(site)
    for nodes in deciding(site):
        yield from _mend(site, nodes, test=True)
    for each in site.way:
        if each.function.owner != site.function.owner:
            yield from _in_function(site.at(each.function))


def _in_function(site: FunctionContext) -> Iterator[Mend]:
    if site.node.name in ("__init__", "__post_init__") or not site.function.receiver:
        return
    found = (node for statement in site.node.body for node in _largest(site, statement))
    for nodes in grouped((ast.unparse(node), node) for node in found).values():
        yield from _mend(site, nodes)


def _largest(site: FunctionContext, node: ast.AST) -> Iterator[ast.expr]:
    """The largest expressions that are settled, that the compiler refuses, and whose value an attribute can hold."""
    # The compiler reads a display without stars, so its items are enough.
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else ()
    stays = isinstance(node, ast.Slice) or (items and not any(isinstance(each, ast.Starred) for each in items))
    if isinstance(node, ast.expr) and not stays and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        outer = site.parents[node]
        is_called = isinstance(outer, ast.Call) and outer.func is node
        calls = (part for part in nodes_in(node, ast.Call) if called_name(part) == "hasattr")
        settled = Settled(site, asked=frozenset(asked_attribute(site, call) for call in calls))
        # Few expressions are settled, and to find out what is refused reads the called functions.
        is_settled = settled.holds(node) and not is_call(node, "range") and (not is_called or _is_held(site, node))
        if is_settled and any(_is_refused(site, part, settled.depth) for part in ast.walk(node)) and _form(site, node):
            yield node
            return
    for child in ast.iter_child_nodes(node):
        yield from _largest(site, child)


def _is_refused(site: FunctionContext, node: ast.AST, depth: int) -> bool:
    """Whether the compiler cannot read an expression, or only alone."""
    match node:
        case ast.Attribute(ctx=ast.Load()) | ast.Subscript(ctx=ast.Load()):
            is_of_tensor = isinstance(node, ast.Attribute) and is_given(site, node)
            return is_of_tensor or _is_field(site, node) or _is_global(site, node) or _is_unread(site, node)
        case ast.Name():
            return _is_global(site, node)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return _is_dict(site, asked)
        case ast.Call(ast.Attribute(asked, "get")) if _is_dict(site, asked):
            return True
        case ast.Call(ast.Attribute(asked, "keys")) if _has_objects(site, asked):
            return True
    if not isinstance(node, ast.Call):
        return False
    if getattr(site.parents[node], "func", None) is node and _is_held(site, node):
        return True
    name, meant = called_name(node), site.meaning(node.func)
    if name in REFUSED and isinstance(node.func, ast.Name):
        words = last_names(node.args[-1]) if node.args else set()
        return name != "isinstance" or not words <= {*NAMES_OF_TYPES, "torch", "nn"}
    if name == "hasattr":  # the compiler knows it, but reads what `and` joins to it
        return isinstance(site.parents[node], (ast.BoolOp, ast.UnaryOp))
    defined = site.definition(node.func) if depth else None
    if defined is not None:
        return any(_is_refused(site.at(defined), part, depth - 1) for part in ast.walk(defined.node))
    is_unknown = bool(name) and name == site.fact(NO_BUILTIN) and site.is_failing(node)
    return is_unknown or meant.startswith("numpy.") or meant in MACHINE or makes_layer(site, node)


def _is_field(site: FunctionContext, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether an expression reads a field of a config object: `self.config.width`, `self.config["width"]`."""
    held = site.held(site.self_attribute(node.value))
    if isinstance(node, ast.Subscript):
        is_word = isinstance(node.slice, ast.Constant) and str(node.slice.value).isidentifier()
        return is_word and _is_dict(site, node.value)
    if not held.values:
        return is_of_library(site, node)
    objects = [value for value in held.values if value.type != "builtins.type"]
    return not any(v.type.startswith(("torch.", "builtins.")) or v.literal or v.name or v.is_module for v in objects)


def _is_dict(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an attribute of `self` held a dict in all modules."""
    types = {value.type for value in site.held(site.self_attribute(node)).values}
    return bool(types) and types <= set(KEYS)


def _has_objects(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an attribute of `self` held a dict of other things than numbers, words and tensors."""
    items = {item for value in site.held(site.self_attribute(node)).values for item in value.items}
    return _is_dict(site, node) and any(item not in TENSORS and not NUMBER.fullmatch(item) for item in items)


def _is_unread(site: FunctionContext, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether the compiler reads no such attribute: a number of numpy, a set, a function in a list."""
    if isinstance(node, ast.Subscript):
        return _is_held(site, node)
    types = {value.type for value in site.held(site.self_attribute(node)).values}
    numbers = [type_ for type_ in types if type_.startswith("numpy.") and NUMBER.fullmatch(type_)]
    outer = site.parents[node]
    is_searched = types <= set(SEARCHED) and _is_searched(site, node)
    is_counted = getattr(outer, "iter", None) is node or any(is_call(outer, name) for name in COUNTING)
    is_copied = is_searched or (is_counted and types <= {RANGE, *KEYS}) or _is_index(site, node)
    if types <= set(KEYS) and not _has_objects(site, node):
        return False
    return bool(types) and (len(numbers) == len(types) or is_copied)


def _is_searched(site: FunctionContext, node: ast.expr) -> bool:
    """Whether code only looks for items in a container or goes over them, for which a list is as good."""
    match site.parents[node]:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return asked is node
        case ast.Assign([ast.Name(name)]) as assign if only_assignment(site, name) is assign:
            return all(_is_searched(site, use) for use in loads(site.node, name))
    return is_gone_over(site, node)


def _is_index(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an array of numpy chooses items of a tensor, or becomes a tensor, as a list of its numbers would."""
    if not site.is_always(node, "numpy.ndarray"):
        return False
    outer = site.parents[node]
    match site.parents[outer] if isinstance(outer, ast.Tuple) else outer:
        case ast.Call(func, args, keywords) as call:
            has_dtype = site.meaning(func) == "torch.tensor" and any(each.arg == "dtype" for each in keywords)
            return node in args and (has_dtype or called_name(call) == "new_tensor")
        case ast.Subscript(value):
            return value is not node and site.is_always(value, *TENSORS)
    return False


def _is_global(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression reads an object that the module assigns; the rule for constants knows plain values."""
    name = root_name(node.value if isinstance(node, ast.Subscript) else node)
    assigned = site.module.defined.get(name) if name not in site.local_names else None
    is_plain = not isinstance(node, ast.Subscript) and any(value.literal for value in site.values(node)[:1])
    return isinstance(assigned, (ast.Assign, ast.AnnAssign)) and not is_plain


def _is_held(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression in front of a call is a function or a module, not the method of an object."""
    values = site.values(node)
    return bool(values) and all(value.stateless or value.type in FUNCTIONS for value in values)


def _form(site: FunctionContext, node: ast.expr) -> str:
    """How an attribute can hold the value of an expression, as a format: "int({})"; "" if it cannot."""
    if _is_index(site, node):
        return "{}.tolist()"
    forms = {_form_of(value) for value in site.values(node)}
    if COPY in forms and not _is_searched(site, node):
        return ""
    if not forms and isinstance(node, (ast.Attribute, ast.Subscript)):
        return "{}"  # a field that a function reads, which did not run
    return forms.pop() if len(forms) == 1 else ""


def _form_of(value: HeldValue) -> str:
    if number := NUMBER.fullmatch(value.type):
        return f"{PLAIN[number[2]]}({{}})" if number[1] == "numpy" or number[2] == "bool" else "{}"
    if value.type in SEARCHED:
        return COPY
    is_readable = len(value.items) == 1 and (value.items[0].startswith("builtins.") or value.items[0] == "torch.Tensor")
    is_whole = is_readable and value.items[0] != NOTHING
    is_kept = is_whole if value.type in CONTAINERS else value.stateless or value.type in (*FUNCTIONS, "torch.Tensor")
    return "{}" if is_kept else ""


def _mend(site: FunctionContext, nodes: Sequence[ast.expr], *, test: bool = False) -> Iterator[Mend]:
    node, built = nodes[0], constructor(site)
    receiver, text = site.function.receiver, Settled(site).written(node)
    if site.cls is None or receiver != (built.receiver if built else "self"):
        return
    tree = ast.parse(text, mode="eval")
    setting = _last_setting(site, built, tree) if built else None
    hidden = {"args", "kwargs"} & names_in(tree)
    if setting is None if built else hidden:
        return
    values = site.values(node)
    is_flag = test or (bool(values) and all(value.type in ("builtins.bool", "numpy.bool") for value in values))
    is_bool = is_negation(node) or is_call(node, "isinstance") or (test and isinstance(node, ast.Compare))
    form = "{}" if is_bool else "bool({})" if test else _form(site, node)
    words = ("attr", "name", "id")
    known = {getattr(each, word, "") for each in ast.walk(site.cls.node) for word in words}
    assigned = assignments_in(site.at(built)) if built else ()
    names = [name_of_test(node)] if test else _names(site, node)
    lines = {name: f"{receiver}.{name} = {form.format(text)}" for name in names}
    free = [name for name in names if lines[name] in assigned or not (name in known or site.held(name).values)]
    if not free:
        return
    name, line = free[0], lines[free[0]]
    edits = list[Edit]()
    for each in nodes:
        copy = "" if test or not values or _is_only_read(site, each) else COPIES.get(values[0].type, "")
        edits.append(site.replace(each, f"{receiver}.{name}{copy}"))
    if line not in assigned:
        edits += [site.insert_behind(setting, line)] if setting else construct(site, line)
        edits += declare_constants(site, site.cls, name) if is_flag else []
    read = site.held(site.self_attribute(node.value)).values if isinstance(node, ast.Attribute) else ()
    inside = {part for each in nodes for part in ast.walk(each)}
    for part in {part.id: part for part in inside if isinstance(part, ast.Name)}.values():
        local = Settled(site).value_of(part)
        assign = site.parents[local] if local and inside.issuperset(loads(site.node, part.id)) else None
        edits += [site.remove(assign)] if isinstance(assign, ast.stmt) and assign in site.node.body else []
    returns = nodes_in(built.node, ast.Return) if built and setting else ()
    may_lack = any(setting and each.lineno <= setting.lineno for each in returns)
    frozen = may_lack or not read or not all(value.immutable for value in read)
    yield site.mend(node, f"compute `{text}` in the constructor", edits, frozen=frozen)


def _last_setting(site: FunctionContext, built: Function, tree: ast.AST) -> ast.stmt | None:
    """The statement of a constructor behind which an expression has its value; None if it has none there."""
    names = names_in(tree) - {built.receiver, *names_inside(tree)}
    own = [name for name in attributes(site, tree) if site.held(name).values]
    is_late = any(is_of_library(site, part) for part in nodes_in(tree, ast.Attribute))
    setting = built.node.body[-1] if is_late else last_setting(built, *own)
    may_lack = is_late and any(nodes_in(built.node, ast.Return))
    if setting is None or may_lack or names & site.at(built).local_names:
        return None
    growing = [name for name in own if any(value.type in GROWING for value in site.held(name).values)]
    if any(function.owner != built.owner for name in growing for function in changes_in_place(site, name)):
        return None
    # The constructor may set fields of what an attribute holds.
    fields = {part.attr for part in nodes_in(tree, ast.Attribute)}
    later = [each for each in built.node.body if any(any(attribute_stores(each, field)) for field in fields)]
    # It may fill a list or dict after it has set the attribute.
    filling = [n for n in nodes_in(built.node, ast.Attribute) if site.at(built).self_attribute(n) in growing]
    later += [each for each in built.node.body if any(n in ast.walk(each) for n in filling)]
    return max((setting, *later), key=lambda each: each.lineno)


def _names(site: FunctionContext, node: ast.expr) -> list[str]:
    """`self.args.scale` → _args_scale, `np.sqrt(self.d)` → _sqrt_d, `Dice(self.n)` → _dice, `self.ids` → _ids_list.

    For `eye = torch.from_numpy(np.eye(self.n))`, _eye comes first.
    """
    if attribute := site.self_attribute(node):
        return [f"_{attribute.lstrip('_')}_{_form(site, node).partition('(')[0].removeprefix('{}.to')}"]
    if isinstance(node, ast.Call) and makes_layer(site, node):
        return [f"_{snake_case(called_name(node))}"]
    names = [f"_{LEAD.sub('', word(node, f'{site.function.receiver}.')).lower()}"]
    match site.parents[list(_chain(site, node))[-1]]:
        case ast.Assign([ast.Name(local)]) if isinstance(node, ast.Call) and len(local) > 1:
            name = f"_{local.strip('_')}"
            family = family_of(site, site.cls)[1:] if site.cls else ()
            used = names_and_attributes(part for cls in family for part in ast.walk(cls.node))
            names[:0] = [name] if used.isdisjoint((name, f".{name}")) and name not in OF_MODULES else []
    return names


def _chain(site: FunctionContext, node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and the methods around it: `E`, then `E.view`, then `E.view(1, 9)`, and so on."""
    yield node
    while isinstance(outer := site.parents[node], (ast.Attribute, ast.Call)):
        is_wrapped = isinstance(outer, ast.Call) and outer.args == [node] and site.meaning(outer.func) in WRAPPERS
        if isinstance(outer, ast.Call) and outer.func is not node and not is_wrapped:
            return
        node = outer
        yield node


def _is_only_read(site: FunctionContext, node: ast.expr) -> bool:
    """Whether code uses a tensor or list only to make another: as an operand, or by `repeat`."""
    chain = list(_chain(site, node))
    methods = [each.attr for each in chain[1:] if isinstance(each, ast.Attribute)]
    makes_another = "repeat" in methods or isinstance(site.parents[chain[-1]], (ast.BinOp, ast.Compare))
    return makes_another and not any(name.endswith("_") or name in CHANGING for name in methods)


RULE = MendRule("configuration", MendKind.FROZEN, anything, find)
