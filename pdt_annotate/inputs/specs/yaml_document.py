"""A YAML (or JSON) file as data that keeps the place of every key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from pdt_annotate.values.documents import DEEPEST, TOO_DEEP, find_fault, place_of_byte, read_text
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.places import Place

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

    def place(self, path: Sequence[str | int]) -> Place:
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

    def error(self, path: Sequence[str | int], message: str, hint: str = "") -> SpecError:
        """An error about the value at a path, with its key and place."""
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
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise SpecError(f"not valid YAML: {reason}", file=file) from None
    if fault := find_fault(document.data):
        raise document.error(*fault)
    return document
