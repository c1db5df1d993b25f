"""Objects of a class that is the target itself, in Python and compiled.

An example call constructs an object; one that names a method goes to the object that was constructed last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from pdt_annotate.values.errors import SpecError

CONSTRUCT = "forward"  # the method of a call that names no method


class Objects:
    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.last: Any = None

    def run(self, method: str) -> Callable[..., Any]:
        """The function that a call runs; instead of None it returns the attributes. Raises SpecError without object."""
        if method != CONSTRUCT and self.last is None:
            hint = "begin with a call of the constructor's arguments; later calls name a `method`"
            raise SpecError(f"no example call constructs a {self.cls.__qualname__} to call {method!r} of", hint=hint)

        def call(*args: Any, **kwargs: Any) -> Any:
            result = self._run(method, args, kwargs)
            return self.attributes() if result is None else result

        return call

    def _run(self, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if method != CONSTRUCT:
            return getattr(self.last, method)(*args, **kwargs)
        self.last = self.cls(*args, **kwargs)
        return None

    def attributes(self) -> dict[str, Any]:
        return dict(getattr(self.last, "__dict__", {}))


class ScriptedObjects(Objects):
    """Objects of a compiled class; the eager objects name the attributes.

    `type` is None if the compiler knows values of the class but cannot construct one, as for an Enum.
    """

    def __init__(self, cls: type, eager: Objects) -> None:
        super().__init__(cls)
        self.eager = eager
        state: Any = torch.jit._state
        self.type: Any = state._get_script_class(cls)

    def _run(self, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if method != CONSTRUCT:
            return self.last._get_method(method)(*args, **kwargs)
        new: Any = torch._C._create_object_with_type(self.type)
        new._get_method("__init__")(*args, **kwargs)
        self.last = new
        return None

    def attributes(self) -> dict[str, Any]:
        names = self.eager.attributes()
        return {name: self.last.getattr(name) for name in names if self.last.hasattr(name)}
