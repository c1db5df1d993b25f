"""A list or dict of parameters that the compiler cannot read there is written as a plain list or dict.

Message: `a value that does not have a statically determinable length`, `Expected integer literal for index`,
    `Unable to extract string literal index`, `module cannot be used as a tuple`, `Only ModuleList or Sequential`,
    `has no attribute or method '__len__'` or `'__contains__'`, `reversed(Tensor 0)`, `Unknown type constructor`,
    `INTERNAL ASSERT FAILED`, `is called recursively`.
Kind: Exact for a `nn.ParameterList`. Frozen for a `nn.ParameterDict`: its keys are asserted in Python.
Needs:
    - An attribute of `self` always held the `ParameterList`, or the `ParameterDict`. All modules have the same keys, at
      most 16, and all of them are names.
    - The code takes an item by a computed index or key, a slice, or the length. Or it unpacks, goes over, or looks into
      the list or dict, in a way that the compiler does not read.
Before:
    for scale, y in zip(self.scales, ys):
        x = x * scale + y
    for name, bias in self.biases.items():
        x = x + bias
    return x
After:
    for scale, y in zip(list(self.scales), ys):
        x = x * scale + y
    if not torch.jit.is_scripting():
        assert list(self.biases) == ["first", "last"]
    for name, bias in {"first": self.biases["first"], "last": self.biases["last"]}.items():
        x = x + bias
    return x
"""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import if_python, is_for_python, statements
from pdt_annotate.mends.kit.construction import PARAMETERS, is_call, is_list
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import is_gone_over, is_literal
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.mends import Mend, MendKind

DICT = "torch.nn.modules.container.ParameterDict"
MOST = 16  # keys
COUNTING = ("len", "max", "min", "reversed", "tuple")
OF_KEYS = ("enumerate", "len", "list", "sorted", "tuple")
METHODS = ("get", "items", "keys", "values")


def find(site: FunctionContext) -> Iterator[Mend]:
    read = set(statements(site.node.body))
    for node in nodes_in(site.node, ast.Attribute):
        held = site.held(site.self_attribute(node))
        types, statement = {value.type for value in held.values}, site.statement(node)[0]
        is_read = statement in read and isinstance(node.ctx, ast.Load) and not is_for_python(site, node)
        if not is_read or held.lacking or held.changes:
            continue
        text = site.source(node)
        if types == {PARAMETERS} and _is_unread_list(site, node):
            outer, new = site.parents[node], f"list({text})"
            is_backwards = is_call(outer, "reversed") and is_gone_over(site, outer)
            edit = site.replace(outer, f"{new}[::-1]") if is_backwards else site.replace(node, new)
            yield site.mend(node, f"make a plain list of `{text}`", [edit])
        elif types == {DICT} and _is_unread_dict(site, node) and site.takes_lines(statement):
            [value, *others] = held.values
            keys = [f'"{key}"' for key in value.keys]
            if not others and 0 < len(keys) <= MOST and {*value.items} <= {*TENSORS}:
                new = f"{{{', '.join(f'{key}: {text}[{key}]' for key in keys)}}}"
                new += ".keys()" * _is_passed(site, node, OF_KEYS)
                check = if_python(site, f"assert list({text}) == [{', '.join(keys)}]")
                edits = [site.insert_before(statement, check), site.replace(node, new)]
                yield site.mend(node, f"write out the parameters of `{text}`", edits, frozen=True)


def _is_unread_list(site: FunctionContext, node: ast.Attribute) -> bool:
    match site.parents[node]:
        case ast.Subscript(value, key, ast.Load()):
            return value is node and not is_literal(key)
        case ast.Assign([ast.Tuple() | ast.List()]) | ast.Starred():
            return True
        case ast.Call(ast.Name("zip"), args):  # with lists of layers, or of parameters, it is read
            held = [site.held(site.self_attribute(each)) for each in args]
            return not all(is_list(each) or {value.type for value in each.values} == {PARAMETERS} for each in held)
    return _is_passed(site, node, COUNTING)


def _is_unread_dict(site: FunctionContext, node: ast.Attribute) -> bool:
    outer = site.parents[node]
    match outer:
        case ast.Subscript(value, key, ast.Load()):
            return value is node and not is_literal(key)
        case ast.Attribute(attr=method):
            return method in METHODS and getattr(site.parents[outer], "func", None) is outer
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is node
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
            return container is node
    return _is_passed(site, node, OF_KEYS)


def _is_passed(site: FunctionContext, node: ast.expr, functions: tuple[str, ...]) -> bool:
    """Whether an expression is an argument of one of these built-in functions."""
    match site.parents[node]:
        case ast.Call(ast.Name(name), args):
            return node in args and name in functions and name not in site.known_names
    return False


RULE = MendRule("parameters", MendKind.EXACT, anything, find)
