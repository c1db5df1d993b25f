"""What is run, what running it showed, and what is to be tried."""

from __future__ import annotations

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
        method: the method to call where the target is a module.
        name: how reports name the call; a number where it is empty.
        held_back: the call judges the result, and no type is taken from it.
        raises: eager mode is meant to raise in it, and so is the scripted model.
        callee: what to call where it is not the target (from `{callable: [tuples]}`).
        mode: "train" or "eval", for a module in that mode during the call; empty for the mode that it is in.
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
    """A parsed target: a dotted module or a file, the qualified name in it, and whether "()" follows that.

    `member` is the dotted name behind the parentheses, of something that the call's result has.
    """

    text: str
    module: str
    file: str
    qualname: str
    called: bool = False
    member: str = ""


@dataclass(frozen=True)
class SpecSource:
    """Where example calls come from: a file and the name in it, or the `--arg` texts of a one-liner."""

    file: str = ""
    name: str = ""
    args: tuple[str, ...] = ()


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


NOTHING_READ = Closure()


@dataclass(frozen=True)
class Observed:
    """What observing one target gave: observations, the classes they mention, and the names of the calls that ran.

    `held_back` are the names of the calls that were left out, `closure` is what building and calling it depended on.
    `asked_for` are functions that example calls name themselves, beside the target; `methods` those of its own methods
    that they name, which are compiled beside `forward`. `makes_code` says that code ran which the run itself had
    written: it may be made of annotations. `lazy` names the modules that had no parameters before a call was made.
    """

    observations: tuple[Observation, ...]
    classes: tuple[ClassInfo, ...]
    calls: tuple[str, ...]
    held_back: tuple[str, ...] = ()
    closure: Closure = NOTHING_READ
    asked_for: tuple[Owner, ...] = ()
    methods: tuple[str, ...] = ()
    makes_code: bool = False
    lazy: tuple[str, ...] = ()


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
