"""The schema of a YAML spec, and the messages about its violations."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

from pdt_annotate.inputs.specs.yaml_document import Document, load_document
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import SpecError

if TYPE_CHECKING:
    import jsonschema

SCHEMA = json.loads(resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8"))
TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


WANTED: dict[str, Callable[[Any], str]] = {
    "type": lambda error: " or ".join(TYPES[name] for name in _as_list(error.validator_value)),
    "enum": lambda error: " or ".join(map(str, error.validator_value)),
    "const": lambda error: str(error.validator_value),
    "pattern": lambda error: str(error.schema.get("description", "")),
    "minimum": lambda error: f"{error.validator_value} or more",
    "maximum": lambda error: f"{error.validator_value} or less",
}
"""A description of valid values, by the violated keyword."""


def load_checked(file: str, name: str) -> Document:
    """The document of a spec. Raises SpecError if it is not YAML, violates the schema, or if `name` is not empty."""
    if name:
        raise SpecError(f"{file}:{name} picks a name, which only a Python spec has", hint=f"write {file}")
    document = load_document(file)
    check_schema(document)
    return document


def check_schema(document: Document) -> None:
    """Raise SpecError for the first violation in the file, with its key and line."""
    try:
        import jsonschema  # noqa: PLC0415
    except ImportError:  # missing in the model's environment; the tool has already checked the spec
        return
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(document.data)
    found: list[tuple[tuple[str | int, ...], jsonschema.ValidationError]] = []
    for error in errors:  # an unknown key is itself the fault, not the value that contains it
        unknown = _unknown_keys(error)[:1] if error.validator == "additionalProperties" else []
        found.append(((*error.absolute_path, *unknown), error))
    if not found:
        return
    path, error = min(found, key=lambda item: document.place(item[0]))
    message, hint = _explain(error)
    raise document.error(path, message, hint)


def _unknown_keys(error: Any) -> list[Any]:
    known = error.schema["properties"] if isinstance(error.schema, dict) else {}
    return [key for key in error.instance if key not in known]


def _explain(error: Any) -> tuple[str, str]:
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"]) if isinstance(error.schema, dict) else []
        near = did_you_mean(str(_unknown_keys(error)[0]), known)
        is_form = isinstance(error.schema, dict) and "required" in error.schema
        escape = f"a plain map with the key {known[0]!r} is written {{dict: {{…}}}}" if is_form else ""
        return "unknown key", "; ".join(filter(None, [near, f"the keys here are {', '.join(known)}", escape]))
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"the key {missing[0]!r} is missing", ""
    wanted = WANTED.get(error.validator)
    if wanted is None:
        return error.message, ""
    kinds = ((list, "a list"), (dict, "a map"))
    shown = next((name for kind, name in kinds if isinstance(error.instance, kind)), "")
    return f"must be {wanted(error)}, not {shown or json.dumps(error.instance, default=str)}", ""


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
