"""The attributes of a class: the statements that set them, whether they change later, and lists of layers."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from pdt_annotate.mends.kit.context import NOTHING, FunctionContext
from pdt_annotate.mends.kit.spelled import COMPARE, Expression, is_none, put_in, targets
from pdt_annotate.source.definitions import Class, Definition, Function, opening_line
from pdt_annotate.source.imports import Relatives
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import defined_in
from pdt_annotate.source.syntax import called_name, is_call_of, is_name, numbered, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held

FINAL = "typing.Final"
BUILDERS = ("__init__", "__post_init__", "__new__")


def constructor(site: FunctionContext) -> Function | None:
    own = (f for f in site.module.functions if f.in_class and f.in_class == site.function.in_class)
    return next((f for f in own if f.node.name == "__init__" and f.receiver), None)


def setting_of(function: Function, attribute: str) -> ast.Assign | None:
    """The assignment of a constructor that alone sets an attribute."""
    stored = list(stores(function.node, attribute))
    return next((s for s in ast.walk(function.node) if isinstance(s, ast.Assign) and s.targets == stored), None)


def last_setting(function: Function, attribute: str) -> ast.stmt | None:
    """The last top-level statement of a constructor that sets an attribute of `self`, in any branch.

    A call of the base class's constructor may set it too, and counts if no other statement does.
    """
    setting = [s for s in function.node.body if any(stores(s, attribute, function.receiver))]
    inheriting = [s for s in function.node.body if isinstance(s, ast.Expr) and is_call_of(s.value, "__init__")]
    return next(iter([*setting[-1:], *inheriting[-1:]]), None)


def last_setting_of_all(function: Function, attributes: Sequence[str]) -> ast.stmt | None:
    found = [last_setting(function, name) for name in attributes]
    known = [statement for statement in found if statement is not None]
    return max(known, key=lambda statement: statement.lineno) if len(known) == len(found) else None


def stores(tree: ast.AST, attribute: str, receiver: str = "") -> Iterator[ast.Attribute]:
    """The places that bind or delete an attribute of this name: of the receiver, or of any object if none is named."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr != attribute or isinstance(node.ctx, ast.Load):
            continue
        if not receiver or is_name(node.value, receiver):
            yield node


def is_set_later(site: FunctionContext, attribute: str) -> bool:
    """Whether the project sets an attribute of this name anywhere except in the constructor of the class.

    The constructor of a subclass does not count if it repeats the assignment, and passes the names in it to a base.
    """
    built = constructor(site)
    own = setting_of(built, attribute) if built else None
    names = {node.id for node in ast.walk(own.value) if isinstance(node, ast.Name)} if own else set()

    def is_same(function: Function) -> bool:
        again = setting_of(function, attribute) if function.node.name == "__init__" else None
        if own is None or again is None or ast.dump(again) != ast.dump(own):
            return False
        calls = (node for node in ast.walk(function.node) if is_call_of(node, "__init__"))
        return any(names <= {arg.id for arg in call.args if isinstance(arg, ast.Name)} for call in calls)

    return any(
        function.node is not (built.node if built else None) and not is_same(function)
        for function, node in uses(site, attribute)
        if not isinstance(node.ctx, ast.Load)
    )


def uses(site: FunctionContext, attribute: str, *, bases: bool = False) -> Iterator[tuple[Function, ast.Attribute]]:
    """The functions that read or set an attribute of this name, and where.

    A method that uses it on `self` counts if its class may inherit from this one, or, if asked for, this one from its
    class; on another object it always counts.
    """
    names = family(site, bases=bases)
    for function, node, is_own in _uses(site.project, attribute):
        if not is_own or function.in_class in names:
            yield function, node


def family(site: FunctionContext, *, bases: bool) -> set[str]:
    """The names of the class and of the classes that may inherit from it; with `bases`, also of its bases."""
    known = site.relatives
    own = known.named(site.function.in_class)
    above = (base for cls in own for base in known.ancestors(cls)) if bases else ()
    return {each.owner.qualname for each in (*own, *above, *(heir for cls in own for heir in known.heirs(cls)))}


def may_set(site: FunctionContext, tree: ast.AST, attribute: str) -> bool:
    """Whether functions of the project that an expression calls, or that those call, bind an attribute of this name."""
    pending, met = [(site, tree)], set[int]()
    while pending:
        caller, node = pending.pop()
        calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
        for called in filter(None, (caller.definition(call.func) for call in calls)):
            if any(stores(called.node, attribute)):
                return True
            if id(called.node) not in met:
                met.add(id(called.node))
                pending.append((site.at(called), called.node))
    return False


def is_field_set(project: Project, field: str) -> bool:
    """Whether anything in the project sets an attribute of this name, except constructors on parts of `self`."""
    return any(
        not (root_name(node.value) == function.receiver and function.node.name in BUILDERS)
        for function, node, _ in _uses(project, field)
        if not isinstance(node.ctx, ast.Load)
    )


def _uses(project: Project, attribute: str) -> Iterator[tuple[Function, ast.Attribute, bool]]:
    for file in project.with_name(attribute):
        for function in project.read(file).functions:
            for node in ast.walk(function.node):
                if isinstance(node, ast.Attribute) and node.attr == attribute:
                    yield function, node, is_name(node.value, function.receiver)


def declare(site: FunctionContext, cls: Class, *lines: str) -> list[Edit]:
    """The edits that add lines to the class body: after similar lines, otherwise at the top with a blank line."""
    known = [s for s in cls.node.body if isinstance(s, ast.AnnAssign)]
    if known:
        return [site.insert_behind(known[-1], "\n".join(lines))]
    first, newline = cls.node.body[0], site.text.newline
    indent = site.text.indent(site.text.start(first))
    added = "".join(f"{newline}{indent}{line}" for line in lines)
    if is_docstring(first):
        end = site.span(first)[1]
        return [Edit(end, newline), Edit(end, added)]
    start = site.text.line_start(opening_line(site.text, first))
    return [Edit(start - len(newline), added), Edit(start, newline)]


def add_method(site: FunctionContext, text: str) -> list[Edit] | None:
    """The edits that add a method to the class of a site, none if the class has it already.

    None if the name of the method means something else in the class, in its bases or in its heirs.
    """
    [new], cls = ast.parse(text).body, site.cls
    if cls is None or not isinstance(new, ast.FunctionDef):
        return None
    bodies = [defined_in(each.node.body) for each in (cls, *site.relatives.ancestors(cls), *site.relatives.heirs(cls))]
    is_set = any(not isinstance(node.ctx, ast.Load) for _, node in uses(site, new.name, bases=True))
    if is_set or any(ast.unparse(body.get(new.name, new)) != ast.unparse(new) for body in bodies):
        return None
    return [] if new.name in bodies[0] else [site.insert_behind(cls.node.body[-1], f"\n{text}")]


def declare_constants(site: FunctionContext, cls: Class, *names: str) -> list[Edit]:
    """The declaration that attributes are constants; under postponed annotations the compiler reads only a table."""
    if site.module.future_annotations:
        quoted = ", ".join(f'"{name}"' for name in names)
        return declare(site, cls, f"__constants__ = [{quoted}]")
    return declare(site, cls, *(f"{name}: {site.spell(FINAL)}[bool]" for name in names))


def is_of_torch(site: FunctionContext, cls: Class, package: str = "torch") -> bool:
    """Whether a class names a class of the package as a base."""
    imports = site.project.names.names_in(cls.owner.file).imports
    split = (base.partition(".") for base in cls.bases)
    named = (imports[root].target + dot + rest for root, dot, rest in split if root in imports)
    return any(f"{name}.".startswith(f"{package}.") for name in named)


def calls_around(site: FunctionContext) -> Iterator[tuple[FunctionContext, ast.Call]]:
    """The calls in functions of the class and of its bases, and in functions of the file that are in no class.

    They may make layers.
    """
    bases = Relatives(site.project.names).ancestors(site.cls) if site.cls else []
    own = {"", site.function.in_class, *(base.owner.qualname for base in bases if base.owner.file == site.file)}
    for function in site.module.functions:
        if function.in_class in own:
            inner = site.at(function)
            yield from ((inner, node) for node in ast.walk(function.node) if isinstance(node, ast.Call))


def is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def body_of(node: Definition) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return node.body[is_docstring(node.body[0]) :]


LISTS = ("torch.nn.modules.container.ModuleList", "torch.nn.modules.container.Sequential")


def is_list(held: Held) -> bool:
    return bool(held.values) and not held.lacking and all(value.type in LISTS for value in held.values)


def is_list_of_lists(held: Held) -> bool:
    return is_list(held) and all(value.items and set(value.items) <= set(LISTS) for value in held.values)


def names_in_list(site: FunctionContext, attribute: str) -> list[str]:
    """The names of the layers that a plain list of `self` holds, if they are the same in all modules."""
    held, named = site.held(attribute), site.held(f"{attribute}[]")
    names = named.values[0].name.split() if len(named.values) == 1 and not named.lacking else []
    is_fixed = not (held.changes or held.lacking or is_set_later(site, attribute))
    return names if is_fixed and all(map(str.isidentifier, names)) else []


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


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and is_name(node.func, name)


ASKING = frozenset(("hasattr", "getattr", "delattr", "get", "pop"))


def is_asked(site: FunctionContext, name: str) -> bool:
    """Whether code may notice that an attribute is there: it asks for the name, or the class itself defines it."""
    return _is_defined(site, name) or bool(asking(site, name))


def _is_defined(site: FunctionContext, name: str) -> bool:
    body = site.cls.node.body if site.cls else []
    bound = (target for s in body if isinstance(s, (ast.Assign, ast.AnnAssign)) for target in targets(s))
    in_class = any(is_name(node, name) for target in bound for node in ast.walk(target))
    return in_class or any(getattr(s, "name", "") == name for s in body)


def asking(site: FunctionContext, name: str) -> list[ast.AST]:
    """The expressions of the project that ask by name whether an attribute is there, except on unrelated modules."""
    names, found = family(site, bases=True), list[ast.AST]()
    for module in map(site.project.read, site.project.with_name(name)):
        for node in (each for each in module.nodes if _asks(each, name)):
            function = module.function_at(node.lineno)  # type: ignore[attr-defined]
            asked = getattr(node, "args", [])[:1]
            is_own = function and any(is_name(each, function.receiver) for each in asked)
            found += [] if is_own and function and function.in_class not in names else [node]
    return found


def without_asking(site: FunctionContext, name: str) -> list[Edit] | None:
    """The edits after which no method asks for an attribute that is None where it was missing; None if some code does.

    `hasattr(self, "x")` becomes `self.x is not None`, and `getattr(self, "x", None)` becomes `self.x`.
    """
    edits: list[Edit] = []
    methods = [site.at(f) for f in site.module.functions if f.in_class == site.function.in_class and f.receiver]
    if _is_defined(site, name):
        return None
    for node in asking(site, name):
        inside = (method for method in methods if node in method.parents)
        method, args = next(inside, None), node.args if isinstance(node, ast.Call) else []
        if method is None or not isinstance(node, ast.Call) or not is_name(args[0], method.function.receiver):
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
    asked = node.args if isinstance(node, ast.Call) and called_name(node) in ASKING else []
    if isinstance(node, ast.Compare) and not isinstance(node.comparators[0], (ast.Tuple, ast.List, ast.Set)):
        asked = [node.left] if isinstance(node.ops[0], (ast.In, ast.NotIn)) else []
    return any(isinstance(each, ast.Constant) and each.value == name for each in asked)


def set_to_none(site: FunctionContext, name: str) -> list[Edit]:
    """The edits that make the constructor set an attribute to None in instances that lack it."""
    built = constructor(site)
    if built is None:
        return _construct(site, name)
    to_none = (n for n in ast.walk(built.node) if isinstance(n, ast.Assign) and is_none(n.value))
    if any(isinstance(t, ast.Attribute) and t.attr == name for assign in to_none for t in assign.targets):
        return []
    statement, line = last_setting(built, name), f"{built.receiver}.{name} = None"
    first = next((s for s in built.node.body if any(stores(s, name, built.receiver))), None)
    if first is None:
        return [site.insert_behind(statement, line)] if statement and site.begins_line(statement) else []
    plain = [s for s in getattr(first, "body", []) if isinstance(s, ast.Assign)]
    is_set = any(stored for s in plain for stored in stores(s, name, built.receiver))
    if first is not statement or not isinstance(first, ast.If) or first.orelse or not is_set:
        return [site.insert_before(first, line)]
    # The other branch begins at the end of the last line of the first: the next line may be edited too.
    last = site.end_of_lines(first.body[-1])
    end = len(site.text.body[:last].rstrip(b"\r\n"))
    outer, inner = (site.text.newline + site.text.indent(site.text.start(s)) for s in (first, first.body[0]))
    return [Edit(end, f"{outer}else:"), Edit(end, f"{inner}{line}")]


def _construct(site: FunctionContext, name: str) -> list[Edit]:
    """The edits that add a constructor, which sets all attributes that calls set first, to a class without one."""
    body = site.cls.node.body if site.cls else []
    first = next((s for s in body if isinstance(s, ast.FunctionDef)), None)
    nodes = (n for n in ast.walk(site.cls.node) if isinstance(n, ast.Attribute)) if site.cls else ()
    names = sorted({n.attr for n in nodes if isinstance(n.ctx, ast.Store) and is_name(n.value, "self")})
    found = (each for each in names if site.lacks(each) and (each == name or not is_asked(site, each)))
    lines = [f"    self.{each} = None" for each in found]
    head = ("def __init__(self, *args, **kwargs):", "    super().__init__(*args, **kwargs)")
    return [site.insert_before(first, "\n".join((*head, *lines, "")))] if first and lines else []
