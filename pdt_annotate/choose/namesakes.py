"""Types of other slots with the same name, for functions that no example entered.

A package uses one name for one thing more often than not. Other packages do not count, nor a name whose observations
disagree.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.values.slots import Owner, Seen, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr


class Namesakes:
    def __init__(self, seen: Seen, package_of: Callable[[str], str]) -> None:
        self._package_of = package_of
        self._by_name: dict[tuple[SlotKind, str, str], dict[Owner, list[TypeExpr]]] = defaultdict(dict)
        for slot, observations in seen.items():
            shown = (o.type for o in observations if o.type != NONE and o.type.name != "Any")
            types = [each for each in shown if each.args or each.name not in ("list", "dict", "set")]
            if types and slot.kind in (SlotKind.PARAMETER, SlotKind.RETURN):
                self._by_name[slot.kind, slot.name, package_of(slot.owner.file)][slot.owner] = types

    def of_parameter(self, owner: Owner, name: str) -> TypeExpr | None:
        """The one type of the parameters of this name: of overriding methods, else in the file, else in the package."""
        known = self._known(SlotKind.PARAMETER, name, owner)
        circles = (
            [types for other, types in known.items() if _method(other) == _method(owner)],
            [types for other, types in known.items() if other.file == owner.file],
            list(known.values()),
        )
        nearest = next((circle for circle in circles if circle), None)
        joined = consolidate([type_ for types in nearest for type_ in types])[0] if nearest else None
        return None if joined is None or joined.name == "Union" else joined

    def of_return(self, owner: Owner) -> list[TypeExpr]:
        """The types that methods of the same name returned: they may override an abstract one."""
        known = self._known(SlotKind.RETURN, "return", owner)
        return [type_ for other, types in known.items() if _method(other) == _method(owner) for type_ in types]

    def _known(self, kind: SlotKind, name: str, owner: Owner) -> Mapping[Owner, Sequence[TypeExpr]]:
        return self._by_name.get((kind, name, self._package_of(owner.file)), {})


def _method(owner: Owner) -> str:
    return owner.qualname.rpartition(".")[2]
