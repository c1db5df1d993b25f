"""Targets and calls to run, the observations from running them, and candidates to try."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pdt_annotate.values.slots import Annotation, ClassInfo, Observation, Owner


@dataclass(frozen=True)
class Call:
    """One example call of the target.

    Args:
        args: positional arguments.
        kwargs: keyword arguments.
        method: the method to call if the target is a module.
        name: its name in reports; if it is empty, reports use a number.
        held_back: the call only tests the result; its types are not observed.
        raises: the model must raise, in eager mode and when scripted.
        callee: the object to call instead of the target (from `{callable: [tuples]}`).
        mode: "train" or "eval" puts a module into that mode during the call; "" keeps its mode.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    method: str = "forward"
    name: str = ""
    held_back: bool = False
    raises: bool = False
    callee: Any = None
    mode: str = ""


@dataclass(frozen=True)
class Target:
    """A parsed target: a dotted module or a file, the qualified name in it, and whether "()" follows."""

    text: str
    module: str
    file: str
    qualname: str
    called: bool = False
    member: str = ""  # the dotted name after the parentheses, of an attribute of the call's result


@dataclass(frozen=True)
class SpecSource:
    """The source of example calls: a file and the name in it, or the `--arg` texts of a one-liner."""

    file: str = ""
    name: str = ""
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class Closure:
    """The parts of the file system that a run depends on, without Python and installed packages; absolute paths."""

    files: frozenset[str] = frozenset()  # the files that were read
    # Directories, each with the name of a module that was looked up in it.
    names: frozenset[tuple[str, str]] = frozenset()
    listed: frozenset[str] = frozenset()  # directories whose entries were listed

    def __or__(self, other: "Closure") -> "Closure":
        return Closure(self.files | other.files, self.names | other.names, self.listed | other.listed)


NOTHING_READ = Closure()


@dataclass(frozen=True)
class Observed:
    """The results of observing one target: observations, the classes in them, and the names of the calls that ran."""

    observations: tuple[Observation, ...]
    classes: tuple[ClassInfo, ...]
    calls: tuple[str, ...]
    held_back: tuple[str, ...] = ()  # the names of the calls that were left out
    closure: Closure = NOTHING_READ  # the files that building and calling the target depended on
    asked_for: tuple[Owner, ...] = ()  # functions other than the target that example calls name
    # The target's own methods that they name, which are compiled in addition to `forward`.
    methods: tuple[str, ...] = ()
    makes_code: bool = False  # code ran that the run itself had generated, perhaps from annotations
    lazy: tuple[str, ...] = ()  # the modules without parameters before a call


@dataclass(frozen=True)
class Candidate:
    """Annotations in a form that imported modules can take at once: no line of any file moves."""

    # By file, the source with annotations in place and no import added.
    sources: Mapping[str, bytes] = field(default_factory=dict)
    # By file, the import statements that these annotations need.
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The class-body annotations, by file and qualified name of the class.
    attributes: Mapping[tuple[str, str], tuple[Annotation, ...]] = field(default_factory=dict)
    # The signatures' annotations, because the compiler reads some from the live object: for ignored functions, and
    # for the methods of script classes.
    signatures: tuple[Annotation, ...] = ()


Described = Mapping[str, Any]
"""Arguments by parameter, in JSON's types. None, flags and numbers are unchanged. A tensor is `{"tensor": "float32",
"shape": [2, 3]}`, containers are `{"list": […]}`, `{"tuple": […]}` and `{"dict": [["key", …], …]}`, and everything else
is `{"type": "str"}`."""


@dataclass(frozen=True)
class SeenCall:
    """A call of a function; `arguments`, and the arguments that constructed the module (`made`), are JSON or ""."""

    owner: Owner
    call: str
    cls: str
    arguments: str
    made: str


@dataclass(frozen=True)
class ObservedCall:
    file: str  # the file that defines the function now
    qualname: str
    call: str  # a name for people: the id of the test, or the name of the program, that ran
    cls: str  # the dotted name of the class of the module that it was called on; "" for a plain function
    arguments: Described  # its arguments without `self`
    made: Described | None  # the arguments that constructed the module; None if they are not known
