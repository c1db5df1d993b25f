"""The traces in a database that MonkeyType wrote, read by MonkeyType's own store.

Its own decoding of a type imports the module of the class; here types stay names, and nothing of the user's is
imported.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from monkeytype.db.sqlite import SQLiteStore
from monkeytype.encoding import CallTraceRow

from pdt_annotate.values.types import ANY, NONE, STR, TypeExpr, union

ALL = 1 << 62  # the store returns the newest 2,000 traces of a module unless it is asked for more

CONTAINERS = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset"}
# MonkeyType calls the elements of an empty one Any.
FILLED = ("list", "dict", "set", "frozenset", "collections.defaultdict")
OTHERS = {"Callable": "Callable", "Type": "type", "DefaultDict": "collections.defaultdict"}

BASES: Mapping[str, tuple[str, ...]] = {  # the bases of classes that rules ask for; MonkeyType keeps none
    "torch.nn.parameter.Parameter": ("torch.Tensor", "torch._C.TensorBase"),
    "torch.Size": ("tuple",),
}


@dataclass(frozen=True)
class CallTypes:
    """The types in one call of a function, or in several alike. `result` is None if it raised, or is a generator."""

    module: str
    qualname: str
    arguments: Mapping[str, TypeExpr]
    result: TypeExpr | None


def read_traces(connection: sqlite3.Connection) -> Iterator[CallTypes]:
    """All traces of a database; raises `sqlite3.Error` if it is damaged.

    Raises ValueError, KeyError, TypeError or AttributeError if a trace is not in MonkeyType's format.
    """
    store = SQLiteStore(connection)
    for module in sorted(store.list_modules()):
        for row in store.filter(module, limit=ALL):
            assert isinstance(row, CallTraceRow)
            arguments = {name: read_type(value) for name, value in json.loads(row.arg_types).items()}
            returned = json.loads(row.return_type or "null")
            result = None if returned is None or row.yield_type else read_type(returned)
            yield CallTypes(row.module, row.qualname, arguments, result)


def read_type(value: Mapping[str, Any]) -> TypeExpr:
    """A type as MonkeyType encodes it: `{"module": …, "qualname": …, "elem_types": […]}`."""
    module, qualname = value["module"], value["qualname"]
    elements: Any = value.get("elem_types") or ()
    if value.get("is_typed_dict"):
        # Its fields are in two other classes, one for required fields and one for optional ones.
        fields = [field for part in dict(elements).values() for field in part["elem_types"].values()]
        return TypeExpr("dict", (STR, union(*map(read_type, fields))) if fields else ())
    args = tuple(map(read_type, elements))
    if module == "typing" and qualname in ("Union", "Optional"):
        return union(*args, *([NONE] if qualname == "Optional" else []))
    if module == "typing" and qualname == "Any":
        return ANY
    if module == "builtins":
        return NONE if qualname == "NoneType" else TypeExpr(qualname, args)
    name = {**CONTAINERS, **OTHERS}.get(qualname) if module == "typing" else None
    name = name or f"{module}.{qualname}"
    if name in ("Callable", "type") or (name in FILLED and all(arg == ANY for arg in args)):
        args = ()
    return TypeExpr(name, args, BASES.get(name, ()))
