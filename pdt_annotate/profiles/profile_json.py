"""Types and classes ↔ canonical JSON text: equal values have equal text. Text that is read is never evaluated.

    {"name": "list", "args": [{"name": "torch.nn.Parameter", "bases": ["torch.Tensor"]}]}

Keys are sorted, and empty values left out.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pdt_annotate.values.slots import ClassInfo, ClassKind
from pdt_annotate.values.types import TypeExpr

T = TypeVar("T")

Json = dict[str, Any]
DEEPEST = 64  # nested types; a model's arguments have a few levels

TOO_DEEP = "nested too deeply"
OF_OTHERS = ("Union", "Optional")  # these need arguments; a list without one was empty

KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


def dump_type(type_: TypeExpr) -> str:
    return _dump(_of_type(type_))


def load_type(text: str) -> TypeExpr:
    """The type of a text by `dump_type`. Raises ValueError for any other text."""
    return _type(load_json(text))


def dump_class(info: ClassInfo) -> str:
    fields = [[name, _of_type(field) if field else None] for name, field in info.fields]
    return _dump({**vars(info), "kind": info.kind.value, "fields": fields, "bases": list(info.bases)})


def load_class(text: str) -> ClassInfo:
    """The class of its text; if its name is not a dotted name, it is not importable. Raises ValueError."""
    found = _checked(dict, load_json(text))
    name, module, qualname = (_checked(str, found.get(key, "")) for key in ("name", "module", "qualname"))
    named = name == f"{module}.{qualname}" and all(part.isidentifier() for part in name.split("."))
    fields = (_checked(list, each) for each in _checked(list, found.get("fields", [])))
    return ClassInfo(
        name=name,
        module=module,
        qualname=qualname,
        kind=ClassKind(found.get("kind")),
        file=_checked(str, found["file"]) if "file" in found else None,
        line=_checked(int, found.get("line", 0)),
        fields=tuple((_checked(str, field), None if type_ is None else _type(type_)) for field, type_ in fields),
        bases=_texts(found.get("bases", [])),
        importable=found.get("importable") is True and named,
        scripted=found.get("scripted") is True,
    )


def _of_type(type_: TypeExpr) -> Json:
    return {"name": type_.name, "args": [_of_type(arg) for arg in type_.args], "bases": list(type_.bases)}


def _dump(value: Json) -> str:
    return json.dumps(_without_empty(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _without_empty(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_empty(each) for each in value]
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in (None, [], "", 0, False)}
    return value


def load_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError if it is invalid, or nested more deeply than any profile."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    pending = [(value, 0)]
    while pending:
        each, depth = pending.pop()
        if depth > DEEPEST * 3:  # a type is an object in a list in an object
            raise ValueError(TOO_DEEP)
        if isinstance(each, str):
            _checked(str, each)
        inside = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        pending += [(inner, depth + 1) for inner in inside]
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"the number {constant}")


def is_plain(value: object) -> bool:
    """Whether a value is not a text with a surrogate, which cannot be printed, or a NUL, which ends a path."""
    if not isinstance(value, str):
        return True
    return "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)


def _type(value: Any) -> TypeExpr:
    found = _checked(dict, value)
    args = tuple(_type(arg) for arg in _checked(list, found.get("args", [])))
    name = _checked(str, found.get("name"))
    if name in OF_OTHERS and not args:
        raise ValueError(f"{name} of nothing")
    return TypeExpr(name, args, _texts(found.get("bases", [])))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_checked(str, each) for each in _checked(list, value))


def _checked(kind: type[T], value: Any) -> T:
    """The value, which must be of exactly this class: `True` is not a whole number."""
    if type(value) is not kind or not is_plain(value):
        raise ValueError(f"not {KINDS[kind]}: {value!r}")
    return value
