"""What the modules of a running program are called by others: a program is `__main__` to itself.

Child processes that multiprocessing spawns call it `__mp_main__`. With `-m` its import name is known; else it is left
as `__main__`, for which `profiles.record` finds the name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from pdt_annotate.ir import ClassInfo, Observed, TypeExpr

MAIN = "__main__"
SPAWNED = "__mp_main__"


def main_name() -> str:
    """What the main program is to be called."""
    spec = getattr(sys.modules.get(MAIN), "__spec__", None)
    return spec.name if spec is not None else MAIN


def main_file() -> str:
    """The file of the main program, "" where there is none. Python forgets it when the program has run to its end."""
    return getattr(sys.modules.get(MAIN), "__dict__", {}).get("__file__") or ""


def modules(is_wanted: Callable[[str], bool], main: str) -> dict[str, str]:
    """The modules that are imported now from files that are wanted: dotted name → file.

    Args:
        is_wanted: the filter.
        main: the file of the main program, where Python may have forgotten it.
    """
    names = {MAIN: main_name(), SPAWNED: main_name()}
    loaded = {name: getattr(module, "__dict__", {}).get("__file__") for name, module in list(sys.modules.items())}
    found = {main_name(): main}
    found |= {names.get(name, name): file for name, file in loaded.items() if isinstance(file, str)}
    return {name: file for name, file in found.items() if file.endswith(".py") and is_wanted(file)}


def settle(observed: Observed) -> Observed:
    """The same with the classes of the main program under one name in all processes."""
    names = {name: main_name() for name in (MAIN, SPAWNED) if name in sys.modules and name != main_name()}
    if not names:
        return observed
    return replace(
        observed,
        observations=tuple(replace(o, type=_rename(o.type, names)) for o in observed.observations),
        classes=tuple(_rename_class(info, names) for info in observed.classes),
    )


def _rename(type_: TypeExpr, names: Mapping[str, str]) -> TypeExpr:
    args = tuple(_rename(arg, names) for arg in type_.args)
    return TypeExpr(_dotted(type_.name, names), args, tuple(_dotted(base, names) for base in type_.bases))


def _rename_class(info: ClassInfo, names: Mapping[str, str]) -> ClassInfo:
    return replace(
        info,
        name=_dotted(info.name, names),
        module=names.get(info.module, info.module),
        fields=tuple((name, field and _rename(field, names)) for name, field in info.fields),
        bases=tuple(_dotted(base, names) for base in info.bases),
    )


def _dotted(name: str, names: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return f"{names[first]}.{rest}" if dot and first in names else name
