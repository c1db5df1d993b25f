"""The attributes of a class: the statements that set them, whether they change later, and lists of layers."""

import ast
import itertools
from collections.abc import Collection, Iterable, Iterator
from typing import TypeGuard

from pdt_annotate.mends.kit.blocks import add_else, bound_until, names_and_attributes, until
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext
from pdt_annotate.mends.kit.spelled import COMPARE, Expression, is_none, put_in, stores
from pdt_annotate.source.definitions import Class, Definition, Function, Scope, opening_line
from pdt_annotate.source.imports import Relatives
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import defined_in, names_in
from pdt_annotate.source.syntax import (
    assignments,
    called_name,
    is_call_of,
    is_name,
    last_names,
    nodes_in,
    numbered,
    root_name,
)
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held

FINAL, CONSTANTS = "typing.Final", "__constants__"
PROPERTIES = ("property", "cached_property", "setter")
BUILDERS = ("__init__", "__post_init__", "__new__")


def constructor(site: FunctionContext) -> Function | None:
    return next((f for f in methods(site) if f.node.name == "__init__" and f.receiver), None)


def methods(site: FunctionContext) -> list[Function]:
    """The functions of the site's class, in source order."""
    return [f for f in site.module.functions if f.in_class and f.in_class == site.function.in_class]


def setting_of(function: Function, attribute: str) -> ast.Assign | None:
    """The assignment of a constructor that alone sets an attribute."""
    stored = list(attribute_stores(function.node, attribute))
    return next((s for s in nodes_in(function.node, ast.Assign) if s.targets == stored), None)


def last_setting(function: Function, *attributes: str) -> ast.stmt | None:
    """The last top-level statement of a constructor that sets one of the attributes; None if it does not set them all.

    A call of the base class's constructor may set an attribute too, and counts if no other statement does.
    """
    body, receiver = function.node.body, function.receiver
    inheriting = [s for s in body if isinstance(s, ast.Expr) and is_call_of(s.value, "__init__")]
    found = [[s for s in body if any(attribute_stores(s, each, receiver))] or inheriting for each in attributes or [""]]
    return max((each[-1] for each in found), key=lambda statement: statement.lineno) if all(found) else None


def attribute_stores(tree: ast.AST, attribute: str, receiver: str = "") -> Iterator[ast.Attribute]:
    """The places that bind or delete an attribute of this name: of the receiver, or of any object if none is named."""
    named = (node for node in nodes_in(tree, ast.Attribute) if node.attr == attribute)
    stored = (node for node in named if not isinstance(node.ctx, ast.Load))
    return (node for node in stored if not receiver or is_name(node.value, receiver))


def is_set_later(site: FunctionContext, attribute: str) -> bool:
    """Whether the project sets an attribute of this name except in constructors of the class and of its bases.

    The constructor of a subclass does not count if it repeats the assignment, and passes the names in it to a base.
    """
    built = constructor(site)
    own = setting_of(built, attribute) if built else None
    bases = site.relatives.ancestors(site.cls) if site.cls else ()
    building = {site.function.in_class, *(base.owner.qualname for base in bases)}

    def is_later(function: Function) -> bool:
        if function.node.name != "__init__" or function.in_class in building:
            return function.node.name != "__init__"
        again = setting_of(function, attribute)
        if own is None or again is None or ast.dump(again) != ast.dump(own):
            return True
        calls = (node for node in ast.walk(function.node) if is_call_of(node, "__init__"))
        passed = ({arg.id for arg in call.args if isinstance(arg, ast.Name)} for call in calls)
        return not any(names_in(own.value) <= each for each in passed)

    return any(is_later(function) for function, node in uses(site, attribute) if not isinstance(node.ctx, ast.Load))


def uses(site: FunctionContext, attribute: str) -> Iterator[tuple[Function, ast.Attribute]]:
    """The functions that read or set an attribute of this name, and where.

    A method that uses it on `self` counts if its class is a base of this one, or may inherit from it; on another object
    it always counts.
    """
    names = _family_names(site)
    for function, node in _uses(site.project, attribute):
        if function.in_class in names or not is_name(node.value, function.receiver):
            yield function, node


def _family_names(site: FunctionContext) -> set[str]:
    own = site.relatives.named(site.function.in_class)
    return {each.owner.qualname for cls in own for each in family_of(site, cls)}


def may_set(site: FunctionContext, tree: ast.AST, attribute: str) -> bool:
    """Whether functions of the project that code calls, or that those call, bind an attribute of this name."""
    return any(any(attribute_stores(each.node, attribute)) for each in called_from(site, tree))


def called_from(site: FunctionContext, tree: ast.AST) -> Iterator[FunctionContext]:
    """The functions of the project that code of a site calls, and the functions that those call, each once."""
    pending, met = [(site, tree)], set[ast.AST]()
    while pending:
        caller, node = pending.pop()
        for called in (each for call in nodes_in(node, ast.Call) for each in _meant(caller, call.func)):
            if called.node not in met:
                met.add(called.node)
                yield site.at(called)
                pending.append((site.at(called), called.node))


def _meant(site: FunctionContext, called: ast.expr) -> Iterator[Function]:
    """The functions of the project that a call may run: for a method of `self`, also those of subclasses and bases."""
    method = site.self_attribute(called)
    if not method or site.cls is None:
        yield from filter(None, [site.definition(called)])
        return
    for cls in family_of(site, site.cls):
        if site.project.has(cls.owner.file):
            found = site.project.read(cls.owner.file).function_named(f"{cls.owner.qualname}.{method}")
            yield from filter(None, [found])


def may_change(site: FunctionContext, value: ast.expr, statement: ast.stmt, uses: Collection[ast.AST]) -> bool:
    """Whether code after a statement, up to some nodes, may bind names or attributes that an expression reads.

    A node in a lambda, a generator or an inner function may run later.
    """
    around = {outer for use in uses for outer in site.around(use)} - {site.node}
    if any(isinstance(outer, (ast.Lambda, ast.GeneratorExp, Scope)) for outer in around):
        return True
    read = names_and_attributes(ast.walk(value))
    attributes = [name.removeprefix(".") for name in read if name.startswith(".")]
    is_set = any(may_set(site, each, name) for each in until(site, statement, uses) for name in attributes)
    return is_set or not read.isdisjoint(bound_until(site, statement, uses))


def is_field_set(project: Project, field: str) -> bool:
    """Whether anything in the project sets an attribute of this name, except constructors on parts of `self`."""
    return any(
        not (root_name(node.value) == function.receiver and function.node.name in BUILDERS)
        for function, node in _uses(project, field)
        if not isinstance(node.ctx, ast.Load)
    )


def _uses(project: Project, attribute: str) -> Iterator[tuple[Function, ast.Attribute]]:
    for file in project.with_name(attribute):
        yield from project.read(file).attributes.get(attribute, ())


def declare(site: FunctionContext, cls: Class, *lines: str) -> list[Edit]:
    """The edits that add lines to the class body: after similar lines, otherwise at the top with a blank line."""
    tables = (s for s in cls.node.body if isinstance(s, ast.Assign) and is_name(s.targets[0], CONSTANTS))
    known: list[ast.stmt] = [s for s in cls.node.body if isinstance(s, ast.AnnAssign)] or [*tables]
    if known:
        return [site.insert_behind(known[-1], "\n".join(lines))]
    has_docstring = ast.get_docstring(cls.node, clean=False) is not None
    return _insert_between(site, cls.node.body[0], *lines, behind=has_docstring)


def construct(site: FunctionContext, line: str) -> list[Edit]:
    """The edits that add a constructor with a line to a class without one; several edits add a single constructor."""
    head = ("def __init__(self, *args, **kwargs):", "    super().__init__(*args, **kwargs)")
    return _insert_between(site, methods(site)[0].node, *head, f"    {line}")


def _insert_between(site: FunctionContext, statement: ast.stmt, *lines: str, behind: bool = False) -> list[Edit]:
    """The edits that insert lines in front of a statement or behind it, and one blank line between."""
    newline, indent = site.text.newline, site.text.indent(site.text.start(statement))
    start, end = site.text.line_start(opening_line(site.text, statement)), site.span(statement)[1]
    above = start - len(site.text.newline_before(start))
    added = [Edit(end if behind else above, f"{newline}{indent}{line}") for line in lines]
    return [Edit(end, newline), *added] if behind else [*added, Edit(start, newline)]


def add_to_list(site: FunctionContext, cls: Class, table: str, *names: str) -> list[Edit]:
    """The edits that add names to a list in the class body, which may exist; none to anything but a plain list."""
    quoted = [f'"{name}"' for name in names]
    lists = (s.value for s in cls.node.body if isinstance(s, ast.Assign) and is_name(s.targets[0], table))
    match next(lists, None):
        case None:
            return declare(site, cls, f"{table} = [{', '.join(quoted)}]")
        case ast.List([*_, last] as known):
            present = {ast.literal_eval(each) for each in known if isinstance(each, ast.Constant)}
            new = [each for each, name in zip(quoted, names, strict=True) if name not in present]
            return [site.replace(last, ", ".join([site.source(last), *new]))] if new else []
    return []


def add_method(site: FunctionContext, text: str) -> list[Edit] | None:
    """The edits that add a method to the class of a site, none if the class has it already.

    None if the name of the method means something else in the class, in its bases or in its heirs.
    """
    [new], cls = ast.parse(text).body, site.cls
    if cls is None or not isinstance(new, ast.FunctionDef):
        return None
    bodies = [defined_in(each.node.body) for each in family_of(site, cls)]
    is_set = any(not isinstance(node.ctx, ast.Load) for _, node in uses(site, new.name))
    if is_set or any(ast.unparse(body.get(new.name, new)) != ast.unparse(new) for body in bodies):
        return None
    return [] if new.name in bodies[0] else [site.insert_behind(cls.node.body[-1], f"\n{text}")]


def declare_constants(
    site: FunctionContext, cls: Class, *names: str, kind: str = "bool", value: str = ""
) -> list[Edit]:
    """The edits that declare attributes as constants, perhaps with a value; none if their table is no plain list.

    Under postponed annotations the compiler reads only a table.
    """
    setting = f" = {value}" if value else ""
    if not site.module.future_annotations:
        return declare(site, cls, *(f"{name}: {site.spell(FINAL)}[{kind}]{setting}" for name in names))
    listed = add_to_list(site, cls, CONSTANTS, *names)
    settings = declare(site, cls, *(f"{name}{setting}" for name in names)) if value and listed else []
    return list(dict.fromkeys((*listed, *settings)))


def is_of_torch(site: FunctionContext, cls: Class, package: str = "torch") -> bool:
    """Whether a class names a class of the package as a base."""
    return any(f"{meant}.".startswith(f"{package}.") for meant in meant_bases(site.project, cls).values())


def meant_bases(project: Project, cls: Class) -> dict[str, str]:
    """The bases of a class as written, each with the name that it has through imports."""
    imports = project.names.imports_in(cls.owner.file)
    split = ((base, *base.partition(".")) for base in cls.bases)
    return {base: (imports[root].target if root in imports else root) + dot + rest for base, root, dot, rest in split}


def family_of(site: FunctionContext, cls: Class) -> tuple[Class, ...]:
    """A class, the classes that it inherits from, and the classes that may inherit from it."""
    return (cls, *site.relatives.ancestors(cls), *site.relatives.heirs(cls))


def calls_around(site: FunctionContext) -> Iterator[tuple[FunctionContext, ast.Call]]:
    """The calls in functions of the class and of its bases, and in functions of the file that are in no class.

    They may make layers.
    """
    bases = Relatives(site.project.names).ancestors(site.cls) if site.cls else []
    own = {"", site.function.in_class, *(base.owner.qualname for base in bases if base.owner.file == site.file)}
    for function in site.module.functions:
        if function.in_class in own:
            inner = site.at(function)
            yield from ((inner, node) for node in nodes_in(function.node, ast.Call))


def body_of(node: Definition) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return node.body[ast.get_docstring(node, clean=False) is not None :]


LISTS = ("torch.nn.modules.container.ModuleList", "torch.nn.modules.container.Sequential")
PARAMETERS = "torch.nn.modules.container.ParameterList"
LISTED = ("builtins.list", "builtins.tuple")
KEYED = ("builtins.dict", "collections.OrderedDict")


def is_list(held: Held) -> bool:
    return bool(held.values) and not held.lacking and all(value.type in LISTS for value in held.values)


def is_list_of_lists(held: Held) -> bool:
    items = {item for value in held.values for item in value.items}  # some lists may be empty
    return is_list(held) and bool(items) and items <= set(LISTS)


def layers_in(site: FunctionContext, attribute: str, types: Collection[str] = (*LISTED, *KEYED)) -> dict[str, str]:
    """The registered layers that a plain list or dict of `self` holds: by index or key, the code that reads each.

    All modules have the same list. They may have dicts with different keys, but a key means the same in each.
    """
    held, named = site.held(attribute), site.held(f"{attribute}[]")
    found = {value.type for value in held.values}
    is_fixed = not (held.changes or named.changes or held.lacking or named.lacking or is_set_later(site, attribute))
    is_known = len(found) == 1 and found <= set(types) and (len(named.values) == 1 or found <= set(KEYED))
    paths = ((f"{site.function.receiver}{path}" for path in value.name.split()) for value in named.values)
    pairs = [
        pair for value, each in zip(named.values, paths, strict=True) for pair in zip(value.keys, each, strict=True)
    ]
    layers = dict(pairs)
    return layers if is_fixed and is_known and len(layers) == len(set(pairs)) else {}


def length_of(site: FunctionContext, attribute: str) -> int | None:
    """The length of a list of layers, if it is the same in all modules."""
    held = site.held(attribute)
    lengths = {value.length for value in held.values}
    return lengths.pop() if is_list(held) and len(lengths) == 1 else None


def name_of_one(site: FunctionContext, attribute: str, taken: Iterable[str] = ()) -> str:
    """`self.layers` → layer, `self._convs` → conv, `self.emb` → emb_layer: a name that the function does not know."""
    word = attribute.strip("_")
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    else:
        word = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else f"{word}_layer"
    return site.first_free(itertools.chain((word, f"one_{word}"), numbered(word, 2)), taken)


def bare_name(site: FunctionContext, attribute: str) -> str:
    """The name of an attribute without underscores at its ends, unless another attribute then has the same name."""
    bare, held = attribute.strip("_"), site.shown.facts.held.get((site.file, site.function.in_class), {})
    return bare if [name.strip("_") for name in held].count(bare) < 2 else attribute


def is_compared(site: FunctionContext, cls: str) -> bool:
    """Whether code of the project compares a class, or has it as a key of a dict: a subclass would not be equal."""
    nodes = [node for file in site.project.with_name(cls) for node in site.project.read(file).nodes]
    keys = (key for node in nodes if isinstance(node, ast.Dict) for key in node.keys if key)
    return any(cls in last_names(each) for each in (*keys, *(n for n in nodes if isinstance(n, ast.Compare))))


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and is_name(node.func, name)


def is_property(function: Function) -> bool:
    return not {each.rpartition(".")[2] for each in function.decorators}.isdisjoint(PROPERTIES)


def is_new_list(site: FunctionContext, name: str) -> bool:
    """Whether a local only holds lists that the function makes, by displays, comprehensions and calls of `list`."""

    def is_new(node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add)):
            return is_new(node.left) or is_new(node.right)
        return isinstance(node, (ast.List, ast.ListComp)) or is_call(node, "list")

    settings = assignments(site.node, name)
    is_plain = len(stores(site.node, name)) == len(settings) > 0 and "list" not in site.known_names
    return is_plain and all(is_new(each.value) for each in settings)


def name_read(site: FunctionContext, node: ast.AST) -> ast.expr | None:
    """The name in an expression that reads an attribute of `self` by its name."""
    own = site.function.receiver
    match node:
        case ast.Subscript(ast.Attribute(ast.Name(name), "_modules"), key) if name == own:
            return key
        case ast.Call(ast.Attribute(ast.Name(name), "__getattr__"), [key], []) if name == own:
            return key
        case ast.Call(ast.Name("getattr"), [ast.Name(name), key], []) if name == own:
            return key
    return None


ASKING = frozenset(("hasattr", "getattr", "delattr", "get", "pop"))


def is_asked(site: FunctionContext, name: str) -> bool:
    """Whether code may notice that an attribute is there: it asks for the name, or the class itself defines it."""
    return _is_defined(site, name) or any(asking(site, name))


def _is_defined(site: FunctionContext, name: str) -> bool:
    return site.cls is not None and name in {*defined_in(site.cls.node.body), *dict(site.cls.annotated)}


def asking(site: FunctionContext, name: str) -> Iterator[ast.AST]:
    """The expressions of the project that ask by name whether an attribute is there, except on unrelated modules."""
    names = _family_names(site)
    for module in map(site.project.read, site.project.with_name(name)):
        for node in (each for each in module.nodes if _asks(each, name)):
            function = module.function_at(node.lineno)  # type: ignore[attr-defined]
            first = getattr(node, "args", [None])[0]
            if not function or function.in_class in names or not first or not is_name(first, function.receiver):
                yield node


def without_asking(site: FunctionContext, name: str) -> list[Edit] | None:
    """The edits after which no method asks for an attribute that is None where it was missing; None if some code does.

    `hasattr(self, "x")` becomes `self.x is not None`, and `getattr(self, "x", None)` becomes `self.x`.
    """
    if _is_defined(site, name):
        return None
    edits, own_methods = list[Edit](), [site.at(method) for method in methods(site) if method.receiver]
    for node in asking(site, name):
        method = next((each for each in own_methods if node in each.parents), None)
        args = node.args if isinstance(node, ast.Call) else []
        if method is None or not args or not is_name(args[0], method.function.receiver):
            return None
        own = f"{method.function.receiver}.{name}"
        if is_call(node, "hasattr") and not any(v.type == NOTHING for v in site.held(name).values):
            edits.append(put_in(method, node, Expression(f"{own} is not None", COMPARE)))
        elif is_call(node, "getattr") and len(args) == 3 and is_none(args[2]):
            edits.append(method.replace(node, own))
        else:
            return None
    return edits


def _asks(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(args=asked) if called_name(node) in ASKING:
            return any(isinstance(each, ast.Constant) and each.value == name for each in asked)
        case ast.Compare(ast.Constant(word), [ast.In() | ast.NotIn()], [container]):
            return word == name and not isinstance(container, (ast.Tuple, ast.List, ast.Set))
    return False


def set_to_none(site: FunctionContext, name: str) -> list[Edit]:
    """The edits that make the constructor set an attribute to None in instances that lack it."""
    built = constructor(site)
    if built is None:
        return construct(site, f"self.{name} = None") if site.function.receiver == "self" else []
    receiver, line = built.receiver, f"{built.receiver}.{name} = None"
    assigns = [n for n in nodes_in(built.node, ast.Assign) if any(attribute_stores(n, name))]
    if any(is_none(assign.value) for assign in assigns):
        return []
    setting = [statement for statement in built.node.body if any(attribute_stores(statement, name, receiver))]
    if not setting:
        inherited = last_setting(built, name)
        return [site.insert_behind(inherited, line)] if inherited and site.begins_line(inherited) else []
    match setting:
        case [ast.If(orelse=[]) as choice] if not set(choice.body).isdisjoint(assigns):
            return add_else(site, choice, line)
    return [site.insert_before(setting[0], line)]
