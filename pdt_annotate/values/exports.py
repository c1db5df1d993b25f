"""The content of a file that exports a target with torch.export, and the result of running it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding

Path = tuple[str | int, ...]  # within the arguments of a call: an argument's name, then keys, indices and ".field"s

Axis = tuple[Path, int]  # a tensor, and the number of a dimension


@dataclass(frozen=True)
class TensorSeen:
    """A tensor; tensors of one `kind`, such as "torch.float32 tensor", differ only in their sizes and values."""

    shape: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class ConstantSeen:
    """Any other value, as Python source: the exported program is specialised on it."""

    text: str
    held: bool = False  # torch.export does not take it as an argument: a dtype, a member of an Enum


@dataclass(frozen=True)
class NestSeen:
    """A container: "list", "tuple", "dict", or the name of a NamedTuple class, with its keys or field names."""

    kind: str
    keys: tuple[str | int, ...]
    parts: tuple[Seen, ...]


Seen = TensorSeen | ConstantSeen | NestSeen


@dataclass(frozen=True)
class CallSeen:
    number: int  # its number in the spec, from 0
    name: str  # its name in reports
    arguments: Mapping[str, Seen]  # its arguments by their names in the file, without the ones left to a default
    by_position: frozenset[str] = frozenset()  # the names of the arguments passed by position
    mode: str = ""  # "train" or "eval", if the call asks for it
    held_back: bool = False  # it judges the export, and no size is taken from it
    apart: str = ""  # why it cannot share an export with the other calls: "calls `decode`"; "" if it may


@dataclass(frozen=True)
class NamedParameter:
    """A parameter of the exported function: one of its signature, or one that `*args` or `**kwargs` takes."""

    name: str  # the name in the file
    positional: bool = True  # it may be passed by position
    keyword: bool = True  # it may be passed by keyword
    default: Seen | None = None  # None if it has no default, or one that a file cannot spell
    variadic: bool = False  # `*args` or `**kwargs` takes it


@dataclass(frozen=True)
class FileImport:
    """`from module import name`, or `import module` without a name; `file` is for a file without a dotted name."""

    module: str
    name: str = ""
    file: str = ""


@dataclass(frozen=True)
class Building:
    """How the target is made."""

    imports: tuple[FileImport, ...]  # the imports that the expression needs
    folders: tuple[str, ...]  # absolute paths in which modules are found, in addition to the installed ones
    expression: str  # the expression that makes the module or function: "Net(width=3)"
    state: str = ""  # the file of a state dict to load; "" for none
    key: str | None = None  # the key of the state dict in that file; None if it is the whole file
    function: bool = False  # the target is a function, which a module wraps
    method: str = ""  # the module's method that is exported; "" for its `forward`
    lazy: bool = False  # the first call makes its parameters
    seed: int = 0  # the seed of the random generators, set before the target is made
    device: str = "cpu"  # "cpu", "cuda"
    dtype: str = ""  # the name of its floating dtype; "" leaves it unchanged
    mode: str = ""  # "train", "eval", or "" to leave it unchanged


@dataclass(frozen=True)
class Exportable:
    """A target and its example calls, in a form that a file can spell; `torch` is the installed version."""

    building: Building
    parameters: tuple[NamedParameter, ...]
    calls: tuple[CallSeen, ...]
    torch: str


@dataclass(frozen=True)
class SpelledCall:
    """The arguments of a call as Python source, by name, and the imports that they need."""

    texts: Mapping[str, str]
    imports: tuple[FileImport, ...] = ()


@dataclass(frozen=True)
class Arrangement:
    """The way to call the exported program: the names of the arguments passed by position, and by keyword."""

    args: tuple[str, ...] = ()
    kwargs: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.args + self.kwargs

    def without(self, names: Container[str]) -> Arrangement:
        args, kwargs = (tuple(name for name in each if name not in names) for each in (self.args, self.kwargs))
        return Arrangement(args, kwargs)


@dataclass(frozen=True)
class Exported:
    """A verified file."""

    target: Target
    text: str  # the file
    served: tuple[str, ...]  # the calls on which it was verified
    findings: tuple[Finding, ...] = ()  # the calls that it does not serve, and why


def spelled_path(path: Path) -> str:
    """
    >>> spelled_path(("states", 0, "last", ".hidden"))
    "states[0]['last'].hidden"
    """
    keys = (key if isinstance(key, str) and key.startswith(".") else f"[{key!r}]" for key in path[1:])
    return f"{path[0]}{''.join(keys)}"


def leaves(arguments: Mapping[Any, Seen], above: Path = ()) -> Iterator[tuple[Path, Seen]]:
    for key, seen in arguments.items():
        if isinstance(seen, NestSeen):
            yield from leaves(dict(zip(seen.keys, seen.parts, strict=True)), (*above, key))
        else:
            yield (*above, key), seen


def sizes_of(call: CallSeen) -> dict[Axis, int]:
    tensors = ((path, seen) for path, seen in leaves(call.arguments) if isinstance(seen, TensorSeen))
    return {(path, axis): size for path, seen in tensors for axis, size in enumerate(seen.shape)}


def kind_of(call: CallSeen, fixed: frozenset[Axis]) -> tuple[object, ...]:
    """The parts of arguments that are equal in all calls of one program, except sizes on dynamic axes."""
    return (
        call.mode,
        frozenset((name, _kind(seen)) for name, seen in call.arguments.items()),
        frozenset((axis, size) for axis, size in sizes_of(call).items() if axis in fixed),
    )


def _kind(seen: Seen) -> object:
    if isinstance(seen, NestSeen):
        return seen.kind, seen.keys, tuple(map(_kind, seen.parts))
    return (seen.kind, len(seen.shape)) if isinstance(seen, TensorSeen) else seen.text


def difference(these: Mapping[str, Seen], those: Mapping[str, Seen]) -> str:
    """The first difference between two sets of arguments, in words; "" if only sizes differ.

    >>> difference({"mask": TensorSeen((3,), "torch.bool tensor")}, {"mask": TensorSeen((2, 3), "torch.bool tensor")})
    '`mask` is a 1-d torch.bool tensor, not a 2-d torch.bool tensor'
    """
    for name in (*those, *(name for name in these if name not in those)):
        if name not in these:
            return f"`{name}` is not passed"
        if name not in those:
            return f"`{name}` is passed"
        found = _difference((name,), these[name], those[name])
        if found:
            return found
    return ""


def _difference(path: Path, this: Seen, that: Seen) -> str:
    if isinstance(this, NestSeen) and isinstance(that, NestSeen) and (this.kind, this.keys) == (that.kind, that.keys):
        parts = zip(this.keys, this.parts, that.parts, strict=True)
        return next(filter(None, (_difference((*path, key), a, b) for key, a, b in parts)), "")
    here, there = _in_words(this), _in_words(that)
    return f"`{spelled_path(path)}` is {here}, not {there}" if here != there else ""


def _in_words(seen: Seen) -> str:
    if isinstance(seen, TensorSeen):
        return f"a {len(seen.shape)}-d {seen.kind}"
    if isinstance(seen, NestSeen):
        return f"a {seen.kind} of {', '.join(map(str, seen.keys)) if seen.kind == 'dict' else len(seen.parts)}"
    return seen.text
