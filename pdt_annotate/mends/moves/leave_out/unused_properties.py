"""A property is hidden from the compiler, and methods of its class use the returned expression instead.

Message: Any message in a property, or in code that it calls; also an exception that the property raises in Python. Then
    its name goes into a table in the class, too. In a subclass, torch evaluates the property all the same.
Kind: Scripted.
Needs: Either no compiled code reads the property, or only methods of its class read it. In the second case, it only
    returns an expression of `self` and of global names, and no subclass overrides it. Methods of subclasses may read it
    if the expression has no global names. In the first case, other properties of the class that neither compiled code
    nor the example calls read are hidden, too. Such properties may read each other. Properties of the same names in
    subclasses are hidden with them.
Before:
    class Net(nn.Module):
        @property
        def norm(self):
            return getattr(self, self.norm_name)

        def forward(self, x):
            return self.norm(x)
After:
    class Net(nn.Module):
        @property
        @torch.jit.unused
        def norm(self):
            return getattr(self, self.norm_name)

        def forward(self, x):
            return getattr(self, self.norm_name)(x)
"""

import ast
import builtins
from collections.abc import Iterator, Sequence

from pdt_annotate.mends.kit.blocks import UNUSED
from pdt_annotate.mends.kit.construction import PROPERTIES, add_to_list, body_of, is_property, uses
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, anything, is_raised
from pdt_annotate.mends.kit.spelled import put_in, spell
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.scopes import defined_in, names_in
from pdt_annotate.source.syntax import last_name, nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

IGNORED = "__jit_ignored_attributes__"


def find(site: FunctionContext) -> Iterator[Mend]:
    name = site.node.name
    if site.failure is None or site.cls is None or not is_property(site.function):
        return
    idle = [each.node.name for each in _idle(site, site.cls)]
    reads = [] if name in idle else _reads(site, site.function)
    expression = _expression(site, reads) if reads else None
    names = idle if name in idle else [name]
    found = (each for cls in (site.cls, *site.relatives.heirs(site.cls)) for each in _getters(site, cls, names))
    hidden = [(each.file, _hide(each)) for each in found if "jit.unused" not in "".join(each.function.decorators)]
    edits = [edit for file, edit in hidden if file == site.file]
    if is_raised(site.failure):  # the compiler gets all attributes of a model
        edits += add_to_list(site, site.cls, IGNORED, *names)
    if edits and (expression or not reads):
        put = [(reader.file, put_in(reader, node, spell(site, expression))) for reader, node in reads if expression]
        put += [each for each in hidden if each[0] != site.file]
        owners = ", ".join(f"`{site.function.in_class}.{each}`" for each in names)
        left_out = f"the property {owners}" if len(names) == 1 else f"the properties {owners}"
        yield site.mend(site.node, f"leave out {left_out}", edits, left_out=left_out, elsewhere=put)


def _getters(site: FunctionContext, cls: Class, names: Sequence[str]) -> Iterator[FunctionContext]:
    """The functions of a class that get these properties, otherwise the functions that set them."""
    for name in names:
        own = [
            f for f in site.project.read(cls.owner.file).functions if f.owner.qualname == f"{cls.owner.qualname}.{name}"
        ]
        properties = [each for each in own if is_property(each)]
        getters = [each for each in properties if not any(word.endswith(".setter") for word in each.decorators)]
        yield from map(site.at, getters or properties)


def _hide(site: FunctionContext) -> Edit:
    """The decorator directly below that of the property: further decorators may return another function."""
    decorators = (each for each in site.node.decorator_list if last_name(each) in PROPERTIES)
    start = site.text.line_start((next(decorators).end_lineno or 0) + 1)
    return Edit(start, f"{site.text.indent(start)}@{site.spell(UNUSED)}\n")


def _idle(site: FunctionContext, cls: Class) -> list[Function]:
    """The properties of the class, the failing one or not entered, that compiled code reads only in each other."""
    methods = (site.module.function_named(f"{cls.owner.qualname}.{each}") for each in defined_in(cls.node.body))
    known = [each for each in methods if each and is_property(each)]
    idle = [each for each in known if each.node.name == site.node.name or not site.is_entered(each)]
    while read := [each for each in idle if _reads(site, each, idle)]:
        idle = [each for each in idle if each not in read]
    return idle


def _reads(
    site: FunctionContext, function: Function, but: Sequence[Function] = ()
) -> list[tuple[FunctionContext, ast.Attribute]]:
    """The code that the compiler comes to, except these functions, that may read an attribute of the name."""
    own = {each.owner.name for each in (function, *but)}
    found = ((site.at(reader), node) for reader, node in uses(site, function.node.name) if site.is_compiled(reader))
    others = ((reader, node) for reader, node in found if reader.function.owner.name not in own)
    return [(reader, node) for reader, node in others if not _is_of_another(reader, node.value)]


def _is_of_another(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression had only values that are no modules: tensors, or values of Python's own classes."""
    types = {value.type for value in site.values(node)}
    is_plain = bool(types) and all(each in TENSORS or each.startswith("builtins.") for each in types)
    return is_plain or site.is_always(node, *TENSORS)


def _expression(site: FunctionContext, reads: Sequence[tuple[FunctionContext, ast.Attribute]]) -> ast.expr | None:
    """The expression that a property returns, if it may replace all reads of the property."""
    match body_of(site.node):
        case [ast.Return(ast.expr() as value)]:
            names = names_in(value) - {site.function.receiver}
        case _:
            return None
    heirs = site.relatives.heirs(site.cls) if site.cls else ()
    is_overridden = site.cls is not None and site.relatives.is_overridden(site.cls, site.node.name)
    places = {(heir.owner.file, heir.owner.qualname) for heir in heirs}
    is_private = any(each.attr.startswith("__") for each in nodes_in(value, ast.Attribute))

    def means_the_same(reader: FunctionContext) -> bool:
        place = (reader.file, reader.function.in_class)
        if place == (site.file, site.function.in_class):
            return reader.local_names.isdisjoint(names)
        return (
            place in places
            and not is_private
            and reader.known_names.isdisjoint(names)
            and names <= {*dir(builtins)} - {"super"}
        )

    is_same = names <= {*site.imports, *site.module.qualnames, *dir(builtins)} and all(
        means_the_same(reader)
        and reader.function.receiver == site.function.receiver
        and reader.self_attribute(node)
        and isinstance(node.ctx, ast.Load)
        for reader, node in reads
    )
    return value if is_same and not is_overridden else None


RULE = MendRule("unused_properties", MendKind.SCRIPTED, anything, find)
