"""Advice on a fault: for its message, otherwise the catalogue's; then further advice that fits the part."""

import ast
from collections.abc import Mapping
from types import MappingProxyType

from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.messages.said import DEFAULT, UNDEFINED, telling_line
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure, Fault, Part

Definition = ast.FunctionDef | ast.AsyncFunctionDef
NO_TYPES: Mapping[str, TypeExpr] = MappingProxyType({})

UNUSED = "decorate it with @torch.jit.unused, and annotate its return type unless it returns a Tensor"
GUARDED = "put its call under `if not torch.jit.is_scripting():`"


def remedies(
    fault: Fault,
    part: Part,
    definition: Definition | None,
    *,
    is_entered: bool,
    defaults: Mapping[str, TypeExpr] = NO_TYPES,
    seen: Mapping[str, TypeExpr] = NO_TYPES,
) -> tuple[str, ...]:
    """Advice on this kind of fault, then other options for this part.

    `is_entered` says that an example call entered the faulty function. `defaults` are the types of defaults that are
    constants, and `seen` are types of arguments.
    """
    first = _undefined(fault, definition) or _default(fault, defaults, seen) or advice(fault.code, fault.failure)
    found = [first]
    if fault.owner is not None and not is_entered:
        arguments = definition.args if definition else None
        is_plain = arguments and not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs)
        way = UNUSED if is_plain and not entry(fault.code).of_signature else GUARDED
        name = fault.owner.qualname
        found.append(f"No example call runs {name}. If the scripted model does not need this function, {way}.")
    if part.traces and entry(fault.code).needs_other_code:
        calls = "its recorded call" if part.calls == 1 else f"its {part.calls} recorded calls"
        found.append(f"Or trace this module, if its branches do not depend on data: a trace is right on {calls}.")
    return tuple(found)


def advice(code: str, failure: Failure) -> str:
    """The advice for a message, or for its most specific line; otherwise the catalogue's."""
    texts = (telling_line(failure), failure.message.strip())
    known = entry(code)
    return next((advice for message, advice in known.hints if any(map(message.is_in, texts))), known.advice)


def _undefined(fault: Fault, definition: Definition | None) -> str:
    """Advice on a name without a value, by the function's uses of it; "" if that is not the fault."""
    facts = UNDEFINED.read(fault.failure.message)
    if facts is None or definition is None:
        return ""
    name = facts["name"]
    if any(argument.arg == name for argument in definition.args.posonlyargs):
        return "Remove the `/`: the compiler ignores the parameters before it."
    branches = [node for node in ast.walk(definition) if isinstance(node, ast.If)]
    if any(_sets(branch.body, name) and _sets(branch.orelse, name) for branch in branches):
        return f"A branch cannot assign a function, class, slice or range: move the use of `{name}` into each branch."
    if _sets(definition.body, name):
        return f"Assign `{name}` before the loop, or in every branch."
    return f"Import or define `{name}` at the top of the file: the compiler does not find the name there."


def _default(fault: Fault, defaults: Mapping[str, TypeExpr], seen: Mapping[str, TypeExpr]) -> str:
    """The type that lets a default fit: the observed one, or the default's; "" if that is not the fault."""
    facts = DEFAULT.read(fault.failure.message)
    wanted = facts.type("wanted") if facts else None
    if facts is None or wanted is None:
        return ""
    name = facts["name"]
    default = defaults.get(name)
    if default == NONE and not facts.is_inferred("wanted"):
        return f"Annotate the parameter as `{name}: Optional[{wanted}]`, because its default is None."
    known = seen.get(name, default)
    if known is None or default not in (None, known):
        return ""
    why = "the example calls pass" if name in seen else "its default has"
    return f"Annotate the parameter as `{name}: {known}`, the type that {why}."


def _sets(body: list[ast.stmt], name: str) -> bool:
    nodes = (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name))
    return any(node.id == name and isinstance(node.ctx, ast.Store) for node in nodes)
