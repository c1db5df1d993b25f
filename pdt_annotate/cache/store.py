"""The cache's directory: documents by group and name, which may be missing, broken, or impossible to write.

A document is lists of texts by key. In its file the first line has the digest of the rest, so that half a file, or one
of another program, is none; each further line is a key and a text. JSON would do, but to import it takes longer than to
answer.
"""

from __future__ import annotations

import os

try:
    from _blake2 import blake2b
except ImportError:  # where `hashlib` has it from elsewhere; it is `_blake2`'s, but also loads OpenSSL
    from hashlib import blake2b

TYPE_CHECKING = False  # `typing` itself takes longer to import than an answer
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Document = Mapping[str, Sequence[str]]

DIRECTORY = ".pdt_annotate_cache"
FORMAT = b"pdt-annotate cache 1"
SUFFIX = ".txt"

FIELDS = "\0"
"""Between the parts of a text, as no path has it."""

KEPT = 256
"""Documents of a group. The oldest go first."""

OWN_FILES = {
    ".gitignore": "# Made by pdt-annotate.\n*\n",
    "CACHEDIR.TAG": (
        "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pdt-annotate; see https://bford.info/cachedir/\n"
    ),
}


def digest(value: object) -> str:
    """A name for plain data, equal for equal values: text, numbers, and lists of them."""
    return digest_bytes(repr(value).encode(errors="surrogateescape"))


def digest_bytes(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def find_root(start: str) -> str:
    """The nearest directory, from `start` upwards, with a cache in it; "" if there is none."""
    while not os.path.isdir(os.path.join(start, DIRECTORY)):
        start, below = os.path.dirname(start), start
        if start == below:
            return ""
    return start


def read(root: str, group: str, name: str) -> Document:
    """A document; empty where there is none that can be read."""
    try:
        with open(_path(root, group, name), "rb") as stream:
            head, _, body = stream.read().partition(b"\n")
    except OSError:
        return {}
    return _parse(body) if head == _head(body) else {}


def names(root: str, group: str, prefix: str = "") -> Iterator[str]:
    """The names in a group that begin with the prefix, the newest first."""
    directory = os.path.join(root, DIRECTORY, group)
    try:
        with os.scandir(directory) as entries:
            found = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.name.endswith(SUFFIX)]
    except OSError:
        return
    for _, name in sorted(found, reverse=True):
        if name.startswith(prefix):
            yield name.removesuffix(SUFFIX)


def write(root: str, group: str, name: str, document: Document) -> None:
    """Keep a document. A reader meets the old one or the new one, whole. A root that cannot be written has no cache."""
    path = _path(root, group, name)
    beside = f"{path}.{os.getpid()}.tmp"
    body = _spell(document)
    try:
        _prepare(root, group)
        with open(beside, "wb") as stream:
            stream.write(_head(body) + b"\n" + body)
        os.replace(beside, path)
        _drop_oldest(root, group)
    except OSError:
        _remove(beside)


def clean(root: str) -> str:
    """Remove the cache of a root; its directory, or "" where there was none.

    Raises:
        OSError: it cannot be removed.
    """
    import shutil  # noqa: PLC0415 - an answer needs none of it

    directory = os.path.join(root, DIRECTORY)
    if not os.path.isfile(os.path.join(directory, "CACHEDIR.TAG")):
        return ""
    shutil.rmtree(directory)
    return directory


def _path(root: str, group: str, name: str) -> str:
    return os.path.join(root, DIRECTORY, group, f"{name}{SUFFIX}")


def _head(body: bytes) -> bytes:
    return FORMAT + b" " + digest_bytes(body).encode()


def _spell(document: Document) -> bytes:
    lines = (f"{key} {text}".encode("unicode_escape") for key, texts in document.items() for text in texts)
    return b"".join(line + b"\n" for line in lines)


def _parse(body: bytes) -> Document:
    document: dict[str, list[str]] = {}
    for line in body.splitlines():
        key, _, text = line.decode("unicode_escape").partition(" ")
        document.setdefault(key, []).append(text)
    return document


def _prepare(root: str, group: str) -> None:
    directory = os.path.join(root, DIRECTORY)
    os.makedirs(os.path.join(directory, group), exist_ok=True)
    for name, content in OWN_FILES.items():
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(content)


def _drop_oldest(root: str, group: str) -> None:
    for name in list(names(root, group))[KEPT:]:
        _remove(_path(root, group, name))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
