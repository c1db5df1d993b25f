"""A global or class constant becomes a `Final` attribute of the class, or the default of a parameter of the function.

Message: `python value of type '…' cannot be used as a value. Perhaps it is a closed over global variable?`
Kind: Exact. Scripted if code sets a class constant on the class, because the scripted model keeps one value.
Needs:
    - A global constant is a bool, a number, a string or a device. It is assigned only at the top level of the file,
      before the class or function that reads it is defined. If the file computes it, it is assigned once.
    - Or the file imports it by name, and an example reads it; the numbers of `math` and numpy need no example.
    - A class constant is assigned only in the body of its class, or on the class. No other class in the file, and no
      subclass in the project, has an attribute with the same name or assigns it on an object.
    - A dtype that the file imports by name, such as `float32`, is read as `torch.float32` if the file imports torch.
    - A function that gets a new parameter has neither `*args` nor `**kwargs` nor keyword-only parameters.
Before:
    class Attention(nn.Module):
        scaled = True

        def forward(self, x):
            return run(x) if EPSILON > 0 and Attention.scaled else x


    def run(x):
        return x + EPSILON
After:
    class Attention(nn.Module):
        _epsilon: Final[float] = EPSILON
        scaled: Final[bool] = True

        def forward(self, x):
            return run(x) if self._epsilon > 0 and self.scaled else x


    def run(x, epsilon=EPSILON):
        return x + epsilon
"""

import ast
import re
from collections.abc import Iterator, Sequence, Set

from pdt_annotate.findings.messages.said import CLOSED_OVER
from pdt_annotate.mends.kit.construction import attribute_stores, declare_constants
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, targets
from pdt_annotate.source.definitions import Class, Definition, first_line, literal_type
from pdt_annotate.source.scopes import bindings, names_in
from pdt_annotate.source.syntax import dotted_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

PLAIN = ("bool", "int", "float", "str")
KINDS = {**{f"builtins.{kind}": kind for kind in PLAIN}, "torch.device": "torch.device"}  # by observed type
DTYPE = re.compile(r"torch\.(bfloat16|float\d*|double|half|u?int\d*|long|short|bool|complex\d+)")
IMPORTED = frozenset(f"{module}.{name}" for module in ("math", "numpy") for name in ("e", "inf", "nan", "pi", "tau"))


def find(site: FunctionContext) -> Iterator[Mend]:
    nodes = (node for statement in site.node.body for node in ast.walk(statement))
    named = [node for node in nodes if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)]
    package = next((name for name, each in site.imports.items() if each.target == "torch"), "")
    for node in named if package and package not in site.local_names else ():
        dtype = DTYPE.fullmatch(site.meaning(node)) if isinstance(node, ast.Name) else None
        if dtype:
            new = f"{package}.{dtype[1]}"
            yield site.mend(node, f"write `{ast.unparse(node)}` as `{new}`", [site.replace(node, new)])
    read = [(dotted_name(node), node) for node in named]
    for name in dict.fromkeys(name for name, _ in read if name.partition(".")[0] not in site.local_names):
        uses = [node for each, node in read if each == name]
        types = {value.type for use in uses for value in site.values(use)}
        kind = _kind_of_global(site, name, types)
        if kind and types - {each for each, known in KINDS.items() if known == kind}:  # of an enumeration
            continue
        if kind and site.cls is not None and site.function.receiver:
            yield from _to_class(site, site.cls, name, kind, uses)
        elif kind and not site.function.in_class and "." not in site.function.owner.qualname:
            yield from _to_parameter(site, name, uses)
        elif site.cls is not None and site.function.receiver and name == site.cls.node.name:
            yield from _from_class(site, site.cls, uses)


def _kind_of_global(site: FunctionContext, name: str, types: Set[str]) -> str:
    """The type of a constant that the file binds before the definition, and never again; "" for anything else.

    If the file imports the constant by its name, or computes it once, the observed type counts.
    """
    if name in site.imports and site.imports[name].target in IMPORTED:
        return "float"
    definition = (site.cls or site.function).owner.line
    around, _, last = name.rpartition(".")
    spaces = [each for each in site.module.namespaces if each.qualname == around]  # of a class, or of the module
    if len(spaces) != 1 or isinstance(spaces[0].node, Definition) or (site.cls and spaces[0].node is site.cls.node):
        return ""
    bound = [(each.node, value) for each in spaces[0].statements for n, value in bindings(each.node) if n == last]
    elsewhere = {n for node in site.module.nodes if isinstance(node, ast.Global) for n in node.names}
    elsewhere |= {node.target.id for node in site.module.nodes if isinstance(node, ast.NamedExpr)}
    known = (ast.Assign, ast.AnnAssign, ast.ImportFrom)
    is_constant = all(isinstance(node, known) and node.lineno < definition for node, _ in bound)
    if not bound or not is_constant or name in elsewhere or (around and any(attribute_stores(site.module.tree, last))):
        return ""
    observed = next((kind for each, kind in KINDS.items() if types == {each}), "")
    kinds = {_kind(value) or (observed if len(bound) == 1 or value is None else "") for _, value in bound}
    return kinds.pop() if len(kinds) == 1 else ""


def _kind(value: ast.expr | None) -> str:
    kind = literal_type(value) if value is not None else None
    return kind.name if kind is not None and kind.name in PLAIN else ""


def _to_class(site: FunctionContext, cls: Class, name: str, kind: str, uses: Sequence[ast.expr]) -> Iterator[Mend]:
    attribute = f"_{name.lower().lstrip('_').replace('.', '_')}"
    taken = names_in(cls.node)
    postponed = site.module.future_annotations  # then the compiler reads no `Final`
    kinds = ast.Assign if postponed else ast.AnnAssign
    present = [s for s in cls.node.body if isinstance(s, kinds) and is_name(targets(s)[0], attribute)]
    if postponed and not any(f"'{attribute}'" in ast.unparse(s) for s in cls.node.body if isinstance(s, ast.Assign)):
        present = []
    if present and ast.unparse(present[0].value or present[0]) != name:
        return
    if not present and (attribute in taken or any(attribute_stores(site.module.tree, attribute))):
        return
    new = f"{site.function.receiver}.{attribute}"
    edits = [site.replace(use, new) for use in uses]
    kind = kind if kind in PLAIN else site.spell(kind)
    declared = [] if present else declare_constants(site, cls, attribute, kind=kind, value=name)
    if present or declared:
        yield site.mend(uses[0], f"read `{name}` as `{new}`, a constant of the class", [*edits, *declared])


def _to_parameter(site: FunctionContext, name: str, uses: Sequence[ast.expr]) -> Iterator[Mend]:
    arguments = site.node.args
    if arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        return
    parameter = name.lower().lstrip("_").replace(".", "_")
    if parameter in site.local_names or (parameter != name and loads(site.node, parameter)):
        return
    ends = [site.span(node)[1] for node in (*arguments.args, *arguments.posonlyargs, *arguments.defaults)]
    end = max(ends, default=site.text.body.index(b"(", site.text.name_start(site.node)) + 1)
    added = f"{', ' * bool(ends)}{parameter}={name}"
    edits = [Edit(end, added), *(site.replace(use, parameter) for use in uses)]
    yield site.mend(uses[0], f"make `{name}` the default of a parameter", edits)


def _from_class(site: FunctionContext, cls: Class, uses: Sequence[ast.expr]) -> Iterator[Mend]:
    for read in map(site.parents.__getitem__, uses):
        if isinstance(read, ast.Attribute) and isinstance(read.ctx, ast.Load):
            edits, new, name = _own(site, cls, read.attr), f"{site.function.receiver}.{read.attr}", site.source(read)
            trees = (site.project.read(file).tree for file in site.project.with_name(read.attr))
            is_switch = any(dotted_name(n) == name for tree in trees for n in attribute_stores(tree, read.attr))
            left_out = f"the case that `{name}` is set to another value" if is_switch else ""
            if edits is not None:
                edits = [site.replace(read, new), *edits]
                yield site.mend(read, f"read `{name}` as `{new}`", edits, left_out=left_out)


def _own(site: FunctionContext, cls: Class, attribute: str) -> list[Edit] | None:
    """The edits that make an attribute a constant if only the class body sets it; None if other code sets it too."""
    heirs = site.relatives.heirs(cls)
    classes = {each.owner: each for each in (*site.module.classes, *heirs)}.values()
    bodies = [s for each in classes for s in each.node.body if isinstance(s, (ast.Assign, ast.AnnAssign))]
    setting = [s for s in bodies if any(is_name(target, attribute) for target in targets(s))]
    trees = (site.module.tree, *(heir.node for heir in heirs))
    others = [n for tree in trees for n in attribute_stores(tree, attribute) if not is_name(n.value, cls.node.name)]
    own = [s for s in cls.node.body if s in setting]
    if len(setting) != 1 or own != setting or others or first_line(own[0]) > first_line(site.node):
        return None
    [statement], kind = setting, _kind(setting[0].value)
    if site.module.future_annotations:
        return (declare_constants(site, cls, attribute) or None) if kind else None
    if isinstance(statement, ast.AnnAssign):
        return [] if "Final" in ast.unparse(statement.annotation) else None
    return [Edit(site.span(statement.targets[0])[1], f": {site.spell(f'typing.Final[{kind}]')}")] if kind else None


RULE = MendRule("global_constants", MendKind.EXACT, said(CLOSED_OVER), find)
