"""A YAML (or JSON) file as data that keeps the place of every key, and its schema."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import yaml

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.documents import DEEPEST, TOO_DEEP, KeyPath, find_fault, place_of_byte, read_text
from pdt_annotate.values.errors import SpecError, line_of
from pdt_annotate.values.slots import Place

# PyYAML follows YAML 1.1, which reads "1e-3" as a text; YAML 1.2 and JSON read it as a number.
EXPONENT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+\Z")


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys and anchors that contain themselves."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._open: list[str] = []

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) and event.anchor in self._open:
            raise _refuse(f"&{event.anchor} contains itself", event)
        if len(self._open) > DEEPEST:
            raise _refuse(TOO_DEEP, event)
        self._open.append(getattr(event, "anchor", None) or "")
        node = super().compose_node(parent, index)
        self._open.pop()
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _refuse(f"the key {key.value!r} is given twice", key)
            seen.add(str(key.value))
        return node


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", EXPONENT, list("-+.0123456789"))


def _refuse(message: str, where: Any) -> yaml.MarkedYAMLError:
    return yaml.composer.ComposerError(None, None, message, where.start_mark)


@dataclass(frozen=True)
class Document:
    file: str
    data: Any
    root: yaml.Node = field(repr=False)

    def place(self, path: KeyPath) -> Place:
        """The beginning of the value at a path of keys and indices; of its nearest ancestor if there is no value."""
        node, mark = self.root, self.root.start_mark
        for part in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                mark = node.start_mark
                continue
            # From the end: keys from a merge come first, and keys that override them after.
            pairs = reversed(node.value) if isinstance(node, yaml.MappingNode) else ()
            found = next(((value, key.start_mark) for key, value in pairs if key.value == str(part)), None)
            if found is None:
                break
            node, mark = found
        return _place(self.file, mark)

    def error(self, path: KeyPath, message: str, hint: str = "") -> SpecError:
        # As a person writes it: "calls[0].args[1].dtype".
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        text = f"{place}: {message}" if place else message
        return SpecError(text, place=self.place(path), hint=hint)


def _place(file: str, mark: yaml.Mark | None) -> Place:
    """The place of a mark, which counts from 0."""
    return Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)


def load_document(file: str) -> Document:
    """Parse a file. Raises SpecError if it is not YAML, or is empty."""
    text = read_text(file, "the spec", SpecError)
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            raise SpecError("the spec is empty", file=file, hint="list example calls under `calls:`")
        document = Document(file, loader.construct_document(root), root)
    except yaml.MarkedYAMLError as error:
        raise SpecError(f"not valid YAML: {error.problem}", place=_place(file, error.problem_mark)) from None
    except yaml.reader.ReaderError as error:
        place = place_of_byte(file, text.encode(), len(text[: error.position].encode()))
        raise SpecError(f"not valid YAML: the character {chr(error.character)!a}", place=place) from None
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        # Errors of PyYAML's constructors: an impossible date, an explicit number tag on something else, and others.
        raise SpecError(f"not valid YAML: {line_of(error)}", file=file) from None
    if fault := find_fault(document.data):
        raise document.error(*fault)
    return document


SCHEMA = json.loads(resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8"))
TYPES = {
    **{"object": "a mapping", "array": "a list", "string": "a string", "integer": "an integer", "number": "a number"},
    **{"boolean": "true or false", "null": "null"},
}
KINDS = ((list, "a list"), (dict, "a mapping"))
WANTED: dict[str, Callable[[Any], str]] = {  # a description of valid values, by the violated keyword
    "type": lambda error: " or ".join(said for name, said in TYPES.items() if name in error.validator_value),
    "enum": lambda error: " or ".join(map(str, error.validator_value)),
    "const": lambda error: str(error.validator_value),
    "pattern": lambda error: str(error.schema.get("description", "")),
    "minimum": lambda error: f"{error.validator_value} or more",
    "maximum": lambda error: f"{error.validator_value} or less",
}


def load_checked(file: str, name: str) -> Document:
    """The document of a spec. Raises SpecError if it is not YAML, violates the schema, or if `name` is not empty."""
    if name:
        raise SpecError(f"{file}:{name} names a variable, but only a Python spec has variables", hint=f"write {file}")
    document = load_document(file)
    check_schema(document)
    return document


def check_schema(document: Document) -> None:
    """Raise SpecError for the first violation in the file, with its key and line."""
    try:
        import jsonschema  # noqa: PLC0415
    except ImportError:  # missing in the model's environment; the tool has already checked the spec
        return
    found: list[tuple[KeyPath, jsonschema.ValidationError]] = []
    for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document.data):
        # An unknown key is itself the fault, not the value that contains it.
        unknown = _unknown_keys(error)[:1] if error.validator == "additionalProperties" else []
        found.append(((*error.absolute_path, *unknown), error))
    if found:
        path, error = min(found, key=lambda item: document.place(item[0]))
        raise document.error(path, *_explain(error))


def _unknown_keys(error: Any) -> list[Any]:
    return [key for key in error.instance if key not in error.schema["properties"]]


def _explain(error: Any) -> tuple[str, str]:
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        near = did_you_mean(str(_unknown_keys(error)[0]), known)
        is_special = "required" in error.schema
        escape = f"write {{dict: {{…}}}} for a plain map with the key {known[0]!r}" if is_special else ""
        return "unknown key", "; ".join(filter(None, [near, f"the keys here are {', '.join(known)}", escape]))
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"the key {missing[0]!r} is missing", ""
    wanted = WANTED.get(error.validator)
    if wanted is None:
        return error.message, ""
    shown = next((name for kind, name in KINDS if isinstance(error.instance, kind)), "")
    return f"must be {wanted(error)}, not {shown or json.dumps(error.instance, default=str)}", ""
