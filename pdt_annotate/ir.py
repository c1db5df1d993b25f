"""The values that travel between the stages: frozen, plain data, standard library only.

Types travel as `TypeExpr`, never as live classes, so that observations can cross a process and be compared. The same
class describes what was observed and what TorchScript accepts; `legalize` turns the one into the other.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, order=True)
class TypeExpr:
    """A type as data: a dotted name, its arguments, and the dotted names of the classes it inherits from.

    Builtins are bare ("int", "list"); `NoneType` is "None"; every other class is "module.qualname" as Python reports
    it ("torch.Tensor", "torch.nn.parameter.Parameter", "shapes.Box"). "Union", "Optional", "Any" and "Callable" are
    typing's. A list, dict, set or deque without arguments was *empty* when seen, which is not `Any`; a tuple
    without arguments is the empty tuple. A namedtuple class carries the observed types of its fields as arguments.

    `bases` are the dotted names of the MRO, nearest first, without the class itself and `object`; builtins have none.
    They take no part in comparison.
    """

    name: str
    args: tuple[TypeExpr, ...] = ()
    bases: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.spell(short_name)

    def spell(self, name: Any) -> str:
        """The type as source text, where `name(dotted)` says how a class is written."""
        if self.name == "tuple" and not self.args:
            return f"{name('tuple')}[()]"
        if not self.args:
            return str(name(self.name))
        return f"{name(self.name)}[{', '.join(arg.spell(name) for arg in self.args)}]"

    def inherits(self, *dotted: str) -> bool:
        """Whether the class is, or inherits from, one of the named classes."""
        return self.name in dotted or any(base in dotted for base in self.bases)

    @property
    def names(self) -> dict[str, None]:
        """The names of all classes in it, outermost first."""
        return dict.fromkeys((self.name, *(name for arg in self.args for name in arg.names)))


TYPING_NAMES = {"list": "List", "dict": "Dict", "tuple": "Tuple", "set": "Set", "frozenset": "FrozenSet"}

NONE = TypeExpr("None")
TENSOR = TypeExpr("torch.Tensor")
ANY = TypeExpr("Any")


def short_name(dotted: str) -> str:
    """The name a person reads in a message: "List" for "list", "Tensor" for "torch.Tensor"."""
    return TYPING_NAMES.get(dotted) or dotted.rpartition(".")[2]


def union(*members: TypeExpr) -> TypeExpr:
    """The union of the members, flattened and without repeats, in order of appearance; one member stays itself."""
    flat: dict[TypeExpr, None] = {}
    for member in members:
        if member.name == "Union":
            flat.update(dict.fromkeys(member.args))
        elif member.name == "Optional":
            flat.update({member.args[0]: None, NONE: None})
        else:
            flat[member] = None
    return next(iter(flat)) if len(flat) == 1 else TypeExpr("Union", tuple(flat))


class SlotKind(enum.Enum):
    """What carries an annotation."""

    PARAMETER = "parameter"
    RETURN = "return"
    LOCAL = "local"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, order=True)
class Owner:
    """The function (or, for an attribute, the class) that a slot belongs to: absolute file, qualified name, first line.

    The line is the code object's `co_firstlineno`: that of the first decorator where there is one (for a class too).
    """

    file: str
    qualname: str
    line: int


@dataclass(frozen=True)
class Slot:
    """One place that can carry an annotation. A return is named "return"; a local knows the line of its assignment."""

    owner: Owner
    kind: SlotKind
    name: str
    line: int = 0

    @property
    def sort_key(self) -> tuple[str, int, str, str, int]:
        """Source order."""
        return (self.owner.file, self.owner.line, self.owner.qualname, self.kind.value, self.line)


@dataclass(frozen=True)
class Observation:
    """A type seen at a slot: how often, and in which example calls (their names, in order)."""

    slot: Slot
    type: TypeExpr
    count: int = 1
    calls: tuple[str, ...] = ()


class ClassKind(enum.Enum):
    """The kinds of class that TorchScript tells apart."""

    ENUM = "enum"
    NAMEDTUPLE = "namedtuple"
    DATACLASS = "dataclass"
    MODULE = "module"
    PLAIN = "plain"


@dataclass(frozen=True)
class ClassInfo:
    """What a rule must know of a class that was observed, without the live class.

    `fields` are the annotated fields of a NamedTuple or dataclass in order (None: not annotated), for an Enum one entry
    per member with the type of its value. `scripted` says that it was compiled at import (`@torch.jit.script`).
    `importable` is false for a class made inside a function.
    """

    name: str
    module: str
    qualname: str
    kind: ClassKind
    file: str | None = None
    line: int = 0
    fields: tuple[tuple[str, TypeExpr | None], ...] = ()
    bases: tuple[str, ...] = ()
    importable: bool = True
    scripted: bool = False


class Origin(enum.Enum):
    """Where an annotation comes from, from the strongest evidence to the weakest. A person's edit needs none."""

    EDITED = "edited"
    OBSERVED = "observed"
    SOURCE = "source"
    REPAIR = "repair"
    GUESS = "guess"


@dataclass(frozen=True)
class Annotation:
    """A legal type in a slot, with the rules that made it, what was observed, and its legal neighbours.

    `alternatives` are in order of preference. `because` is, for a repair, the compiler's message that asked for it.
    `final` wraps an attribute's type in `Final`.
    """

    slot: Slot
    type: TypeExpr
    origin: Origin = Origin.OBSERVED
    rules: tuple[str, ...] = ()
    evidence: tuple[Observation, ...] = ()
    alternatives: tuple[TypeExpr, ...] = ()
    because: str = ""
    final: bool = False


@dataclass(frozen=True)
class Finding:
    """Something the user must know or do. `code` is an entry of findings.py; the message is about this place."""

    code: str
    message: str
    file: str = ""
    line: int = 0
    slot: Slot | None = None


@dataclass(frozen=True)
class Legal:
    """A type that TorchScript accepts, the rules that made it, and its neighbours in order of preference."""

    type: TypeExpr
    rules: tuple[str, ...] = ()
    alternatives: tuple[TypeExpr, ...] = ()
    guess: bool = False


@dataclass(frozen=True)
class Illegal:
    """No legal type exists: the finding's code, the part of the type at fault, and a sentence that says why."""

    code: str
    type: TypeExpr
    reason: str


@dataclass(frozen=True)
class Call:
    """One example call of the target.

    Args:
        args: positional arguments.
        kwargs: keyword arguments.
        method: the method to call where the target is a module.
        name: how reports name the call; a number where it is empty.
        held_back: the call judges the result, and no type is taken from it.
        callee: what to call where it is not the target (from `{callable: [tuples]}`).
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    method: str = "forward"
    name: str = ""
    held_back: bool = False
    callee: Any = None


@dataclass(frozen=True)
class Target:
    """A parsed target: a dotted module or a file, the qualified name in it, and whether it ends in "()"."""

    text: str
    module: str
    file: str
    qualname: str
    called: bool = False


@dataclass(frozen=True)
class SpecSource:
    """Where example calls come from: a file and the name in it, or the `--arg` texts of a one-liner."""

    file: str = ""
    name: str = ""
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why a judge said no: the first message, where, and through which calls the compiler came there.

    `message` is what stands before the first location, `text` all of it. `chain` holds (file, line) of the callers,
    innermost first. `call` is the example call that showed it, if one did. `alike` says that the values were equal and
    only the Python class of a container was another, `raises` that the scripted call raised and the eager one did not.
    """

    message: str
    kind: str = ""
    file: str = ""
    line: int = 0
    chain: tuple[tuple[str, int], ...] = ()
    call: str = ""
    text: str = ""
    alike: bool = False
    raises: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one judge said of a rewrite."""

    judge: str
    ok: bool
    failure: Failure | None = None
    note: str = ""


@dataclass(frozen=True)
class Closure:
    """What of the file system a run depends on, beside Python and what is installed; absolute paths.

    Args:
        files: those that were read.
        names: directories, each with the name of a module that was looked for in it.
        listed: directories whose entries were asked for.
    """

    files: frozenset[str] = frozenset()
    names: frozenset[tuple[str, str]] = frozenset()
    listed: frozenset[str] = frozenset()

    def __or__(self, other: Closure) -> Closure:
        return Closure(self.files | other.files, self.names | other.names, self.listed | other.listed)


@dataclass(frozen=True)
class Observed:
    """What observing one target gave: observations, the classes they mention, and the names of the calls that ran.

    `held_back` are the names of the calls that were left out, `closure` is what building and calling it depended on.
    """

    observations: tuple[Observation, ...]
    classes: tuple[ClassInfo, ...]
    calls: tuple[str, ...]
    held_back: tuple[str, ...] = ()
    closure: Closure = Closure()


@dataclass(frozen=True)
class Candidate:
    """Annotations in the form in which imported modules can take them at once: no line of any file moves.

    Args:
        sources: by file, the source with annotations in place and no import added.
        imports: by file, the import statements that those annotations need.
        attributes: by file and qualified name of the class, its class-body annotations.
        signatures: those of functions, because the compiler reads some from the live object: of ignored functions, and
            of the methods of script classes.
    """

    sources: Mapping[str, bytes] = field(default_factory=dict)
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: Mapping[tuple[str, str], tuple[Annotation, ...]] = field(default_factory=dict)
    signatures: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class Trial:
    """What compiling and running one candidate gave.

    `compiled` are the functions that the compiler read, in order; of those `ignored` it read the signature alone.
    """

    verdicts: tuple[Verdict, ...]
    compiled: tuple[Owner, ...] = ()
    ignored: tuple[Owner, ...] = ()

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts)

    @property
    def failure(self) -> Failure | None:
        return next((verdict.failure for verdict in self.verdicts if not verdict.ok), None)


class Answers(enum.Enum):
    """What a scripted part answers on the calls that were recorded for it, next to the eager one."""

    ALIKE = "alike"
    DIFFER = "differ"
    RAISE = "raise"
    NOT_CALLED = "not called"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Fault:
    """One thing that keeps a part from scripting or answering alike, and what to do about it.

    `code` is an entry of findings.py, `owner` the function in which the fault lies, where that is known. `advice` are
    sentences, the one that fits the fault's kind first.
    """

    code: str
    failure: Failure
    owner: Owner | None = None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A module of the target, or a function, compiled by itself and compared on the calls recorded for it.

    Args:
        path: the module's path from the target, "" for the target itself; a function's qualified name.
        name: the qualified name of the class, or of the function.
        file: where it is defined, with `line`.
        calls: how many recorded calls were compared.
        faults: its own, all that could be found; those of its children are theirs.
        blamed: the paths of the nearest parts inside it that are unsound.
        hidden: more faults may stand behind one that could not be left out.
        traces: `torch.jit.trace` answers like eager on the recorded calls, and on others of the same shape.
        size: how many parts it holds that were not judged by themselves because it is sound, itself included.
        compiled: the functions that the compiler read.
        classes: the file and qualified name of every class in it, but for torch's.
        is_function: it is a function, and no module.
    """

    path: str
    name: str
    file: str = ""
    line: int = 0
    scripts: bool = False
    answers: Answers = Answers.UNKNOWN
    calls: int = 0
    faults: tuple[Fault, ...] = ()
    blamed: tuple[str, ...] = ()
    hidden: bool = False
    traces: bool = False
    size: int = 1
    compiled: tuple[Owner, ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    is_function: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether it scripts, and nothing speaks against its answers."""
        return self.scripts and self.answers in (Answers.ALIKE, Answers.NOT_CALLED)

    @property
    def is_proven(self) -> bool:
        """Whether it scripts and answered alike on a call at least."""
        return self.scripts and self.answers is Answers.ALIKE


@dataclass(frozen=True)
class Blame:
    """Who is at fault in a target that fails: its modules, parents first; those inside a sound one are not listed."""

    target: Target
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class FileChange:
    """A file before and after the rewrite, as bytes."""

    file: str
    before: bytes
    after: bytes


@dataclass(frozen=True)
class Overlaid:
    """A module outside the root whose annotated copy belongs in an overlay, and how it differs from the file."""

    module: str
    change: FileChange


TEXT_JUDGES = frozenset(("parses", "same program", "stable"))
"""The judges that need no compiler."""


@dataclass(frozen=True)
class Outcome:
    """What one run of the pipeline found: what an emitter prints or writes.

    `verdicts` are those of the last, fresh verification, in the judges' order; `verified` says that all of them held.
    `unreached` lists functions that TorchScript compiled and no example call entered. `blame` says of every target that
    failed who is at fault. `kept` are the parts whose annotations are in `changes` although the whole failed.
    `overlaid` are changes of files outside the root, never written in place; their annotations stand among the others.
    `closure` is what running the targets depended on. Of an outcome that is `joined` from several, those that did not
    hold have left no changes in it.
    """

    targets: tuple[Target, ...]
    root: str
    changes: tuple[FileChange, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    unreached: tuple[Owner, ...] = ()
    verified: bool = False
    blame: tuple[Blame, ...] = ()
    kept: tuple[Part, ...] = ()
    overlaid: tuple[Overlaid, ...] = ()
    closure: Closure = Closure()
    joined: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether the changes may be written."""
        return self.verified or self.text_only or self.joined or bool(self.kept)

    @property
    def text_only(self) -> bool:
        """Whether all judges that were asked held, and none of them compiled: all that there was is a profile."""
        held = all(verdict.ok and verdict.judge in TEXT_JUDGES for verdict in self.verdicts)
        return not self.verified and bool(self.verdicts) and held
