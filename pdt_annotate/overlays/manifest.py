"""`manifest.json` of a kept overlay: the annotated copies, with the modules and packages that they replace.

docs/overlay.md documents the format. Standard library only: it is read at run time, in the user's program.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import read_bounded

MANIFEST = "manifest.json"
FORMAT = "pdt-annotate overlay"
LARGEST = 16 << 20  # the most bytes of a manifest; one for all of transformers has less than 1 << 20
DIGEST = frozenset("0123456789abcdef")
VERSION = 1  # raised when a key is removed or changes its meaning, not for a new key


@dataclass(frozen=True, order=True)
class ManifestEntry:
    """One annotated copy."""

    module: str  # the dotted name under which the original is imported
    path: str  # the path of the copy in the overlay, and of the original in its import directory
    distribution: str  # the installed package of the original, with its `version`; "" if unknown
    version: str
    original: str  # sha256 of the original file
    annotated: str  # sha256 of the copy

    @property
    def package(self) -> str:
        """The package of the module: "name 1.2", or the top-level package."""
        return f"{self.distribution} {self.version}" if self.distribution else self.module.partition(".")[0]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def copy_path(module: str, file: str) -> str:
    """The path of a module's copy below an overlay, with forward slashes.

    >>> copy_path("pkg.sub", "/lib/pkg/sub/__init__.py")
    'pkg/sub/__init__.py'
    """
    below = module.replace(".", "/")
    return f"{below}/__init__.py" if os.path.basename(file) == "__init__.py" else f"{below}.py"


def dump(entries: Iterable[ManifestEntry]) -> bytes:
    """The manifest as bytes, the same for the same entries."""
    document = {"format": FORMAT, "version": VERSION, "files": [asdict(entry) for entry in sorted(entries)]}
    return (json.dumps(document, indent=2) + "\n").encode()


def load(directory: str) -> Mapping[str, ManifestEntry]:
    """The entries of an overlay by module; raises UserError if there is none, or it is unreadable or too new."""
    file = os.path.join(directory, MANIFEST)
    try:
        document = json.loads(read_bounded(file, LARGEST))
    except OSError as error:
        hint = "`pdt-annotate TARGET -i FILE --overlay DIR` writes an overlay"
        raise UserError(f"there is no overlay in {directory}: {error.strerror}", file=file, hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"the manifest of the overlay is not JSON: {error}", file=file) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UserError("this is not the manifest of an overlay", file=file)
    version = document.get("version")
    if version != VERSION:
        message = f"the overlay has format {version}, and this version of pdt-annotate reads format {VERSION}"
        raise UserError(message, file=file, hint="update pdt-annotate, or write the overlay again")
    try:
        return {entry.module: entry for entry in map(_entry, document["files"])}
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"the manifest of the overlay is damaged: {error!r}", file=file) from error


def assert_replaceable(directory: str) -> None:
    """Raise `UserError` unless the directory is new or empty, or holds an overlay."""
    if os.path.isdir(directory):
        if os.path.exists(os.path.join(directory, MANIFEST)):
            load(directory)
        elif os.listdir(directory):
            hint = "give --overlay a directory of its own"
            raise UserError("the directory contains files that do not belong to an overlay", file=directory, hint=hint)
    elif os.path.lexists(directory):
        raise UserError("--overlay needs a directory, and this is a file", file=directory)


def _entry(values: Mapping[str, str]) -> ManifestEntry:
    entry = ManifestEntry(**{field.name: values[field.name] for field in fields(ManifestEntry)})
    if not all(isinstance(value, str) for value in asdict(entry).values()):
        raise TypeError(entry.module)
    parts = entry.path.replace("\\", "/").split("/")
    stays_below = not os.path.isabs(entry.path) and all(part not in ("", ".", "..") for part in parts)
    if not (entry.module.isprintable() and entry.path.isprintable() and stays_below):
        raise ValueError(entry.path)
    if not all(len(each) == 64 and DIGEST.issuperset(each) for each in (entry.original, entry.annotated)):
        raise ValueError(f"{entry.path} without a sha256")
    return entry
