"""A call such as `super().forward(x)` is replaced by the code of that method, or by a call of a method with a new name.

So is a call by the name of a class, such as `nn.Linear.forward(self, x)`.

Message: `'Tensor' object has no attribute or method 'forward'`, `type cannot be used as a value`,
    `attribute lookup is not defined on python value of type`, or any message about a call such as `super().inverse(x)`
    or `nn.Linear.forward(self`. For the former, the compiler looks among the operators of Tensors. It takes the `self`
    of the latter for a Tensor if it has compiled a layer of the class.
Kind: Exact.
Needs:
    - The call uses `super()`, or `super` with the class in which the call is written, or it passes `self` to a method
      of this class, of one that it inherits from, or of a layer.
    - The method has no decorator.
    - If the method belongs to a layer of torch, no class of the project in between defines it. A method that only
      returns an expression is replaced by this expression. Any other method is copied under a new name.
    - If the class is a mixin, and neither it nor a class that it inherits from has the method, each class that inherits
      from the mixin and then from a layer gets a copy of the method of the layer, which the scripted model calls.
    - If the method belongs to a class of the project, it has no variadic parameters. With multiple inheritance, only
      one base class defines it. The body moves to a new method, which both the old method and the new call use.
Before:
    class LayerNorm(nn.LayerNorm):
        def forward(self, x):
            return super().forward(x.float()).type(x.dtype)
After:
    class LayerNorm(nn.LayerNorm):
        def forward(self, x):
            return F.layer_norm(
                x.float(), self.normalized_shape, self.weight, self.bias, self.eps
            ).type(x.dtype)
"""

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pdt_annotate.findings.messages.said import CLASS_LOOKUP, FUNCTION_VALUE, NO_METHOD, SUPER_CALL
from pdt_annotate.mends.kit.blocks import end_of_header, when_scripted
from pdt_annotate.mends.kit.callers import NO_METHODS, method_of_torch, methods_of_torch
from pdt_annotate.mends.kit.construction import add_method, body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, either, quoted, said
from pdt_annotate.mends.kit.edit_arguments import exchange
from pdt_annotate.mends.kit.spelled import Expression, Put, edits_inside, may_stand, names_for, put_in, respelled, spell
from pdt_annotate.source.definitions import VARIADIC, Class, Function, ParameterKind, literal_type
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.imports import DefinitionPlace, Relatives
from pdt_annotate.source.scopes import defined_in, names_in, parameters
from pdt_annotate.source.syntax import bind_arguments, dotted_name, is_name, last_name, nodes_in, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    cls, own, names = site.cls, site.function.receiver, site.project.names
    if cls is None or not own:
        return
    ancestors = Relatives(names).ancestors(cls)
    for call in nodes_in(site.node, ast.Call):
        match call:
            case ast.Call(ast.Attribute(ast.Call(ast.Name("super"), args), method)):
                if not args or is_name(args[0], cls.node.name):
                    of_torch = next(methods_of_torch(site.project, cls, method), None)
                    yield from _of_project(site, call, call, ancestors, of_torch)
                    if of_torch is None and not any(method in defined_in(each.node.body) for each in ancestors):
                        yield from _of_heirs(site, call, cls, method)
            case ast.Call(ast.Attribute(named, method), [ast.Name(first), *passed], by_name) if first == own:
                given = ast.Call(call.func, passed, by_name)  # without `self`
                place = names.find(site.file, dotted_name(named)) if root_name(named) not in site.local_names else None
                known, meant = names.class_at(place) if place else None, site.meaning(named)
                if known in (cls, *ancestors):
                    of_torch = next(methods_of_torch(site.project, known, method), None)
                    yield from _of_project(site, call, given, (known, *Relatives(names).ancestors(known)), of_torch)
                elif meant not in NO_METHODS:
                    yield from _of_layer(site, call, given, method_of_torch(site.project, meant, method))


def _calling(site: FunctionContext, call: ast.Call, given: ast.Call, new: str) -> list[Edit] | None:
    """The edits that call a method of the object by another name; None if a comment is behind `self`."""
    shorter = [] if given is call else exchange(site, call, {call.args[0]: ""})
    return None if shorter is None else [site.replace(call.func, f"{site.function.receiver}.{new}"), *shorter]


def _of_layer(site: FunctionContext, call: ast.Call, given: ast.Call, inherited: Function | None) -> Iterator[Mend]:
    """The code of a method of torch, where it is called if it only returns, otherwise as a method of the class."""
    if inherited is None or not inherited.receiver or inherited.decorators or inherited.node.name.startswith("__"):
        return
    inner = site.at(inherited)
    respell = respelled(site, inner)
    own, new = site.function.receiver, f"_{snake_case(inherited.in_class)}_{inherited.node.name.strip('_')}"
    body = body_of(inherited.node)
    passed = bind_arguments(given, inherited.parameters) or {}
    only = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if only is not None and len(passed) == len(inherited.parameters) and may_stand(only, passed):
        values = {name: spell(site, each) for name, each in passed.items()}
        values[inherited.receiver] = Expression(own)
        written = spell(inner, only, lambda node: names_for(values)(node) or respell(node))
        old, indent = (each.text.indent(each.text.start(node)) for each, node in ((inner, only), (site, call)))
        written = Expression(written.text.replace(f"\n{old}", f"\n{indent}"), written.strength)
        summary, edits = f"write `{site.source(call)}` as `{written.text}`", [put_in(site, call, written)]
    else:
        added, calling = add_method(site, _copied(inner, body[0], new, respell)), _calling(site, call, given, new)
        if added is None or calling is None:
            return
        summary, edits = f"copy `{site.source(call.func)}` as `{new}`", [*calling, *added]
    yield site.mend(call, summary, edits)


def _of_heirs(site: FunctionContext, call: ast.Call, mixin: Class, method: str) -> Iterator[Mend]:
    """The code of a method of torch as a method of each class that inherits from a mixin and then from a layer."""
    own, name = site.function.receiver, f"_{method.strip('_')}_behind_{snake_case(mixin.node.name)}"
    elsewhere = list[tuple[str, Edit]]()
    for heir in site.relatives.heirs(mixin):
        there = replace(site, function=replace(site.function, owner=heir.owner))
        bases = heir.node.bases
        behind = [each for i, each in enumerate(bases) if i and last_name(bases[i - 1]) == mixin.node.name]
        inherited = method_of_torch(site.project, there.meaning(behind[0]), method) if behind else None
        last = heir.node.body[-1]
        if not behind and len(bases) > 1:
            return  # Python's order of the bases may be another for it
        if inherited is None or inherited.decorators or not there.begins_line(last):
            continue
        inner = site.at(inherited)
        text = _copied(inner, body_of(inherited.node)[0], name, respelled(there, inner))
        elsewhere.append((heir.owner.file, there.insert_behind(last, f"\n{text}")))
    if elsewhere and not site.project.mentions(name):
        edits = [when_scripted(site, call, site.source(call).replace(site.source(call.func), f"{own}.{name}", 1))]
        summary = f"call `{name}` in place of `{site.source(call.func)}` when scripted"
        yield site.mend(call, summary, edits, elsewhere=elsewhere)


def _copied(site: FunctionContext, first: ast.stmt, new: str, respell: Put) -> str:
    """The source of a method under another name, without its docstring, in the words of another file."""
    name, doc = site.text.name_start(site.node), site.span(site.node.body[0])[0]
    start, end = site.span(site.node)
    edits = [Edit(name, new, removed=site.text.name_end(name) - name), *edits_inside(site, site.node, respell)]
    edits.append(Edit(doc, "", removed=site.span(first)[0] - doc))
    return textwrap.dedent(site.text.indent(start) + site.text.edited(edits, start, end).decode())


def _of_project(
    site: FunctionContext, call: ast.Call, given: ast.Call, classes: Sequence[Class], of_torch: Function | None
) -> Iterator[Mend]:
    """The method of the first of some classes that defines it, under another name; otherwise that of a layer."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    places = (DefinitionPlace(each.owner.file, f"{each.owner.qualname}.{method}") for each in classes)
    inherited, *others = (*filter(None, map(site.project.names.function_at, places)), None)
    if inherited is None and not any(method in defined_in(each.node.body) for each in classes):
        yield from _of_layer(site, call, given, of_torch)
    # Python's order of several bases is not worked out here.
    own = [site.cls] if site.cls and given is call else []
    is_ambiguous = len(others) > 1 and any(len(each.node.bases) > 1 for each in (*own, *classes))
    if inherited is None or is_ambiguous or not site.project.has(inherited.owner.file) or inherited.decorators:
        return
    kinds = (*VARIADIC, ParameterKind.POSITIONAL_ONLY)
    is_plain = all(p.kind not in kinds and (not p.value or literal_type(p.value)) for p in inherited.parameters)
    names = names_in(inherited.node)
    if not is_plain or names & {"super", "__class__"}:
        return
    new = f"_{snake_case(inherited.in_class.rpartition('.')[2])}_{method.lstrip('_')}"
    split = _split(site.at(inherited), new)
    edits = _calling(site, call, given, new)
    if split is None or edits is None or site.project.mentions(new):
        return
    summary = f"call `{site.source(call.func)}` by a new name: `{new}`"
    yield site.mend(call, summary, edits, elsewhere=[(inherited.owner.file, split)])


def _split(site: FunctionContext, new: str) -> Edit | None:
    """Splits a method in two: inserts a call of the second, and its header, in front of the body."""
    body = body_of(site.node)
    if not body or body[0].lineno == site.node.lineno:
        return None
    start = site.span(body[0])[0]
    name, end = site.text.name_start(site.node), end_of_header(site, site.node)
    _, *args = parameters(site.node)
    passed = [f"{arg.arg}={arg.arg}" if arg in site.node.args.kwonlyargs else arg.arg for arg in args]
    header = "def " + new + site.text.body[site.text.name_end(name) : end].decode()
    outer = site.text.indent(site.text.start(site.node))
    inner = site.text.indent(start)
    call = f"return {site.function.receiver}.{new}({', '.join(passed)})"
    return Edit(start, "\n".join((call, "", outer + header, inner)).replace("\n", site.text.newline))


# The compiler takes `super()` for a Tensor, and looks for an operator of Tensors with the name of the method.
RULE = MendRule(
    "super_calls", MendKind.EXACT, either(said(CLASS_LOOKUP, FUNCTION_VALUE, NO_METHOD), quoted(SUPER_CALL)), find
)
