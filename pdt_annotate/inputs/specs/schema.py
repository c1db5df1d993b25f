"""The schema of a YAML spec, and what a violation of it says to a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import jsonschema

from pdt_annotate.inputs.specs.document import Document
from pdt_annotate.inputs.target import did_you_mean

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


def check_schema(document: Document) -> None:
    """Check the layout of a spec.

    Raises:
        SpecError: the first violation in the file, with its key and line.
    """
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(document.data)
    found = [(_blame(error), error) for error in errors]
    if not found:
        return
    path, error = min(found, key=lambda item: document.line(item[0]))
    message, hint = MESSAGES.get(str(error.validator), _explain_other)(error)
    raise document.error(path, message, hint)


def _blame(error: jsonschema.ValidationError) -> tuple[str | int, ...]:
    """The path of the value at fault; for an unknown key, that of the key."""
    path = tuple(error.absolute_path)
    unknown = _unknown_keys(error) if error.validator == "additionalProperties" else []
    return (*path, unknown[0]) if unknown else path


def _unknown_keys(error: jsonschema.ValidationError) -> list[Any]:
    return [key for key in _instance(error) if key not in _known_keys(error)]


def _known_keys(error: jsonschema.ValidationError) -> list[str]:
    return list(error.schema["properties"]) if isinstance(error.schema, dict) else []


def _instance(error: jsonschema.ValidationError) -> Any:
    return error.instance


def _explain_unknown_key(error: jsonschema.ValidationError) -> tuple[str, str]:
    known = _known_keys(error)
    near = did_you_mean(str(_unknown_keys(error)[0]), known)
    is_form = isinstance(error.schema, dict) and "required" in error.schema
    escape = f"a plain map with the key {known[0]!r} is written {{dict: {{…}}}}" if is_form else ""
    return "unknown key", "; ".join(filter(None, [near, f"the keys here are {', '.join(known)}", escape]))


def _explain_type(error: jsonschema.ValidationError) -> tuple[str, str]:
    wanted: Any = error.validator_value
    names = [TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return f"must be {' or '.join(names)}, not {_show(error.instance)}", ""


def _explain_choice(error: jsonschema.ValidationError) -> tuple[str, str]:
    wanted: Any = error.validator_value
    choices = wanted if isinstance(wanted, list) else [wanted]
    return f"must be {' or '.join(map(str, choices))}, not {_show(error.instance)}", ""


def _explain_pattern(error: jsonschema.ValidationError) -> tuple[str, str]:
    wanted = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    return f"must be {wanted}, not {_show(error.instance)}", ""


def _explain_missing(error: jsonschema.ValidationError) -> tuple[str, str]:
    wanted: Any = error.validator_value
    missing = [key for key in wanted if key not in _instance(error)]
    return f"the key {missing[0]!r} is missing", ""


def _explain_minimum(error: jsonschema.ValidationError) -> tuple[str, str]:
    return f"must be {error.validator_value} or more, not {_show(error.instance)}", ""


def _explain_other(error: jsonschema.ValidationError) -> tuple[str, str]:
    return error.message, ""


def _show(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "a map" if isinstance(value, dict) else json.dumps(value, default=str)


MESSAGES: dict[str, Callable[[jsonschema.ValidationError], tuple[str, str]]] = {
    "additionalProperties": _explain_unknown_key,
    "type": _explain_type,
    "enum": _explain_choice,
    "const": _explain_choice,
    "pattern": _explain_pattern,
    "required": _explain_missing,
    "minimum": _explain_minimum,
}
