"""A loop over a list of config objects goes over lists of the fields that the loop reads.

The constructor makes these lists.

Message: `Module` … `has no attribute`, or `object has no attribute or method` if the objects are named tuples.
Kind: Frozen.
Needs: Only the constructor sets the list, which is an attribute of `self`. No code changes the list or sets the fields
    later. The loop only reads fields of its variable, and each field was always a number, or always a text.
Before:
    class Net(nn.Module):
        def __init__(self, columns):
            super().__init__()
            self.columns = columns

        def forward(self, x):
            for column in self.columns:
                x = x * column.scale + column.shift
            return x
After:
    class Net(nn.Module):
        def __init__(self, columns):
            super().__init__()
            self.columns = columns
            self._columns_scale = [each.scale for each in self.columns]
            self._columns_shift = [each.shift for each in self.columns]

        def forward(self, x):
            for column_scale, column_shift in zip(self._columns_scale, self._columns_shift):
                x = x * column_scale + column_shift
            return x
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import LACKS_MEMBER, NO_ATTRIBUTE
from pdt_annotate.mends.kit.construction import constructor, is_field_set, last_setting
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import changes_in_place, is_kept
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.mends.moves.unroll.sources import Loop, columns, loops
from pdt_annotate.values.mends import Mend, MendKind

SIMPLE = ("bool", "int", "float", "str")


def find(site: FunctionContext) -> Iterator[Mend]:
    built = constructor(site)
    for loop in loops(site):
        for target, source in columns(loop.target, loop.iterated):
            attribute = site.self_attribute(source)
            setting = last_setting(built, attribute) if built and attribute else None
            fields = _fields(site, loop, target) if setting and _is_of_objects(site, attribute) else {}
            if not built or not setting or not fields or not isinstance(target, ast.Name):
                continue
            word, names = attribute.strip("_"), {field: f"{target.id}_{field}" for field in fields}
            lists = {field: f"_{word}_{field}" for field in fields}
            is_taken = any(name in site.known_names or loads(site.node, name) for name in names.values())
            if is_taken or any(site.held(each).values for each in lists.values()):
                continue
            over = ", ".join(f"{site.function.receiver}.{name}" for name in lists.values())
            each = ", ".join(names.values())
            edits = [
                site.replace(source, f"zip({over})" if len(lists) > 1 else over),
                site.replace(target, f"({each})" if len(lists) > 1 and target is not loop.target else each),
                *(site.replace(use, names[field]) for field, uses in fields.items() for use in uses),
            ]
            own = built.receiver
            lines = [f"{own}.{name} = [each.{field} for each in {own}.{attribute}]" for field, name in lists.items()]
            edits.append(site.insert_behind(setting, "\n".join(lines)))
            summary = f"list the fields of `{site.source(source)}` in the constructor"
            yield site.mend(source, summary, edits, frozen=True)


def _is_of_objects(site: FunctionContext, attribute: str) -> bool:
    """Whether an attribute always holds a list of objects whose class the compiler does not know."""
    values = site.held(attribute).values
    items = {item for value in values for item in value.items}
    are_lists = all(value.type in ("builtins.list", "builtins.tuple") and value.length > 0 for value in values)
    are_known = any(item.startswith(("builtins.", "torch.")) for item in items)
    is_fixed = is_kept(site, attribute) and not any(changes_in_place(site, attribute))
    return bool(items) and are_lists and not are_known and is_fixed


def _fields(site: FunctionContext, loop: Loop, target: ast.expr) -> dict[str, list[ast.Attribute]]:
    """The fields of the variable that a loop reads, each with its uses; none if the loop has other uses of it."""
    if not isinstance(target, ast.Name) or len(stores(loop.node, target.id)) > 1:
        return {}
    uses = sorted(loop.reads(target.id), key=lambda use: (use.lineno, use.col_offset))
    found = dict[str, list[ast.Attribute]]()
    for use in uses:
        outer = site.parents[use]
        if not isinstance(outer, ast.Attribute) or not isinstance(outer.ctx, ast.Load):
            return {}
        if not any(site.is_always(outer, each) for each in SIMPLE) or is_field_set(site.project, outer.attr):
            return {}
        found.setdefault(outer.attr, []).append(outer)
    outside = loop.first is not None and len(loads(site.node, target.id)) > len(uses)
    return {} if outside else found


RULE = MendRule("listed_fields", MendKind.FROZEN, quoted(NO_ATTRIBUTE, LACKS_MEMBER), find)
