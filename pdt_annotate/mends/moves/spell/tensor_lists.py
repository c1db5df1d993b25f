"""In the scripted model, `tolist()` is called on a tensor with numbers of 64 bits.

TorchScript makes ints of int64 alone, and floats of float32 and float64. The error occurs in a call.

Message: `Output annotation element type and runtime tensor element type must match for tolist()`,
    `scalar_ty == at::ScalarType::Float`.
Kind: Exact.
Needs: The tensor was one in every call, and all items of its lists were ints, or all were floats.
Before:
    sizes = lengths.cpu().tolist()
After:
    sizes = (lengths.cpu().long() if torch.jit.is_scripting() else lengths.cpu()).tolist()
"""

import ast
import re
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import TOLIST_DTYPE
from pdt_annotate.mends.kit.blocks import when_scripted
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ATOM, spell, targets
from pdt_annotate.values.mends import Mend, MendKind

WIDE: Mapping[str, str] = {"int": "long", "float": "double"}
NUMBER = re.compile(r"\b(?:int|float|bool|complex)\b")


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        match node:
            case ast.Call(ast.Attribute(tensor, "tolist"), [], []) if not isinstance(tensor, ast.IfExp):
                numbers = _numbers(site, node)
                method = WIDE.get(numbers.pop(), "") if len(numbers) == 1 else ""
                if method and site.is_always(tensor, *TENSORS):
                    edits = [when_scripted(site, tensor, f"{spell(site, tensor).at_least(ATOM)}.{method}()")]
                    yield site.mend(node, f"make lists of `{site.source(tensor)}.{method}()` when scripted", edits)


def _numbers(site: FunctionContext, call: ast.Call) -> set[str]:
    """The classes of the numbers in the results of a call, or in the variable to which they are assigned."""
    types = [text for value in site.values(call) for text in (value.type, *value.items)]
    around, _ = site.statement(call)
    if isinstance(around, (ast.Assign, ast.AnnAssign)) and around.value is call:
        names = (target.id for target in targets(around) if isinstance(target, ast.Name))
        types += (str(type_) for name in names for type_ in site.observed(name))
    return set(NUMBER.findall(" ".join(types)))


RULE = MendRule("tensor_lists", MendKind.EXACT, quoted(TOLIST_DTYPE), find, sweeps=False)
