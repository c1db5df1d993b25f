"""An expression that the compiler cannot read is written in other words: sets, f-strings, `reversed`, `type(self)`.

Message: `Set aren't supported`, `Don't support conversion in JoinedStr`, `Don't support formatting in JoinedStr`,
    `reversed(Tensor 0) -> Tensor`, `range cannot be used as a value`, `type(Tensor 0)`, `type object 'type'`.
Kind: exact.
Needs: a set of constants, or of imported names, after `in`; an f-string without `=` after a value, whose formats are
    constants; `reversed` of a list display, a slice or a list comprehension, or of a `range` of one value, that is
    iterated over at once; the value of `typing.cast`; an attribute that no function sets.
Before:
    if mode not in {"sum", "mean"}:
        raise ValueError(f"no such mode: {mode!r}")
    for step in reversed(range(n)):
        x = x + step * self.__class__.width
After:
    if mode not in ("sum", "mean"):
        raise ValueError("no such mode: {!r}".format(mode))
    for step in range(n - 1, -1, -1):
        x = x + step * self.width
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import CONVERSION, FUNCTION_VALUE, OWN_CLASS, REVERSED, SET
from pdt_annotate.mends.kit.construction import is_call, uses
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, CHOICE, Expression, put_in, spell
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.mends import Mend, MendKind

CONVERSIONS = {-1: "", 115: "!s", 114: "!r", 97: "!a"}


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        new = None
        if isinstance(node, ast.Set):
            new = _set(site, node)
        elif isinstance(node, ast.JoinedStr):
            new = _message(site, node)
        elif isinstance(node, ast.Call) and site.meaning(node.func) == "typing.cast" and len(node.args) == 2:
            new = spell(site, node.args[1])
        elif is_call(node, "reversed") and "reversed" not in site.local_names:
            new = _reversed(site, node)
        elif isinstance(node, ast.Attribute) and _is_of_own_class(site, node):
            new = Expression(f"{site.function.receiver}.{node.attr}", ATOM)
        if new is not None and isinstance(node, ast.expr):
            summary = f"`{site.source(node)}` is written `{new.text}`"
            yield site.mend(RULE.name, MendKind.EXACT, node, " ".join(summary.split()), [put_in(site, node, new)])


def _is_of_own_class(site: FunctionContext, node: ast.Attribute) -> bool:
    """Whether an expression reads an attribute of the object's class that no object has."""
    own = site.function.receiver
    is_class = (
        own and ast.unparse(node.value) in (f"type({own})", f"{own}.__class__") and "type" not in site.local_names
    )
    return (
        bool(is_class) and node.attr[:2] != "__" and all(isinstance(n.ctx, ast.Load) for _, n in uses(site, node.attr))
    )


def _set(site: FunctionContext, node: ast.Set) -> Expression | None:
    """A set that is only used for `in`, as a tuple."""
    parent = site.parents[node]
    is_asked = isinstance(parent, ast.Compare) and parent.comparators == [node]
    if not is_asked or not isinstance(parent.ops[0], (ast.In, ast.NotIn)):  # type: ignore[attr-defined]
        return None
    if not all(isinstance(each, ast.Constant) or site.meaning(each) for each in node.elts):
        return None
    inner = site.source(node)[1:-1]
    return Expression(f"({inner},)" if len(node.elts) == 1 and not inner.rstrip().endswith(",") else f"({inner})", ATOM)


def _message(site: FunctionContext, node: ast.JoinedStr) -> Expression | None:
    """An f-string with conversions or formats as a call of `format`."""
    parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    if not any(part.conversion != -1 or part.format_spec for part in parts):
        return None
    text, values = "", list[str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
            continue
        assert isinstance(part, ast.FormattedValue)
        spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
        formats = [str(each.value) for each in spec if isinstance(each, ast.Constant)]
        if len(formats) < len(spec):  # the format depends on the run time
            return None
        text += "{" + CONVERSIONS[part.conversion] + (f":{''.join(formats)}" if any(formats) else "") + "}"
        values.append(spell(site, part.value).at_least(CHOICE))
    source = site.source(node)
    if "=" in "".join(source.split("{")[1:]) and "=}" in source.replace(" ", ""):
        return None
    literal = repr(text)
    # The quotes do not change, if possible.
    is_double = source.lstrip("rRfFbB").startswith('"')
    if is_double and literal.startswith("'") and '"' not in text:
        literal = f'"{literal[1:-1]}"'
    return Expression(f"{literal}.format({', '.join(values)})", ATOM)


def _reversed(site: FunctionContext, call: ast.Call) -> Expression | None:
    """A reversed list as a slice; a reversed range as a range from its end."""
    if len(call.args) != 1 or call.keywords or not _is_gone_over(site.parents[call], call):
        return None
    [inner] = call.args
    if isinstance(inner, ast.Call) and called_name(inner) == "range" and len(inner.args) == 1 and not inner.keywords:
        end = inner.args[0]
        text = spell(site, end).at_least(ATOM if isinstance(end, ast.BinOp) else ARITHMETIC)
        return None if isinstance(end, ast.Starred) else Expression(f"range({text} - 1, -1, -1)", ATOM)
    types = site.seen(inner)
    is_slice = isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Slice)
    is_list = isinstance(inner, (ast.List, ast.ListComp)) or is_slice or (types and types <= {"list", "tuple"})
    return Expression(f"{spell(site, inner).at_least(ATOM)}[::-1]", ATOM) if is_list else None


def _is_gone_over(parent: ast.AST, node: ast.expr) -> bool:
    """Whether the parent iterates over an expression once, and does nothing else with it."""
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id in ("enumerate", "list", "sum", "tuple", "zip")
    return isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node


RULE = MendRule("plain_words", MendKind.EXACT, said(SET, CONVERSION, REVERSED, FUNCTION_VALUE, OWN_CLASS), find)
