"""The annotations of one function or class as text for a person to edit, and the edited text as annotations."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.choose.legalize import legalize
from pdt_annotate.emit.words import evidence, first_line, plural, slot_name, spelled
from pdt_annotate.source.read_type import NAMES, read_annotation
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import Annotation, Classes, Illegal, Origin, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr, short_name, union

HEADER = """\
# The annotations of {owner}, one a line. Change a type, or delete a line to leave its annotation out.
# Lines that begin with # say why, and are not read.
"""
TYPES_HINT = "types are written like Tensor, int, Optional[Tensor], List[int], Dict[str, Tensor], Tuple[int, Tensor]"
FINAL = re.compile(r"Final\[(.*)\]")
ARITY = {"list": 1, "Optional": 1, "dict": 2}  # the number of types in the brackets, if TorchScript leaves no choice


def write_editable(annotations: Sequence[Annotation]) -> str:
    """Return the text to edit: `name: type` for each annotation, below its evidence."""
    lines = [HEADER.format(owner=annotations[0].slot.owner.qualname)]
    for key, annotation in _by_key(annotations).items():
        lines += [f"# {text}\n" for text in (evidence(annotation), first_line(annotation.because)) if text]
        lines.append(f"{key}: {spelled(annotation)}\n")
    return "".join(lines)


def read_editable(text: str, annotations: Sequence[Annotation], classes: Classes) -> tuple[Annotation, ...]:
    """Return the annotations of an edited text; an annotation whose text is the same is not changed.

    A type may name the `classes`. Raises a `UserError` for a line without a slot, or without a type that TorchScript
    accepts there.
    """
    known = _by_key(annotations)
    # The meanings of bare names: TorchScript's own types first, then this function's classes, then others.
    types = [type_ for a in annotations for type_ in (a.type, *a.alternatives, *(each.type for each in a.evidence))]
    own = [part for type_ in types for part in _parts(type_)]
    others = [TypeExpr(info.name, bases=info.bases) for info in classes.values()]
    names = {short_name(each.name): each for each in reversed([*own, *others])} | dict(NAMES)
    found: dict[str, Annotation] = {}
    for number, line in enumerate(text.splitlines(), 1):
        wanted = line.partition("#")[0].strip()
        if not wanted:
            continue
        key, _, type_text = (part.strip() for part in wanted.rpartition(":"))
        if key not in known:
            hint = f"`name: type`, where the name is one of: {', '.join(known)}"
            raise UserError(f"line {number}: `{wanted}` cannot be edited here", hint=hint)
        if key in found:
            raise UserError(f"line {number}: `{key}` has a type already", hint="delete one of the two lines")
        try:
            found[key] = _edit(known[key], type_text, names, classes)
        except ValueError as error:
            raise UserError(f"line {number}: {error}", hint=TYPES_HINT) from error
    return tuple(found[key] for key in known if key in found)


def _by_key(annotations: Iterable[Annotation]) -> dict[str, Annotation]:
    """Return the annotations by their names in the text; locals of one name are distinguished by line."""
    named = [(slot_name(each.slot), each) for each in annotations]
    count = Counter(name for name, _ in named)
    return {name if count[name] == 1 else f"{name} in line {each.slot.line}": each for name, each in named}


def _parts(type_: TypeExpr) -> Iterator[TypeExpr]:
    """Yield the classes in a type; the other types need brackets."""
    if not type_.args:
        yield from () if type_.name in ARITY or type_.name == "tuple" else (type_,)
    for arg in type_.args:
        yield from _parts(arg)


def _edit(before: Annotation, text: str, names: Mapping[str, TypeExpr], classes: Classes) -> Annotation:
    """Return the annotation with the type of a text; raise `ValueError` if TorchScript does not accept the type."""
    if text == spelled(before):
        return before
    in_final = FINAL.fullmatch(text) if before.slot.kind is SlotKind.ATTRIBUTE else None
    type_ = read_annotation(in_final[1] if in_final else text, names)
    if type_ is None:
        raise ValueError(f"`{text}` is not a TorchScript type")
    reason = _why_illegal(type_, before.slot.kind, classes)
    if reason:
        raise ValueError(f"`{text}`: {reason}")
    type_ = _as_optional(type_)
    return Annotation(before.slot, type_, Origin.EDITED, evidence=before.evidence, final=bool(in_final))


def _as_optional(type_: TypeExpr) -> TypeExpr:
    """Return `Union[T, None]`, which is how `T | None` is read, as `Optional[T]`."""
    args = tuple(map(_as_optional, type_.args))
    rest = [arg for arg in args if arg != NONE]
    is_optional = type_.name == "Union" and len(rest) < len(args)
    return TypeExpr("Optional", (union(*rest),)) if is_optional and rest else replace(type_, args=args)


def _why_illegal(type_: TypeExpr, kind: SlotKind, classes: Classes) -> str:
    """Return why TorchScript does not accept a type as it is written; "" if it does."""
    if len(type_.args) != ARITY.get(type_.name, len(type_.args)):
        needed = plural(ARITY[type_.name], "type")
        return f"{short_name(type_.name)} must have {needed} in its brackets, not {len(type_.args)}"
    inner = [arg for arg in type_.args if not (type_.name in ("Optional", "Union") and arg == NONE)]
    reasons = (_why_illegal(arg, kind, classes) for arg in inner)
    if reason := next(filter(None, reasons), ""):
        return reason
    legal = legalize(type_, kind, classes)
    if isinstance(legal, Illegal):
        return legal.reason
    if legal.guess:
        return f"{type_} does not determine the type of its values"
    is_other = not type_.args and legal.type.name != type_.name
    return f"in TorchScript, write {legal.type} instead" if is_other else ""
