"""Sets, f-strings, `reversed`, tuples as indices, `type(self)` and first parameters, respelled."""

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import uses
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import (
    ARITHMETIC,
    ATOM,
    CHOICE,
    Expression,
    is_gone_over,
    is_plain,
    spell,
)
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import MendKind

TUPLE, PARAMETER = "builtins.tuple", "torch.nn.parameter.Parameter"
REVERSING = ("range", "reversed")


def plainly(site: FunctionContext, node: ast.expr) -> Expression | None:
    match node:
        case ast.Set():
            return _set(site, node)
        case ast.JoinedStr():
            return _message(site, node)
        case ast.Call(ast.Name("reversed")) if is_gone_over(site, node) and site.known_names.isdisjoint(REVERSING):
            return _reversed(site, node)
        case ast.Attribute() if _is_of_own_class(site, node):
            return Expression(f"{site.function.receiver}.{node.attr}", ATOM)
        case ast.Tuple() if _is_index(site, node):
            return Expression(f"[{site.source(node)[1:-1]}]", ATOM)
        case _ if _is_in_zip(site, node):
            return Expression(f"list({spell(site, node).at_least(CHOICE)})", ATOM)
    return None


def _is_in_zip(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is a tuple with items of one type, and `zip` takes it together with a list."""
    match site.parents[node]:
        case ast.Call(ast.Name("zip"), args, []) if node in args and site.known_names.isdisjoint(("list", "zip")):
            is_dynamic = any(site.is_always(each, "list", "range", "torch.Size", *TENSORS) for each in args)
            return is_dynamic and {(value.type, len(value.items)) for value in site.values(node)} == {(TUPLE, 1)}
    return False


def _is_index(site: FunctionContext, node: ast.Tuple) -> bool:
    """Whether a tuple is one of several indices of a tensor, as in `x[:, (0, 2)]`."""
    outer = site.parents[node]
    match site.parents.get(outer):
        case ast.Subscript(value, ast.Tuple([*others]) as index, ast.Load()) if index is outer:
            # The same variable may hold a list earlier, but no list takes several indices.
            is_tensor = any(each.type in TENSORS for each in site.values(value))
            has_dots = any(isinstance(each, ast.Constant) and each.value is ... for each in others)
            has_slice = any(isinstance(each, ast.Slice) for each in others)
            return is_tensor and has_slice and not has_dots and bool(node.elts)
    return False


def _is_of_own_class(site: FunctionContext, node: ast.Attribute) -> bool:
    """Whether an expression reads an attribute of the object's class that no object has."""
    own, read = site.function.receiver, ast.unparse(node.value)
    if not own or read not in (f"type({own})", f"{own}.__class__") or "type" in site.local_names:
        return False
    return node.attr[:2] != "__" and all(isinstance(n.ctx, ast.Load) for _, n in uses(site, node.attr))


def private_names(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    """`self.__fc` as `self._Net__fc`, which is its name outside of the class; a method `__run` as `_net_run`."""
    own = site.function.in_class.rpartition(".")[2].lstrip("_")
    body = site.cls.node.body if site.cls and own else []
    methods = [each for each in body if isinstance(each, ast.FunctionDef)]
    read = (node for each in methods for node in ast.walk(each) if isinstance(node, ast.Attribute))
    uses = [node for node in read if node.attr[:2] == "__" and node.attr[-2:] != "__"]
    names = dict.fromkeys(node.attr for node in uses)
    edits = list[Edit]()
    for name in names if not any(isinstance(node, ast.ClassDef) for each in body for node in ast.walk(each)) else ():
        defined = [each for each in methods if each.name == name]
        new = f"_{snake_case(own)}{name[1:]}" if defined else f"_{own}{name}"
        if site.project.mentions(new):
            return
        ends = [site.span(node)[1] for node in uses if node.attr == name]
        ends += [site.text.body.index(name.encode(), site.text.start(each)) + len(name) for each in defined]
        edits += [Edit(end - len(name), new, removed=len(name)) for end in ends]
        edits += [site.insert_behind(each, f"\n{name} = {new}") for each in defined]
    yield from itertools.islice(((MendKind.EXACT, node, edits) for node in uses if edits and node in site.parents), 1)


def _set(site: FunctionContext, node: ast.Set) -> Expression | None:
    """A set that is only used for `in`, as a tuple."""
    are_fixed = all(isinstance(each, ast.Constant) or site.meaning(each) for each in node.elts)
    match site.parents[node]:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]) if asked is node and are_fixed:
            inner = site.source(node)[1:-1]
            has_comma = len(node.elts) > 1 or inner.rstrip().endswith(",")
            return Expression(f"({inner})" if has_comma else f"({inner},)", ATOM)
    return None


def _message(site: FunctionContext, node: ast.JoinedStr) -> Expression | None:
    """An f-string with conversions or formats as a call of `format`."""
    parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    if not any(part.conversion != -1 or part.format_spec for part in parts):
        return None
    text, values = "", list[str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue):
            formats = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
            if not all(isinstance(each, ast.Constant) for each in formats):  # the format depends on the run time
                return None
            spec = "".join(str(each.value) for each in formats if isinstance(each, ast.Constant))
            conversion = f"!{chr(part.conversion)}" if part.conversion != -1 else ""
            text += f"{{{conversion}{f':{spec}' if spec else ''}}}"
            values.append(spell(site, part.value).at_least(CHOICE))
    literal = repr(text)
    # The quotes do not change, if possible.
    is_double = site.source(node).lstrip("rRfFbB").startswith('"')
    if is_double and literal.startswith("'") and '"' not in text:
        literal = f'"{literal[1:-1]}"'
    return Expression(f"{literal}.format({', '.join(values)})", ATOM)


def _reversed(site: FunctionContext, call: ast.Call) -> Expression | None:
    """A reversed list as a slice; a reversed range as a range from its end."""
    match call:
        case ast.Call(_, [ast.Call(ast.Name("range"), [*_, ast.Starred()])], []):
            return None
        case ast.Call(_, [ast.Call(ast.Name("range"), [end], [])], []):
            return Expression(f"range({_one_less(site, end)}, -1, -1)", ATOM)
        case ast.Call(_, [ast.Call(ast.Name("range"), [start, end], [])], []) if is_plain(start):
            return Expression(f"range({_one_less(site, end)}, {_one_less(site, start)}, -1)", ATOM)
        case ast.Call(_, [inner], []):
            is_slice = isinstance(getattr(inner, "slice", None), ast.Slice)
            is_made = isinstance(inner, (ast.List, ast.ListComp)) or is_slice
            is_list = is_made or (site.seen(inner) and site.seen(inner) <= {"list", "tuple"})
            return Expression(f"{spell(site, inner).at_least(ATOM)}[::-1]", ATOM) if is_list else None
    return None


def _one_less(site: FunctionContext, number: ast.expr) -> str:
    if isinstance(number, ast.Constant) and type(number.value) is int:
        return str(number.value - 1)
    return f"{spell(site, number).at_least(ATOM if isinstance(number, ast.BinOp) else ARITHMETIC)} - 1"


def first_parameter(site: FunctionContext, node: ast.expr) -> Expression | None:
    """The first parameter or buffer of a module by its name, if it is the same in all modules of the class."""
    match node:
        case ast.Call(ast.Name("next"), [ast.Call(ast.Name("iter"), [all_, *_]) | all_]):
            pass
        case ast.Subscript(ast.Call(ast.Name("list"), [all_, *_]), ast.Constant(0)):
            pass
        case _:
            return None
    match all_:
        case ast.Call(ast.Attribute(module, kind), [], []):
            attribute = site.self_attribute(module)
            is_own = is_name(module, site.function.receiver) and bool(site.function.receiver)
            held = site.held(f"{kind}()" if is_own else f"{attribute}.{kind}()")
            if (is_own or attribute) and len(held.values) == 1 and not (held.lacking or held.changes):
                parts = held.values[0].name.split(".")
                path = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)
                return Expression(site.source(module) + path, ATOM)
    return None


def parameters_by_name(site: FunctionContext, node: ast.expr) -> Expression | None:
    """`{"weight": self.weight}` for `dict(self.named_parameters())`, if all modules of the class have the same."""
    match node:
        case ast.Call(function, [ast.Call(ast.Attribute(module, "named_parameters"), [], [])], []):
            is_dict = is_name(function, "dict") and "dict" not in site.known_names
            is_dict |= site.meaning(function) == "collections.OrderedDict"
            if not is_dict or not is_name(module, site.function.receiver):
                return None
        case _:
            return None
    known = site.shown.facts.held.get((site.file, site.function.in_class), {})
    held = {name: each for name, each in known.items() if name.isidentifier()}
    own = [name for name, each in held.items() if any(value.type == PARAMETER for value in each.values)]
    is_fixed = all(len(held[name].values) == 1 and not (held[name].lacking or held[name].changes) for name in own)
    has_layers = any(value.is_module and not value.stateless for each in held.values() for value in each.values)
    texts = [f'"{name}": {site.function.receiver}.{name}' for name in own]
    return Expression(f"{{{', '.join(texts)}}}", ATOM) if own and is_fixed and not has_layers else None
