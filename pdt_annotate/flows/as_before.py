"""Whether Python does with changed sources what it did before: what a class, a decorator or an import makes of them.

Annotations are evaluated where they stand, and the program may read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import (
    TargetRun,
    import_first,
    judge_behaviour,
    open_session,
    record_behaviour,
    record_state,
)
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.imports import parents
from pdt_annotate.source.project import NO_SOURCES, Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.judges import EAGER
from pdt_annotate.values.outcome import Rendered
from pdt_annotate.values.slots import Annotation
from pdt_annotate.values.verdicts import Failure, Verdict

NOT_JUDGED = "the model does not do the same in Python from one run to the next, as it is"


def judge_in_python(options: Options, zygote: Zygote, shipped: TargetRun, session: Session) -> tuple[Verdict, ...]:
    """Whether every example call of a target does in Python what it does with the files on disk.

    Building it twice may give two models, and so may running it; that is no fault of what was changed.

    Args:
        shipped: the target as its files are on disk.
        session: the target over the changed files.
    """
    recorded = record_behaviour(shipped.session)
    verdicts = judge_behaviour(session, recorded)
    if not _hold(verdicts):
        again = open_session(options, zygote, shipped.target)
        if not _hold(judge_behaviour(again, recorded)):
            state = record_state(shipped.session)
            verdicts = judge_behaviour(session, recorded, state)
            if not _hold(verdicts) and not _hold(judge_behaviour(again, recorded, state)):
                return (Verdict(EAGER, True, note=NOT_JUDGED),)
    return tuple(replace(verdict, judge=EAGER) for verdict in verdicts)


def _hold(verdicts: Iterable[Verdict]) -> bool:
    return all(verdict.ok for verdict in verdicts)


def judge_import_orders(
    options: Options, zygote: Zygote, rendered: Rendered, project: Project, sources: Mapping[str, bytes] = NO_SOURCES
) -> Iterator[Verdict]:
    """Whether the modules of classes that annotations name can still be imported before any other.

    Such a module may import the annotated one before it has defined the class, in a circle that worked.

    Args:
        project: the files that were rewritten.
        sources: what stands in for files that the rewrite leaves as they are.
    """
    over = {**sources, **{change.file: change.after for change in rendered.changes}}
    for module in dict.fromkeys(module for a in rendered.written for module in _other_modules(a, project)):
        failure = _import_first(options, zygote, module, over)
        if failure and _import_first(options, zygote, module, NO_SOURCES) is None:
            message = f"importing {module} first fails with the annotations, and does not without: {failure.message}"
            yield Verdict(EAGER, False, Failure(message, place=failure.place))


def _other_modules(annotation: Annotation, project: Project) -> Iterator[str]:
    """The modules of the project, other than its own, of which an annotation names a class."""
    own = project.module_name(annotation.slot.owner.file)
    held = (module for name in annotation.type.names for module in parents(name) if module in project.modules)
    yield from (module for module in held if module != own)


def _import_first(options: Options, zygote: Zygote, module: str, sources: Mapping[str, bytes]) -> UserError | None:
    try:
        import_first(options, zygote, module, sources)
    except UserError as error:
        return error
    return None
