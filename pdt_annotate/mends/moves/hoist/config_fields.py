"""Fields of a config object are copied in the constructor: the compiler knows no object of its class.

Message: `has no attribute or method`, or `failed to convert Python type`.
Kind: frozen; exact for a named tuple and a frozen dataclass.
Needs: an attribute that is set in the constructor of the class and nowhere else; fields that nothing sets later.
Before:
    def __init__(self, args):
        super().__init__()
        self.args = args

    def forward(self, x):
        return x * self.args.scale
After:
    def __init__(self, args):
        super().__init__()
        self.args = args
        self._args_scale = self.args.scale

    def forward(self, x):
        return x * self._args_scale
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import LACKS_MEMBER, NO_ATTRIBUTE
from pdt_annotate.mends.kit.construction import constructor, is_field_set, is_set_later, last_setting
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

Field = tuple[str, str, str]  # the attribute, the name of the field, and how it is read: `.name` or `["name"]`


def is_asked_for(failure: Failure) -> bool:
    facts = NO_ATTRIBUTE.read(failure.text or failure.message)
    return bool(facts["unconverted"]) if facts else LACKS_MEMBER.is_in(failure.message)


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.node.name in ("__init__", "__post_init__") or constructor(site) is None:
        return
    reads: dict[Field, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(site.node):
        field = _field(site, node)
        around = site.parents[node] if field else None
        is_called = isinstance(around, ast.Call) and around.func is node
        if field and isinstance(node.ctx, ast.Load) and not is_called:  # type: ignore[attr-defined]
            reads[field].append(node)  # type: ignore[arg-type]
    for field, nodes in reads.items():
        yield from _mend(site, field, nodes)


def _field(site: FunctionContext, node: ast.AST) -> Field | None:
    """The field that an expression reads of a config object: `self.config.width`, `self.config["width"]`."""
    if isinstance(node, ast.Attribute):
        attribute, name, read = site.self_attribute(node.value), node.attr, f".{node.attr}"
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        attribute, name, read = site.self_attribute(node.value), str(node.slice.value), f"[{site.source(node.slice)}]"
    else:
        return None
    held = site.held(attribute)
    if isinstance(node, ast.Subscript):
        has_fields = all(value.type == "builtins.dict" for value in held.values)
    else:
        of_others = [value for value in held.values if value.type.startswith(("torch.", "builtins."))]
        has_fields = not of_others and not any(v.literal or v.name or v.is_module for v in held.values)
    is_config = held.values and has_fields and not (held.lacking or held.changes)
    is_kept = attribute and is_config and not is_set_later(site, attribute)
    return (attribute, name, read) if is_kept and name.isidentifier() and not is_field_set(site.project, name) else None


def _mend(site: FunctionContext, field: Field, nodes: Sequence[ast.expr]) -> Iterator[Mend]:
    attribute, name, read = field
    built = constructor(site)
    setting = last_setting(built, attribute) if built else None
    if built is None or setting is None or site.cls is None:
        return
    copy = f"_{attribute.strip('_')}_{name.strip('_')}"
    line = f"{built.receiver}.{copy} = {built.receiver}.{attribute}{read}"
    edits = [site.replace(node, f"{site.function.receiver}.{copy}") for node in nodes]
    if line not in {site.source(node) for node in ast.walk(built.node) if isinstance(node, ast.Assign)}:
        names = {getattr(node, "attr", getattr(node, "name", "")) for node in ast.walk(site.cls.node)}
        if copy in names or site.held(copy).values:
            return
        edits.append(site.insert_behind(setting, line))
    kind = MendKind.EXACT if all(value.immutable for value in site.held(attribute).values) else MendKind.FROZEN
    summary = f"copy `{attribute}{read}` in the constructor"
    yield site.mend(RULE.name, kind, nodes[0], summary, edits)


RULE = MendRule("config_fields", MendKind.FROZEN, is_asked_for, find)
