"""The parts of a target, each compiled by itself in a fork of its own: what is sound where the whole is not.

Runs in a child, like `child`; its tasks are for a target that does not script.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

from pdt_annotate.child import Prepared, apply
from pdt_annotate.ir import Candidate, Owner
from pdt_annotate.observe import make_code_filter
from pdt_annotate.verify.scripts import Compilation

T = TypeVar("T")


def sound_owners(prepared: Prepared, candidate: Candidate) -> tuple[Owner, ...]:
    """The functions that compile with a candidate's annotations: alone, or as part of a submodule that does."""
    apply(candidate)
    sound: dict[Owner, None] = {}
    for part in _parts(prepared):
        compiled = in_fork(lambda part=part: _compile(part))  # type: ignore[misc]
        sound.update(dict.fromkeys(compiled or ()))
    return tuple(sound)


def _parts(prepared: Prepared) -> Iterator[Any]:
    """The submodules whose class the root holds, one instance a class, and the functions that the whole reaches."""
    is_wanted = make_code_filter(prepared.root)
    if isinstance(prepared.built, torch.nn.Module):
        classes: set[type] = set()
        for module in prepared.built.modules():
            forward = getattr(type(module).forward, "__code__", None)
            if type(module) not in classes and forward is not None and is_wanted(forward):
                classes.add(type(module))
                yield module
    whole = Compilation()
    whole.run(prepared.built)
    yield from (function for function in whole.functions if is_wanted(function.__code__) and not _is_method(function))


def _is_method(function: Any) -> bool:
    return "." in function.__qualname__.rpartition("<locals>.")[2]


def _compile(part: Any) -> tuple[Owner, ...]:
    compilation = Compilation()
    compilation.run(part)
    return tuple(compilation.compiled) if compilation.verdict.ok else ()


def in_fork(task: Callable[[], T]) -> T | None:
    """Run a task in a fork, since a failed compile spoils the process for the next; None where it did not return."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        with contextlib.suppress(Exception), os.fdopen(write, "wb") as out:
            out.write(pickle.dumps(task()))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        answer = source.read()
    os.waitpid(pid, 0)
    return pickle.loads(answer) if answer else None  # type: ignore[no-any-return]
