"""Types and classes ↔ canonical JSON text: equal values give equal text, and the text names all that a rule asks for.

    {"name": "list", "args": [{"name": "torch.nn.Parameter", "bases": ["torch.Tensor"]}]}

Keys are sorted, empty ones left out. Nothing that is read here is ever evaluated.
"""

from __future__ import annotations

import json
from typing import Any

from pdt_annotate.values.slots import ClassInfo, ClassKind
from pdt_annotate.values.types import TypeExpr

Json = dict[str, Any]


def dump_type(type_: TypeExpr) -> str:
    return _dump(_of_type(type_))


def load_type(text: str) -> TypeExpr:
    """The type of its text.

    Raises:
        ValueError: the text is not one that `dump_type` writes.
    """
    return _type(_object(text))


def dump_class(info: ClassInfo) -> str:
    return _dump(
        {
            "name": info.name,
            "module": info.module,
            "qualname": info.qualname,
            "kind": info.kind.value,
            "file": info.file,
            "line": info.line,
            "fields": [[name, _of_type(field) if field else None] for name, field in info.fields],
            "bases": list(info.bases),
            "importable": info.importable,
            "scripted": info.scripted,
        }
    )


def load_class(text: str) -> ClassInfo:
    """The class of its text. One whose name is no dotted name is not importable, since no import can name it.

    Raises:
        ValueError: the text is not one that `dump_class` writes.
    """
    found = _object(text)
    name, module, qualname = (_text(found.get(key, "")) for key in ("name", "module", "qualname"))
    named = name == f"{module}.{qualname}" and all(part.isidentifier() for part in name.split("."))
    return ClassInfo(
        name=name,
        module=module,
        qualname=qualname,
        kind=ClassKind(found.get("kind")),
        file=_text(found["file"]) if "file" in found else None,
        line=_whole(found.get("line", 0)),
        fields=tuple(_field(each) for each in _list(found.get("fields", []))),
        bases=tuple(_text(base) for base in _list(found.get("bases", []))),
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


def _object(text: str) -> Json:
    try:
        return _json(json.loads(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _type(value: Any) -> TypeExpr:
    found = _json(value)
    args = tuple(_type(arg) for arg in _list(found.get("args", [])))
    return TypeExpr(_text(found.get("name")), args, tuple(_text(base) for base in _list(found.get("bases", []))))


def _field(value: Any) -> tuple[str, TypeExpr | None]:
    name, type_ = _list(value)
    return _text(name), None if type_ is None else _type(type_)


def _json(value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError(f"not an object: {value!r}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"not a list: {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"not a whole number: {value!r}")
    return value
