"""What a file with which torch.export takes a target is made from, and what came of running it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding

Path = tuple[str | int, ...]  # from the arguments of a call down: the name of one, then keys, indices and ".field"s

Axis = tuple[Path, int]  # a tensor, and which of its sizes


@dataclass(frozen=True)
class TensorSeen:
    """A tensor; those of one `kind` differ in their sizes and values alone: "torch.float32 tensor"."""

    shape: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class ConstantSeen:
    """Anything else, by its Python: an exported program is made for it.

    What is `held` torch.export does not take as an argument: a dtype, a member of an Enum.
    """

    text: str
    held: bool = False


@dataclass(frozen=True)
class NestSeen:
    """A container: "list", "tuple", "dict", or the name of a NamedTuple class, with its keys or field names."""

    kind: str
    keys: tuple[str | int, ...]
    parts: tuple[Seen, ...]


Seen = TensorSeen | ConstantSeen | NestSeen


@dataclass(frozen=True)
class CallSeen:
    """One example call.

    Args:
        number: in the spec, from 0.
        name: by which reports tell of it.
        arguments: by the name that each has in the file; what is left to a default is not there.
        by_position: those that are passed by position.
        mode: "train" or "eval", where the call asks for it.
        held_back: it judges the export, and no size is taken from it.
        apart: why no export that serves others can serve it: "calls `decode`"; "" where one may.
    """

    number: int
    name: str
    arguments: Mapping[str, Seen]
    by_position: frozenset[str] = frozenset()
    mode: str = ""
    held_back: bool = False
    apart: str = ""


@dataclass(frozen=True)
class NamedParameter:
    """A parameter of what is exported: of its signature, or one of what `*args` and `**kwargs` take.

    Args:
        name: the name in the file.
        positional: it may be passed by position.
        keyword: it may be passed by keyword.
        default: None where it has none, or one that no file can say.
        variadic: it is one of `*args` or `**kwargs`.
    """

    name: str
    positional: bool = True
    keyword: bool = True
    default: Seen | None = None
    variadic: bool = False


@dataclass(frozen=True)
class FileImport:
    """`from module import name`, or `import module` without a name; of a file that no name imports, its path."""

    module: str
    name: str = ""
    file: str = ""


@dataclass(frozen=True)
class Building:
    """How the target is made.

    Args:
        imports: what that takes.
        folders: where modules are looked for, beside what is installed; absolute.
        expression: what gives the module or function: "Net(width=3)".
        state: the file of a state dict to load; "" for none.
        key: where in that it stands; None where it is all of it.
        function: it is no module, and gets one around it.
        method: the module's method that is exported; "" for its `forward`.
        lazy: a first call gives it its parameters.
        seed: of the random generators, before it is made.
        device: "cpu", "cuda".
        dtype: the name of its floating dtype; "" for the one it has.
        mode: "train", "eval" or, as it is made, "".
    """

    imports: tuple[FileImport, ...]
    folders: tuple[str, ...]
    expression: str
    state: str = ""
    key: str | None = None
    function: bool = False
    method: str = ""
    lazy: bool = False
    seed: int = 0
    device: str = "cpu"
    dtype: str = ""
    mode: str = ""


@dataclass(frozen=True)
class Exportable:
    """A target and its example calls, as a file can say them; `torch` is the version that is here."""

    building: Building
    parameters: tuple[NamedParameter, ...]
    calls: tuple[CallSeen, ...]
    torch: str


@dataclass(frozen=True)
class SpelledCall:
    """The arguments of a call as Python, by name, and what has to be imported for them."""

    texts: Mapping[str, str]
    imports: tuple[FileImport, ...] = ()


@dataclass(frozen=True)
class Arrangement:
    """How a call is made of the exported program: the names of what is passed by position, and by keyword."""

    args: tuple[str, ...] = ()
    kwargs: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that is passed."""
        return self.args + self.kwargs

    def without(self, names: Container[str]) -> Arrangement:
        """The same, but for some names."""
        args, kwargs = (tuple(name for name in each if name not in names) for each in (self.args, self.kwargs))
        return Arrangement(args, kwargs)


@dataclass(frozen=True)
class Exported:
    """A file that was verified.

    Args:
        text: the file.
        served: the calls on which it was verified.
        findings: what it does not serve, and why.
    """

    target: Target
    text: str
    served: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
