"""`--write-partial`: if the whole fails, keep the annotations of the largest parts that work alone.

Kept parts were compared with eager mode on recorded calls, before rendering and again in a fresh import after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.processes.tasks import attempt, judge_functions, judge_paths, observe, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.plan import Plan, Trials, render
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import NOTHING_RENDERED, Rendered
from pdt_annotate.values.runs import Candidate, Target
from pdt_annotate.values.slots import SlotKind
from pdt_annotate.values.verdicts import Blame, Part
from pdt_annotate.verify.text_judges import accept_undecided, judge_texts

Working = tuple[tuple[Target, Part], ...]  # parts that work, each with its target


@dataclass(frozen=True)
class Keeper:
    """Keeps the annotations of parts that work. The zygote judges the result in a fresh import."""

    trials: Trials
    zygote: Zygote
    options: Options
    sources: Mapping[str, bytes]  # files with mends, which the annotations are added to

    def keep(self, plan: Plan, blame: Sequence[Blame]) -> tuple[Rendered, Working]:
        """The rest of a failing plan, rendered and verified, and the parts that need it; `blame` has sound parts."""
        working = tuple((one.target, part) for one in blame for part in one.parts if part.is_proven)
        evidence = self.trials.evidence
        compiled = {owner for _, part in working for owner in part.compiled}
        entered = {slot.owner for slot in plan.annotations if slot.kind is SlotKind.PARAMETER} & evidence.entered
        loose = [owner for owner in entered - compiled if "." not in owner.qualname]  # functions outside classes
        names, candidate = sorted(owner.name for owner in loose), self.trials.render(plan)
        judged = ((run.target, judge_functions(run.session, candidate, names)) for run in self.trials.runs)
        proven = {_key(part): (target, part) for target, parts in judged for part in parts if part.is_proven}
        working += tuple(proven.values())
        while working:
            rendered = render(keep_parts(plan, [part for _, part in working]), evidence)
            confirmed = self._confirm(rendered, working)
            if confirmed == working:
                return rendered, working
            working = confirmed
        return NOTHING_RENDERED, ()

    def _confirm(self, rendered: Rendered, working: Working) -> Working:
        """The parts that work in a fresh import of the rendered files. Raises a `UserError` if these do not run."""
        if not all(verdict.ok for verdict in judge_texts(rendered)):
            return ()
        sources = {**self.sources, **{change.file: change.after for change in rendered.changes}}
        found: list[tuple[Target, Part]] = []
        for target in dict.fromkeys(target for target, _ in working):
            session = open_session(self.options, self.zygote, target, sources)
            observe(session, as_scripted=False)
            parts = [part for its, part in working if its == target]
            paths = [part.path for part in parts if part.path and not part.is_function]
            names = [(part.place.file, part.name) for part in parts if part.is_function]
            judged = (*judge_paths(session, Candidate(), paths), *judge_functions(session, Candidate(), names))
            proven = {_key(part) for part in judged if part.is_proven}
            wholes = {_key(part) for part in parts if not part.path}
            if wholes and accept_undecided(attempt(session, Candidate())).ok:
                proven |= wholes
            found += [(target, part) for part in parts if _key(part) in proven]
        return tuple(found)


def keep_parts(plan: Plan, parts: Sequence[Part]) -> Plan:
    """The annotations of the functions that the parts compile, and of their classes' attributes."""
    compiled = {owner for part in parts for owner in part.compiled}
    classes = {cls for part in parts for cls in part.classes}
    return plan.only(lambda s: s.owner.name in classes if s.kind is SlotKind.ATTRIBUTE else s.owner in compiled)


def _key(part: Part) -> tuple[str, str, str]:
    """The key of a part, which stays the same when lines move."""
    return part.path, part.place.file, part.name
