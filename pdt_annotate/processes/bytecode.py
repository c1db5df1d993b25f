"""Bytecode for all sessions of a run: every session imports the project, but only the first compiles a file.

Without it, every session compiles all files that have no valid bytecode in `__pycache__`. This takes most of the time
of an import. Nothing is written into the project.
"""

import contextlib
import fcntl
import hashlib
import marshal
import os
import struct
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

from pdt_annotate.processes.notes import open_nameless

HEAD = struct.Struct("32s32sQ")  # the digests of a source with its path and of its bytecode; the bytecode's length


class SharedBytecode:
    """A file without a name. This process and its forks append to it, one record in one write."""

    def __init__(self) -> None:
        self.file = open_nameless()
        descriptor = self.file.fileno()
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
        self._end = 0  # of the records that were read
        self._read: dict[bytes, bytes] = {}  # the bytecode, by the digest of its source

    def find(self, key: bytes) -> CodeType | None:
        """The bytecode of a source, if it is there. A record that was not written to the end ends the file."""
        descriptor = self.file.fileno()
        size = os.fstat(descriptor).st_size
        while (begin := self._end + HEAD.size) <= size:
            source, digest, length = HEAD.unpack(os.pread(descriptor, HEAD.size, self._end))
            data = os.pread(descriptor, length, begin) if length <= size - begin else b""
            if hashlib.sha256(data).digest() != digest:
                break
            self._read[source] = data
            self._end = begin + length
        return marshal.loads(self._read[key]) if key in self._read else None

    def add(self, key: bytes, code: CodeType) -> None:
        data = marshal.dumps(code)
        with contextlib.suppress(OSError):  # there is no space left
            os.write(self.file.fileno(), HEAD.pack(key, hashlib.sha256(data).digest(), len(data)) + data)


def share_bytecode() -> None:
    """Let this process and its forks look for bytecode before they compile the source of a module."""
    shared = SharedBytecode()
    compile_source: Callable[..., CodeType] = SourceFileLoader.source_to_code

    def source_to_code(loader: Any, data: Any, path: Any, **options: Any) -> CodeType:
        if type(data) is not bytes or type(path) is not str or options:
            return compile_source(loader, data, path, **options)
        key = hashlib.sha256(os.fsencode(path) + b"\0" + data).digest()
        code = shared.find(key)
        if code is None:
            code = compile_source(loader, data, path)
            shared.add(key, code)
        return code

    SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign, assignment]
