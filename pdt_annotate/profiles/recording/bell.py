"""What wakes a resting observer when a module is called.

torch asks on every call of a module whether its table of global forward pre-hooks is empty; ours answers the same and
rings. A registered hook would be the official way, but it sends every call through torch's slow path, which costs
several times as much, and `torch.compile` warns of it.
"""

from __future__ import annotations

import itertools
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import FrameType
from typing import Any

MODULES = "torch.nn.modules.module"
TABLE = "_global_forward_pre_hooks"

EVERY = 13  # the bell rings on every 13th call of a module: a prime, so that it meets all modules of a model in time


def hang(ring: Callable[[FrameType], None]) -> bool:
    """Have `ring` called with frames of `Module._call_impl`; False where torch is not there, or not as we know it."""
    modules, compiler = sys.modules.get(MODULES), sys.modules.get("torch.compiler")
    table, is_compiling = getattr(modules, TABLE, None), getattr(compiler, "is_compiling", None)
    # The handle of a hook that is in the table removes it from there, and would not from ours.
    if type(table) is not OrderedDict or table or is_compiling is None:
        return False
    setattr(modules, TABLE, make_bell(ring, is_compiling))
    return True


def make_bell(ring: Callable[[FrameType], None], is_compiling: Callable[[], bool]) -> OrderedDict[int, Any]:
    """An empty table; the class is made anew because `torch.compile` reads closures more easily than attributes."""
    tick = itertools.count(1).__next__

    class Bell(OrderedDict[int, Any]):
        def __bool__(self) -> bool:
            if not is_compiling() and not tick() % EVERY:
                ring(sys._getframe(1))
            return len(self) > 0

    return Bell()
