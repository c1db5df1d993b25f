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
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.mends import Mend, MendKind

NUMPY = "numpy."
CONSTANTS = ("pi", "e", "inf", "nan")
FUNCTIONS: Mapping[str, str] = {
    **{name: f"math.{name}" for name in ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh")},
    **{"floor": "math.floor", "ceil": "math.ceil", "power": "pow", "maximum": "max", "minimum": "min"},
    **{"abs": "abs", "absolute": "abs", "round": "round"},
}
WHOLE = ("floor", "ceil")  # numpy returns a float, and `math` an int
NUMBERS = ("int", "float", "numpy.float64", "numpy.int64")


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if isinstance(node, ast.Call):
            name = site.meaning(node.func).removeprefix(NUMPY)
            is_of_numbers = node.args and all(site.is_always(arg, *NUMBERS) for arg in node.args) and not node.keywords
            if site.meaning(node.func) != f"{NUMPY}{name}" or name not in FUNCTIONS or not is_of_numbers:
                continue
            function = FUNCTIONS[name]
            is_rounded = name == "round" and len(node.args) > 1
            if (function in ("max", "min", "abs", "round", "pow") and function in site.local_names) or is_rounded:
                continue
            new, imports = site.spell(function) if "." in function else (function, ())
            edits = [site.replace(node.func, new)]
            if name in WHOLE and not is_call_of(site.parents[node], "int"):
                text = ", ".join(site.source(arg) for arg in node.args)
                edits = [site.replace(node, f"float({new}({text}))")]
        elif isinstance(node, ast.Attribute) and site.meaning(node) in [f"{NUMPY}{name}" for name in CONSTANTS]:
            new, imports = site.spell(f"math.{node.attr}")
            edits = [site.replace(node, new)]
        else:
            continue
        summary = f"`{new}` in place of numpy's"
        yield site.mend(RULE.name, MendKind.FROZEN, node, summary, edits, imports=imports)


RULE = MendRule("numpy_words", MendKind.FROZEN, anything, find)
