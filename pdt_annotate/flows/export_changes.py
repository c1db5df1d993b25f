"""Changes of code for torch.export alone, which stay in memory: where the value of a tensor stops it."""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import IS_SCRIPTING
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import ATOM, spell
from pdt_annotate.mends.moves.guard import eager_checks
from pdt_annotate.values.mends import Mend, MendKind


class ExportSite(FunctionContext):
    """A function whose checks are left out of an export, and not of a scripted model."""

    def spell(self, dotted: str) -> str:
        return super().spell("torch.compiler.is_exporting" if dotted == IS_SCRIPTING else dotted)


def find_changes(site: ExportSite) -> list[Mend]:
    """Leave out a statement that only checks values; if there is none, write `t.item()` for `int(t)`."""
    return list(eager_checks.RULE.find(site)) or list(ITEMS.find(site))


def _items(site: FunctionContext) -> Iterator[Mend]:
    """Python's `int` needs a known value, and `item` does not."""
    for call in (node for each in site.failing for node in ast.walk(each) if is_call(node, "int")):
        if isinstance(call, ast.Call) and len(call.args) == 1:
            item = f"{spell(site, call.args[0]).at_least(ATOM)}.item()"
            yield site.mend(call, f"write `{site.source(call)}` as `{item}`", [site.replace(call, item)])


ITEMS = MendRule("items", MendKind.EXACT, anything, _items)
