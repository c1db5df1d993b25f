"""In the scripted model, `tolist()` is called on a tensor with numbers of 64 bits.

TorchScript makes ints of int64 alone, and floats of float32 and float64. The error occurs in a call.

Message: `Output annotation element type and runtime tensor element type must match for tolist()`,
    `scalar_ty == at::ScalarType::Float`.
Kind: Exact.
Needs: The tensor was one in every call, and all items of its lists were ints, or all were floats. Its expression only
    calls methods without arguments.
Before:
    sizes = lengths.tolist()
After:
    sizes = (lengths.long() if torch.jit.is_scripting() and not lengths.is_floating_point() else lengths).tolist()
"""

import ast
import re
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import TOLIST_DTYPE
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, Expression, put_in, spell, targets
from pdt_annotate.values.mends import Mend, MendKind

WIDE: Mapping[str, str] = {"int": "long", "float": "double"}
NUMBER = re.compile(r"\b(?:int|float|bool|complex)\b")


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        match node:
            case ast.Call(ast.Attribute(tensor, "tolist"), [], []) if not isinstance(tensor, ast.IfExp):
                numbers = _numbers(site, node)
                method = WIDE.get(numbers.pop(), "") if len(numbers) == 1 else ""
                if method and site.is_always(tensor, *TENSORS) and _may_repeat(tensor):
                    text = spell(site, tensor).at_least(ATOM)
                    # A tensor of another kind than in the examples still raises an error.
                    kind = f"{'not ' * (method == 'long')}{text}.is_floating_point()"
                    choice = f"{text}.{method}() if {site.spell(IS_SCRIPTING)}() and {kind} else {text}"
                    edits = [put_in(site, tensor, Expression(choice, CHOICE))]
                    yield site.mend(node, f"make lists of `{site.source(tensor)}.{method}()` when scripted", edits)


def _may_repeat(node: ast.expr) -> bool:
    """Whether an expression only calls methods without arguments, and none in place."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return not any(
        each.args or each.keywords or not isinstance(each.func, ast.Attribute) or each.func.attr.endswith("_")
        for each in calls
    )


def _numbers(site: FunctionContext, call: ast.Call) -> set[str]:
    """The classes of the numbers in the results of a call, or in the variable to which they are assigned."""
    types = [text for value in site.values(call) for text in (value.type, *value.items)]
    around, _ = site.statement(call)
    if isinstance(around, (ast.Assign, ast.AnnAssign)) and around.value is call:
        names = (target.id for target in targets(around) if isinstance(target, ast.Name))
        types += (str(type_) for name in names for type_ in site.observed(name))
    return set(NUMBER.findall(" ".join(types)))


RULE = MendRule("tensor_lists", MendKind.EXACT, quoted(TOLIST_DTYPE), find, sweeps=False)
