"""All that may be asked of a child: the tasks by name, and the sessions that they run in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pdt_annotate.overlays.serving import NO_IMPORTS
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.runs import Candidate, Target
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.judging import accept, accept_alike

PREPARE = "pdt_annotate.processes.child.prepare:prepare"
OBSERVE = "pdt_annotate.processes.child.observe:observe"

ATTEMPT_MODULE = "pdt_annotate.blame.modules:attempt_module"
BLAME = "pdt_annotate.blame.modules:blame"
JUDGE_PATHS = "pdt_annotate.blame.modules:judge_paths"
JUDGE_FUNCTIONS = "pdt_annotate.blame.functions:judge_functions"
FILES = "pdt_annotate.processes.child.prepare:loaded_files"
THIRD_PARTY = "pdt_annotate.processes.child.prepare:third_party_files"
ATTEMPT = "pdt_annotate.processes.child.attempt:attempt"
ATTEMPT_PART = "pdt_annotate.processes.child.parts:attempt_part"
FAILING_PARTS = "pdt_annotate.processes.child.parts:failing_parts"
RETURN_TYPES = "pdt_annotate.processes.child.parts:return_types"

NO_SOURCES: Mapping[str, bytes] = {}


def open_session(
    options: Options,
    zygote: Zygote,
    target: Target,
    sources: Mapping[str, bytes] = NO_SOURCES,
    imports: Mapping[str, Sequence[str]] = NO_IMPORTS,
    heard: bool = False,
) -> Session:
    """A session in which a target is imported over the overlay of `sources` and built.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    over = (sources, imports, options.types_third_party)
    return zygote.session(PREPARE, target, options.spec_of(target), options.root, *over, heard=heard)


def judge(session: Session, candidate: Candidate, optimized: bool = True) -> Trial:
    """Try a candidate; where answers differ, accept what the source answers on purpose when it is scripted.

    To raise is no answer: a module may refuse to be scripted by raising then.
    """
    trial: Trial = session.run(ATTEMPT, candidate, False, optimized)
    if trial.ok or not trial.verdicts[0].ok or accept_alike(trial).ok or _raises(trial):
        return trial
    on_purpose: Trial = session.run(ATTEMPT, candidate, True, optimized)
    return accept(trial) if accept_alike(on_purpose).ok else trial


def _raises(trial: Trial) -> bool:
    return any(verdict.failure is not None and verdict.failure.raises for verdict in trial.verdicts)
