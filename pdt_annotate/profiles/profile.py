"""The content of a profile, as values in a canonical order: equal profiles are equal values in any order of merging.

Types and classes are canonical JSON texts, with sorted keys and without empty values. Equal ones have equal texts, and
a text that is read is never evaluated:

    {"name": "list", "args": [{"name": "torch.nn.Parameter", "bases": ["torch.Tensor"]}]}
"""

import itertools
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from pdt_annotate.values.slots import ClassInfo, ClassKind
from pdt_annotate.values.types import TypeExpr

T = TypeVar("T")
Json = dict[str, Any]
CALLS_KEPT = 8  # the most names of calls per observation, so that a profile does not grow with the calls
UNKNOWN_LINE = 1
DEEPEST = 64  # nested types; a model's arguments have a few levels
TOO_DEEP = "nested too deeply"
SURROGATE_OR_NUL = re.compile("[\ud800-\udfff\0]")
OF_OTHERS = ("Union", "Optional")  # these need arguments; a list without one was empty
KINDS = {dict: "an object", list: "a list", str: "a string", int: "a whole number"}


@dataclass(frozen=True, order=True)
class Source:
    """A file that a run imported: its path from the root, with slashes, and its dotted module name."""

    path: str
    module: str


@dataclass(frozen=True, order=True)
class ProfiledOwner:
    """The function whose slots were observed, or, with line 0 and no digest, the class whose attributes were."""

    path: str
    qualname: str
    line: int = 0  # for people; `UNKNOWN_LINE` for functions that MonkeyType saw
    digest: str = ""  # it identifies the function


@dataclass(frozen=True, order=True)
class Sighting:
    """A type seen at a slot: how often, and in which calls."""

    place: ProfiledOwner
    kind: str  # the value of a `SlotKind`
    name: str
    # For a local, the number of the statement that assigns it (`record.statement_lines`, from 1); else 0.
    statement: int
    type: str  # the type as canonical JSON (`dump_type`), which compares its bases too
    count: int
    calls: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[ProfiledOwner, str, str, int, str]:
        return (self.place, self.kind, self.name, self.statement, self.type)


@dataclass(frozen=True, order=True)
class Unseen:
    """A function that was in a file and did not run. Without a name: all such functions of the file are listed."""

    path: str
    qualname: str = ""


@dataclass(frozen=True, order=True)
class CallExample:
    """One call of a function; `arguments`, and the arguments that constructed its module (`made`), are JSON texts."""

    place: ProfiledOwner
    call: str
    cls: str  # the dotted name of the module's class; "" for a plain function
    arguments: str
    made: str


@dataclass(frozen=True, order=True)
class Recording:
    """The observations of one run, that is of one process."""

    run: str  # a random id, so that a recording counts once even if it is merged twice
    label: str = ""  # the name of the program, for people
    sources: tuple[Source, ...] = ()
    # The functions that ran inside a module's `forward`, or were observed as the part of a target.
    in_forward: tuple[ProfiledOwner, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    classes: tuple[str, ...] = ()  # the classes in types, as canonical JSON (`dump_class`)
    unseen: tuple[Unseen, ...] = ()  # the other functions in the files, if known
    examples: tuple[CallExample, ...] = ()


@dataclass(frozen=True)
class Profile:
    """Recordings of any number of runs, ordered by their ids."""

    recordings: tuple[Recording, ...] = ()

    @property
    def places(self) -> frozenset[ProfiledOwner]:
        return frozenset(sighting.place for recording in self.recordings for sighting in recording.sightings)

    @property
    def in_forward(self) -> frozenset[ProfiledOwner]:
        return frozenset(place for recording in self.recordings for place in recording.in_forward)

    @property
    def functions(self) -> int:
        return sum(place.line > 0 for place in self.places)

    @property
    def slots(self) -> int:
        return len({sighting.key[:-1] for recording in self.recordings for sighting in recording.sightings})


def merge(profiles: Iterable[Profile]) -> Profile:
    """All recordings together. Commutative, associative and idempotent: nothing is counted twice.

    Two versions of one run, which a process may have saved meanwhile, are joined with the higher of the counts.
    """
    found = sorted((recording for profile in profiles for recording in profile.recordings), key=lambda r: r.run)
    return Profile(tuple(_join(list(same)) for _, same in groupby(found, key=lambda r: r.run)))


def sum_up(profile: Profile, run: str, label: str) -> Recording:
    """One recording of all, which come from different processes: counts are added."""
    return replace(_join(list(profile.recordings), sum), run=run, label=label)


def _join(same: list[Recording], count: Callable[[Iterable[int]], int] = max) -> Recording:
    sightings = []
    by_key = groupby(sorted(s for recording in same for s in recording.sightings), key=lambda sighting: sighting.key)
    for alike in (list(group) for _, group in by_key):
        calls = first_calls(call for sighting in alike for call in sighting.calls)
        sightings.append(replace(alike[0], count=count(sighting.count for sighting in alike), calls=calls))
    names = ("sources", "in_forward", "classes", "unseen", "examples")
    every = {name: sorted({each for recording in same for each in getattr(recording, name)}) for name in names}
    # Keep the same examples of each function in any order of the recordings.
    examples = (list(group)[:CALLS_KEPT] for _, group in groupby(every["examples"], key=lambda each: each.place))
    every |= {"sightings": sightings, "examples": list(itertools.chain.from_iterable(examples))}
    label = max(recording.label for recording in same)
    return Recording(same[0].run, label, **{name: tuple(each) for name, each in every.items()})


def first_calls(names: Iterable[str]) -> tuple[str, ...]:
    """The first names, "call 9" before "call 10", for any order of the names."""
    return tuple(sorted(set(names), key=lambda name: (len(name), name))[:CALLS_KEPT])


def dump_type(type_: TypeExpr) -> str:
    return _dump(_of_type(type_))


def load_type(text: str) -> TypeExpr:
    """The type of a text by `dump_type`. Raises ValueError for any other text."""
    return _type(load_json(text))


def dump_class(info: ClassInfo) -> str:
    fields = [[name, _of_type(field) if field else None] for name, field in info.fields]
    return _dump({**vars(info), "kind": info.kind.value, "fields": fields, "bases": list(info.bases)})


def load_class(text: str) -> ClassInfo:
    """The class of its text; if its name is not a dotted name, it is not importable. Raises ValueError."""
    found = _checked(dict, load_json(text))
    name, module, qualname = (_checked(str, found.get(key, "")) for key in ("name", "module", "qualname"))
    named = name == f"{module}.{qualname}" and all(part.isidentifier() for part in name.split("."))
    fields = (_checked(list, each) for each in _checked(list, found.get("fields", [])))
    return ClassInfo(
        name=name,
        module=module,
        qualname=qualname,
        kind=ClassKind(found.get("kind")),
        file=_checked(str, found["file"]) if "file" in found else None,
        line=_checked(int, found.get("line", 0)),
        fields=tuple((_checked(str, field), None if type_ is None else _type(type_)) for field, type_ in fields),
        bases=texts(found.get("bases", [])),
        importable=found.get("importable") is True and named,
        scripted=found.get("scripted") is True,
    )


def _of_type(type_: TypeExpr) -> Json:
    return {"name": type_.name, "args": [_of_type(arg) for arg in type_.args], "bases": list(type_.bases)}


def _dump(value: Json) -> str:
    return json.dumps(_without_empty(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _without_empty(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_empty(each) for each in value]
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in (None, [], "", 0, False)}
    return value


def load_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError if it is invalid, or nested more deeply than any profile."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    pending = [(value, 0)]
    while pending:
        each, depth = pending.pop()
        if depth > DEEPEST * 3:  # a type is an object in a list in an object
            raise ValueError(TOO_DEEP)
        if isinstance(each, str):
            _checked(str, each)
        inside = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        pending += [(inner, depth + 1) for inner in inside]
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"the number {constant}")


def is_plain(value: object) -> bool:
    """Whether a value is not a text with a surrogate, which cannot be printed, or a NUL, which ends a path."""
    return not (isinstance(value, str) and SURROGATE_OR_NUL.search(value))


def _type(value: Any) -> TypeExpr:
    found = _checked(dict, value)
    args = tuple(_type(arg) for arg in _checked(list, found.get("args", [])))
    name = _checked(str, found.get("name"))
    if name in OF_OTHERS and not args:
        raise ValueError(f"{name} of nothing")
    return TypeExpr(name, args, texts(found.get("bases", [])))


def texts(value: Any) -> tuple[str, ...]:
    return tuple(_checked(str, each) for each in _checked(list, value))


def _checked(kind: type[T], value: Any) -> T:
    """The value, which must be of exactly this class: `True` is not a whole number."""
    if type(value) is not kind or not is_plain(value):
        raise ValueError(f"not {KINDS[kind]}: {value!r}")
    return value
