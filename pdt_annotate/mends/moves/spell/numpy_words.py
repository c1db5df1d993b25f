"""A function of numpy that is called with numbers becomes that of Python, and a constant of numpy that of `math`.

Message: any, in the function.
Kind: frozen: for a number outside of its domain, as for the root of -1, `math` raises an error and numpy returns nan.
Needs: arguments that were numbers in every call.
Before:
    return x / np.sqrt(d) * np.pi
After:
    return x / math.sqrt(d) * math.pi
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import ATOM, Expression, put_in, spell
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.mends import Mend, MendKind

CONSTANTS = ("pi", "e", "inf", "nan")
FUNCTIONS: Mapping[str, str] = {
    **{name: f"math.{name}" for name in ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh")},
    **{"floor": "math.floor", "ceil": "math.ceil", "power": "pow", "maximum": "max", "minimum": "min"},
    **{"abs": "abs", "absolute": "abs", "round": "round"},
}
WHOLE = ("floor", "ceil")  # numpy returns a float, and `math` an int
NUMBERS = ("int", "float", "numpy.float64", "numpy.int64")
INT = ("int", "'int'", "np.int64", "'int64'")


def find(site: FunctionContext) -> Iterator[Mend]:
    for statement in site.node.body:
        yield from _find(site, statement)


def _find(site: FunctionContext, node: ast.AST) -> Iterator[Mend]:
    imports: list[str] = []
    if isinstance(node, ast.expr) and (new := _written(site, node, imports)) is not None:
        summary = f"`{site.source(node)}` as `{new.text}`"
        yield site.mend(RULE.name, MendKind.FROZEN, node, summary, [put_in(site, node, new)], imports=imports)
        return
    for child in ast.iter_child_nodes(node):
        yield from _find(site, child)


def _written(site: FunctionContext, node: ast.expr, imports: list[str]) -> Expression | None:
    """An expression without numpy; None if it has no function of numpy that Python has, too."""
    name = site.meaning(node if isinstance(node, ast.Attribute) else getattr(node, "func", node)).removeprefix("numpy.")
    if isinstance(node, ast.Attribute):
        return _word(site, f"math.{name}", imports) if name in CONSTANTS and site.meaning(node) != name else None
    if not isinstance(node, ast.Call) or node.keywords:
        return None

    def inner(part: ast.expr) -> Expression:
        return spell(site, part, lambda node: _written(site, node, imports))

    if isinstance(node.func, ast.Attribute) and site.is_always(node.func.value, "numpy.float64", "numpy.int64"):
        arguments = [ast.unparse(arg) for arg in node.args]
        if node.func.attr == "astype" and len(arguments) == 1 and arguments[0] in INT:
            return Expression(f"int({inner(node.func.value).text})", ATOM)
        return inner(node.func.value) if node.func.attr == "item" and not arguments else None
    function = FUNCTIONS.get(name, "") if site.meaning(node.func) == f"numpy.{name}" else ""
    is_rounded = name == "round" and len(node.args) > 1
    is_of_numbers = node.args and all(site.is_always(arg, *NUMBERS) for arg in node.args)
    if not function or is_rounded or not is_of_numbers or function in site.local_names:
        return None
    new = f"{_word(site, function, imports).text}({', '.join(inner(arg).text for arg in node.args)})"
    is_float = name in WHOLE and not is_call_of(site.parents[node], "int")
    return Expression(f"float({new})" if is_float else new, ATOM)


def _word(site: FunctionContext, dotted: str, imports: list[str]) -> Expression:
    spelled, needed = site.spell(dotted) if "." in dotted else (dotted, ())
    imports += needed
    return Expression(spelled, ATOM)


RULE = MendRule("numpy_words", MendKind.FROZEN, anything, find)
