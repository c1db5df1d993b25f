"""Changes of code with which `torch.jit.trace` answers right: code with baked-in values is compiled while tracing.

Tracing finds the baked-in values. Each change is tried in a fresh import, annotated with the types observed there, and
kept if fewer values are then baked in. All kept changes are verified together.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from pdt_annotate.captures.script_if_tracing import Outlined, outline
from pdt_annotate.captures.table import BY_NAME
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.observe import read_project
from pdt_annotate.flows.verify import judge_in_python
from pdt_annotate.mends.judge import judge_mends
from pdt_annotate.mends.kit.context import FunctionContext, Name, Witnessed
from pdt_annotate.mends.mended import Mended
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import TargetRun, examine, find_baked, observe, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_mends import observed_types
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import moves_of, trace
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import ALLOWANCES, Budget, Progress
from pdt_annotate.values.capture_results import Baked, Baking, Captures, Fate
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import NOTHING_RENDERED, Outcome, Rendered, sources_of
from pdt_annotate.values.runs import Observed, Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import BEHAVES, EAGER, STILL_SCRIPTS, TRACES, TRACES_ALIKE, Failure, Verdict
from pdt_annotate.verify.text_judges import judge_texts

LEFT = "PDT088"

TRACE, ADAPTED = "trace", "trace-adapted"
"""The ways whose traces are mended: the second if the first cannot trace the model."""

HOW = "with this change a trace is right: `--emit trace-mend` prints the verified diff"


def mend_trace(
    options: Options, zygote: Zygote, target: Target, progress: Progress, budget: float, *, saved: bool = False
) -> Outcome:
    """Return verified changes with which a trace answers right on all examples, or why not, within `budget` seconds.

    Args:
        saved: trace as `save` does, which itself compares the traces with eager mode.
    """
    options = replace(options, targets=(target,))
    progress("looking for what can be compiled while tracing")
    session = open_session(options, zygote, target, traced=True)
    project = read_project(options, [session])
    shipped = TargetRun(target, session, _observe(session, project))
    evidence = Evidence(project, [shipped.observed])
    way = ADAPTED if find_baked(session, adapted=False, drawn=False, saved=saved).failure else TRACE
    search = _Search(options, zygote, way, Budget(budget), saved)
    baking = search.find(session, NOTHING_RENDERED)
    version, _ = search.run(TraceVersion(Mended(project), (), NOTHING_RENDERED, evidence, session, baking))
    search = replace(search, drawn=True)
    version, refusals = search.run(replace(version, baking=search.find(version.session, version.rendered)))
    end = partial(Outcome, options.targets, options.root)
    left = tuple(_findings_left(version, refusals))
    if left and not version.made:
        return end(findings=left)
    progress("verifying the changes")
    verdicts = tuple(_judge(search, shipped, version))
    failure = next((each.failure for each in verdicts if each.failure and not each.ok), None)
    if failure:
        message = f"no change of the code was found with which a trace is right: {failure.message}"
        return end(findings=left or (Finding(LEFT, message, failure.place),))
    rendered, mends = version.mended.on_disk(version.rendered), version.mended.mends
    outcome = end(changes=rendered.changes, annotations=rendered.written, mends=mends, findings=left)
    return replace(outcome, verdicts=verdicts, verified=True)


def with_trace_mends(options: Options, zygote: Zygote, tried: Captures, progress: Progress) -> Captures:
    """Add possible changes for a trace that answers wrong, or has findings."""
    traced = next((each for each in tried.captures if each.way in (TRACE, ADAPTED) and each.captured), None)
    if traced is None or (traced.fate is Fate.SAME and not traced.findings):
        return tried
    seconds = ALLOWANCES["trace mends in a table"].of(options.budget)
    outcome = mend_trace(options, zygote, tried.target, progress, seconds)
    mends = (Finding("PDT087", f"{each.summary}; {HOW}", each.place) for each in outcome.mends)
    mended = replace(traced, findings=(*traced.findings, *mends, *outcome.findings))
    return replace(tried, captures=tuple(mended if each is traced else each for each in tried.captures))


@dataclass(frozen=True)
class TraceVersion:
    """The sources with changes in them, and annotations on the functions that these compile while tracing."""

    mended: Mended
    made: tuple[Name, ...]  # the functions that the changes compile
    rendered: Rendered  # the annotations in the changed files
    evidence: Evidence
    session: Session  # it has the target with all of these
    baking: Baking  # its places are in the changed files without annotations

    def site(self, file: str, line: int) -> FunctionContext | None:
        project = self.evidence.project
        function = project.function_at(file, line)
        return FunctionContext(function, project, Witnessed(types=observed_types(self.evidence))) if function else None


@dataclass(frozen=True)
class _Search:
    options: Options
    zygote: Zygote
    way: str
    budget: Budget
    saved: bool
    drawn: bool = False  # whether drawn calls are traced as well, which is slower
    looked: dict[Hashable, TraceVersion | str] = field(default_factory=dict)

    def run(self, version: TraceVersion) -> tuple[TraceVersion, dict[Baked, str]]:
        """Return the version with the fewest baked-in values, and for the rest, why nothing could be done."""
        refusals: dict[Baked, str] = {}
        while left := [each for each in version.baking.baked if each not in refusals]:
            better = self._mend(version, left[0])
            if isinstance(better, TraceVersion):
                version, refusals = better, {}
            else:
                refusals[left[0]] = better
        return version, refusals

    def _mend(self, version: TraceVersion, baked: Baked) -> TraceVersion | str:
        """Return the version with a change around one baked-in value, or the first reason against it."""
        why = ""
        # First at its own place, then in the callers.
        sites = ((version.site(place.file, place.line), place.line) for place in baked.frames)
        for made in (made for site, line in sites if site for made in outline(site, line)):
            if self.budget.is_spent:
                return why or f"the search ended after {self.budget.seconds:g} s"
            if isinstance(made, Outlined):
                # It may have been tried before, for another baked-in value; drawn calls do not matter to a refusal.
                key = (len(version.made), *made.mend.edits.values())
                looked = self.looked.get(key) or self.looked.get((self.drawn, *key)) or self._look(version, made)
                self.looked[key if isinstance(looked, str) else (self.drawn, *key)] = looked
            else:
                looked = made
            if isinstance(looked, TraceVersion) and len(looked.baking.baked) < len(version.baking.baked):
                return looked
            still = f"`{made.name}` would be called with a value that varies" if isinstance(made, Outlined) else ""
            why = why or (looked if isinstance(looked, str) else still)
        return why

    def find(self, session: Session, rendered: Rendered) -> Baking:
        """Return the values that a trace bakes in; their places are in the files without the rendered annotations."""
        baking = find_baked(session, adapted=self.way == ADAPTED, drawn=self.drawn, saved=self.saved)
        return replace(baking, baked=trace(baking.baked, moves_of(rendered.changes)))

    def _look(self, version: TraceVersion, made: Outlined) -> TraceVersion | str:
        mended = version.mended.add([made.mend], version.evidence.project)
        names = (*version.made, (made.mend.place.file, made.name))
        target = self.options.targets[0]
        try:
            session = open_session(self.options, self.zygote, target, mended.sources, traced=True, with_libraries=True)
            evidence = Evidence(mended.project, [_observe(session, mended.project)])
        except UserError as error:
            return error.message
        files = dict.fromkeys(file for file, _ in names)
        functions = (function for file in files for function in evidence.project.read(file).functions)
        owners = {each.owner for each in functions if each.owner.name in names}
        plan = Plan().with_(evidence.choose(evidence.in_reach(owners)))
        rendered = render(plan, evidence)
        sources = {**mended.sources, **sources_of(rendered.changes)}
        session = open_session(self.options, self.zygote, target, sources, with_libraries=True)
        baking = self.find(session, rendered)
        if baking.failure:
            return f"`{made.name}` cannot be traced with this change: {baking.failure.message}"
        return TraceVersion(mended, names, rendered, evidence, session, baking)


def _observe(session: Session, project: Project) -> Observed:
    return observe(session, as_scripted=project.mentions("is_scripting"), all_locals=True)


def _judge(search: _Search, shipped: TargetRun, version: TraceVersion) -> Iterator[Verdict]:
    yield from judge_texts(version.rendered)
    yield from judge_mends(version.mended)
    for verdict in judge_in_python(search.options, search.zygote, shipped, version.session):
        yield replace(verdict, judge=BEHAVES) if verdict.judge == EAGER else verdict
    if search.saved:
        return
    # Whether the trace answers every call as eager mode does, held-back ones included; it may refuse one as before.
    before, capture = (examine(each, BY_NAME[search.way]) for each in (shipped.session, version.session))
    refused = {call.call for call in before.calls if call.fate is Fate.REFUSED}
    if not capture.captured:
        yield Verdict(TRACES, False, capture.failure)
    for call in capture.calls:
        is_right = call.fate is Fate.SAME or (call.fate is Fate.REFUSED and call.call in refused)
        wrong = None if is_right else Failure(f"traced, {call.message}", call=call.call)
        yield Verdict(TRACES, is_right, wrong)
    # Whether the traces of all calls but the held-back ones are the same.
    apart = next((each for each in trace(version.baking.baked, version.mended.moves) if each.differs), None)
    yield Verdict(TRACES_ALIKE, apart is None, Failure(apart.message, place=apart.place) if apart else None)
    # Whether the target still scripts and answers alike, if it did before.
    if examine(shipped.session, BY_NAME["script"]).fate is Fate.SAME:
        capture = examine(version.session, BY_NAME["script"])
        message = next((call.message for call in capture.calls if call.fate is not Fate.SAME), "")
        failure = capture.failure or (Failure(message) if capture.fate is not Fate.SAME else None)
        yield Verdict(STILL_SCRIPTS, failure is None, failure)


def _findings_left(version: TraceVersion, refusals: dict[Baked, str]) -> Iterator[Finding]:
    """Yield the values that are still baked in, the first place for each reason."""
    if failure := version.baking.failure:
        yield Finding(LEFT, f"there is no trace to mend: {failure.message}", failure.place)
    placed = zip(trace(tuple(refusals), version.mended.moves), refusals.values(), strict=True)
    by_reason = {(each.place.file, why or each.place): (each, why) for each, why in reversed(list(placed))}
    for baked, why in reversed(by_reason.values()):
        because = f": {why}" if why else ""
        message = f"{baked.message}, and nothing around it can be compiled while tracing{because}"
        yield Finding(LEFT, message, baked.place)
