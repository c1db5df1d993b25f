"""Mends for code that annotations alone cannot help: change the code that the compiler refuses, then annotate again.

A look at a version of the sources observes, annotates and compiles it. Each message that a rule answers wakes that
rule. All mends that awake rules find in functions in reach are made at once, since each look costs a fresh import.
Mends of functions that the compiler never read are left out in the end.
"""

import ast
import functools
import itertools
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.findings.messages.said import AUTOCAST
from pdt_annotate.mends import all_rules
from pdt_annotate.mends.kit.construction import is_list
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, Name, Witnessed, way_to
from pdt_annotate.mends.mended import Mended
from pdt_annotate.search.best_first import CutOff, Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.project import Project
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.budget import ALLOWANCES, Budget, BudgetSpentError
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import NO_FACTS, Mend, MendKind
from pdt_annotate.values.slots import Place, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import JUDGES, SAVED, Failure, Trial

log = logging.getLogger("pdt_annotate")


def observed_types(evidence: Evidence) -> dict[Name, dict[str, tuple[TypeExpr, ...]]]:
    """By function, the types observed of its parameters and locals by name, and of "return"."""
    types: dict[Name, dict[str, list[TypeExpr]]] = defaultdict(lambda: defaultdict(list))
    for slot, observations in evidence.seen.items():
        if slot.kind is not SlotKind.ATTRIBUTE:
            named = types[slot.owner.name]
            named[slot.name] += (o.type for o in observations if o.type not in named[slot.name])
    return {name: {key: tuple(each) for key, each in named.items()} for name, named in types.items()}


@dataclass(frozen=True)
class MendCandidate:
    """The sources with mends in them, and how far annotations bring them."""

    mended: Mended
    trials: Trials
    step: Step

    @property
    def project(self) -> Project:
        return self.trials.evidence.project

    @functools.cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The failures, at places in its files: the whole first, then parts that the compiler did not reach."""
        trials = (self.step.trial, *self.trials.failing_parts(self.step.plan, self.step.trial))
        return tuple(dict.fromkeys(self._failures_of(self.step.plan, trials)))

    @functools.cached_property
    def repaired(self) -> tuple[Failure, ...]:
        """The failures that repairs ended on the way to this one, the latest first: a wrong repair may hide a fault."""
        steps = reversed(self.step.passed)
        earlier = (failure for step in steps for failure in self._failures_of(step.plan, (step.trial,)))
        return tuple(failure for failure in dict.fromkeys(earlier) if failure not in self.failures)

    def _failures_of(self, plan: Plan, trials: Iterable[Trial]) -> Iterator[Failure]:
        return map(self.trials.place_on_disk(plan), filter(None, (trial.failure for trial in trials)))

    @functools.cached_property
    def shown(self) -> Witnessed:
        """The facts from running and compiling it."""
        evidence = self.trials.evidence
        facts = functools.reduce(lambda one, other: one | other, self.trials.facts(), NO_FACTS)
        entered, read = (owner.name for owner in evidence.reached), (each.owner.name for each in self.in_reach)
        return Witnessed(facts, observed_types(evidence), frozenset(entered), frozenset(read))

    @property
    def in_reach(self) -> Iterator[Function]:
        """The functions of the project that the compiler has read or would read, judging by the source."""
        evidence, trial = self.trials.evidence, self.step.trial
        owners = evidence.in_reach({*evidence.likely_compiled, *trial.compiled, *trial.ignored})
        in_order = sorted(owners, key=lambda owner: (owner.file, owner.line))
        return (each for each in map(self.project.function, in_order) if each is not None and not each.settled)

    @functools.cached_property
    def sites(self) -> tuple[FunctionContext, ...]:
        """The sites of its failures, the first in front.

        For a failure in a library, the compiler may name no caller, or only a function that passes the caller on as a
        value. Then these are the sites of all functions in reach that may call the library's function.
        """
        sites: list[FunctionContext] = []
        for failure in self.failures:
            site, place = self.site_of(failure), failure.place
            library = None if self.project.has(place.file) else self.project.reading_at(place.file, place.line)
            name = library.node.name if library else ""
            if site is not None:
                sites.append(site)
            if site is None or (name and not any(is_call_of(n, name) for each in site.failing for n in ast.walk(each))):
                # Only compiled code computes other results than Python.
                compiled = {owner.name for owner in self.step.trial.compiled}
                reached = (f for f in self.in_reach if not failure.call or f.owner.name in compiled)
                callers = [self._calling(function, failure, name) for function in reached]
                sites += [each for each in callers if site is None or each.failure != failure]
        return tuple(sites)

    def _calling(self, function: Function, failure: Failure, library: str) -> FunctionContext:
        """The site of a function for a failure in a library; its place is the call of the library, if there is one."""
        site = FunctionContext(function, self.project, self.shown, failure)
        calls = (node for node in ast.walk(function.node) if library and isinstance(node, ast.Call))
        call = next((node for node in calls if is_call_of(node, library) or _calls(site, node, library)), None)
        if call:
            place = site.text.place(site.file, site.text.start(call))
            site = replace(site, failure=replace(failure, place=place, chain=(place,)))
        return site

    def site_of(self, failure: Failure) -> FunctionContext | None:
        """The function of the project in which the compiler stopped, or which called code that it could not compile."""
        for place, function in way_to(failure, self.project):
            return FunctionContext(function, self.project, self.shown, replace(failure, place=place))
        return None


def _calls(site: FunctionContext, call: ast.Call, library: str) -> bool:
    """Whether a call of a layer reaches this function of torch: a list of layers has no `forward`."""
    return library == "_forward_unimplemented" and is_list(site.held(site.self_attribute(call.func)))


Answer = tuple[MendRule, FunctionContext]  # a rule that answers a failure, and its site


@dataclass
class MendSearch:
    """A search for mends with which a version verifies."""

    look: Callable[[Mended], MendCandidate]  # looks at a version with mends, until annotations bring it no further
    kinds: Collection[MendKind]  # the kinds of mends that may be made
    budget: Budget  # the time that is left for it, and the number of versions to look at
    rules: Sequence[MendRule] = field(default_factory=all_rules)
    look_longer: Callable[[MendCandidate], MendCandidate] = lambda version: version
    looks: int = 0
    _awake: dict[str, Failure] = field(default_factory=dict)  # by rule, the failure that woke it
    _met: set[Hashable] = field(default_factory=set)
    _looked_longer: set[Hashable] = field(default_factory=set)
    _looked: dict[Hashable, MendCandidate | None] = field(default_factory=dict)  # by the mended sources

    def run(self, version: MendCandidate) -> MendCandidate:
        """The version that verifies, without mends that it does not need; otherwise the one that came furthest."""
        next_step = "looking for a change of code"
        try:
            with self.budget.ends_work():
                self._note(version)
                self._looked[frozenset(version.mended.sources.items())] = version
                while not version.step.trial.ok and not self._is_over:
                    better = next(self._better(version), None) or self._look_longer(version)
                    if better is None:
                        break
                    version = better
                version = self._settle(version) if version.step.trial.ok else version
        except BudgetSpentError as spent:
            next_step = f"{spent}, to find a change of code"
        if version.step.trial.ok or version.step.cut_off or not self.budget.is_spent:
            return version
        return replace(version, step=replace(version.step, cut_off=CutOff(next_step=next_step)))

    def improve(self, version: MendCandidate) -> MendCandidate:
        """The version with mends that no failure asks for, if the scripted model can be saved with them."""
        if not version.step.trial.ok:
            return version
        rules = [rule for rule in self.rules if rule.improves]
        shown = Witnessed(types=observed_types(version.trials.evidence))
        sites = [FunctionContext(function, version.project, shown) for function in version.in_reach]
        found = [mend for site in sites for rule in rules for mend in self._find(rule, site, Failure(rule.improves))]
        if not found or self._is_over:
            return version
        try:
            with self.budget.ends_work():
                new = self._look(version.mended.add(found, version.project))
                trial = new.trials.try_thoroughly(new.step.plan) if new and new.step.trial.ok else None
                saved = trial and all(v.failure is None or v.failure.code != JUDGES[SAVED].code for v in trial.verdicts)
                return new if new and trial and trial.ok and saved else version
        except BudgetSpentError:
            return version

    @property
    def _is_over(self) -> bool:
        return self.looks >= self.budget.steps or self.budget.is_spent

    def _look_longer(self, version: MendCandidate) -> MendCandidate | None:
        """The version, if it verifies or fails differently with the annotations that a longer search finds.

        Most versions fail for reasons that annotations do not concern, so a short search is made first.
        """
        sources = frozenset(version.mended.sources.items())
        if not version.mended.mends or sources in self._looked_longer or self._is_over:
            return None
        self._looked_longer.add(sources)
        longer = self._looked[sources] = self.look_longer(version)
        return longer if longer.step.trial.ok or self._note(longer) else None

    def _better(self, version: MendCandidate) -> Iterator[MendCandidate]:
        """Versions with more mends that fail differently or in fewer places, or that verify.

        The first has all most trusted answers.
        """
        answers = [self._answers(site) for site in version.sites]
        most_trusted = tuple(each[0] for each in answers if each)
        found = [answer for each in answers for answer in each]
        # A failure without a place may concern several functions.
        alike = grouped(((rule.name, site.failure), (rule, site)) for rule, site in found).values()
        joint = [tuple(each) for each in alike if len(each) > 1]
        others = [proposal for proposal in (*joint, *((each,) for each in found)) if proposal != most_trusted]
        repaired = filter(None, map(version.site_of, version.repaired))
        earlier = ((answer,) for site in repaired for answer in self._answers(site))
        for proposal in itertools.chain((most_trusted,), others, earlier):
            new = self._try(version, proposal) if proposal and not self._is_over else None
            if new is None:
                continue
            # A part that no longer fails is progress, even if the compiler still stops at the same place of the whole.
            if self._note(new) or new.step.trial.ok or len(new.failures) < len(version.failures):
                yield new
            elif longer := self._look_longer(new):
                yield longer

    def _try(self, version: MendCandidate, proposal: Sequence[Answer]) -> MendCandidate | None:
        """The version with the mends for some answers.

        If it cannot be built or run, a rule that sweeps may be the cause: then that rule finds nothing from now on.
        """
        mended = self._mend(version, proposal)
        if mended.changes == version.mended.changes:
            return None
        new, answering = self._look(mended), {rule.name for rule, _ in proposal}
        for name in [each for each in self._awake if each not in answering] if new is None else ():
            failure = self._awake.pop(name)
            fewer = self._mend(version, proposal)
            if fewer.changes != mended.changes and (new := self._look(fewer)):
                return new
            self._awake[name] = failure
        return new

    def _answers(self, site: FunctionContext) -> list[Answer]:
        """The rules that find a mend for the failure of a site."""
        failure = site.failure
        knows_where = failure is not None and failure.place.file in (site.file, "")
        asked = (rule for rule in self.rules if failure and rule.is_asked_for(failure) and (rule.sweeps or knows_where))
        answers = [(rule, site) for rule in asked if any(self._find(rule, site, failure))]
        if answers or failure is None or not (failure.kind == "TypeError" or AUTOCAST.is_in(failure.message)):
            return answers
        # Python refuses to look at an object of a function that the failing line names: the message has no other place.
        kinds = (ast.Name, ast.Attribute)
        named = (node for each in site.failing for node in ast.walk(each) if isinstance(node, kinds))
        called = filter(None, dict.fromkeys(map(site.definition, named)))
        nowhere = replace(failure, place=Place("", 0))
        inner = [replace(site, function=function, failure=nowhere) for function in called]
        rules = (rule for rule in self.rules if rule.sweeps and rule.is_asked_for(nowhere))
        return [(rule, each) for rule in rules for each in inner if any(self._find(rule, each, nowhere))]

    def _look(self, mended: Mended) -> MendCandidate | None:
        """The version, which is looked at once: without its last mends it often is an earlier one."""
        sources = frozenset(mended.sources.items())
        if sources not in self._looked:
            self.looks += 1
            try:
                self._looked[sources] = self.look(mended)
            except UserError:  # the mended source does not build, or an example call raises
                self._looked[sources] = None
        known = self._looked[sources]
        return known and replace(known, mended=mended)

    def _note(self, version: MendCandidate) -> bool:
        """Whether the first failure of a version is new."""
        if version.step.trial.failure is None:
            return True
        first, before = version.failures[0], len(self._met)
        # A failure without a place may come of a wrong repair, so the failure that was repaired counts, too.
        hidden = version.repaired[:1] if not first.place.file else ()
        self._met.add(tuple((failure.message, self._position(version, failure)) for failure in (first, *hidden)))
        return len(self._met) > before

    def _position(self, version: MendCandidate, failure: Failure) -> object:
        """The place of a failure, which stays the same when lines move."""
        site = version.site_of(failure)
        if site is None or site.failure is None:
            return failure.place.file
        # The text of the statement up to the failing line, and how many equal lines are above that one.
        lines = [line.rstrip() for line in site.text.lines[: site.failure.place.line]]
        first = min((getattr(each, "lineno", len(lines)) for each in site.failing), default=len(lines))
        above = lines[site.node.lineno - 1 :]
        count = above.count(above[-1]) if above else 0
        return *lines[first - 1 :], count, *(f.owner.qualname for _, f in way_to(failure, version.project))

    def _mend(self, version: MendCandidate, answers: Sequence[Answer]) -> Mended:
        """The mends of rules that answer failures; rules that sweep look at all functions in reach."""
        found = [mend for rule, site in answers for mend in self._find(rule, site, site.failure)]
        for rule, site in answers:
            if rule.sweeps and site.failure:
                self._awake.setdefault(rule.name, site.failure)
        answering = {rule.name for rule, _ in answers}
        names = {function.owner.name for function in (*version.in_reach, *(site.function for _, site in answers))}
        mended, project = version.mended, version.project
        awake = [rule for rule in self.rules if rule.name in self._awake]
        for _ in range(ALLOWANCES["layers"].steps):
            for file, qualname in sorted(names):
                function = next((f for f in project.read(file).functions if f.owner.qualname == qualname), None)
                if function:
                    swept = FunctionContext(function, project, version.shown)
                    found += [mend for rule in awake for mend in self._find(rule, swept, self._awake[rule.name])]
            if not found:
                break
            # The mends in the order of the table, each once; those of rules that answer a failure come first.
            order = {rule.name: number for number, rule in enumerate(self.rules)}
            first: dict[tuple[str, object], Mend] = {}
            for mend in found:
                first.setdefault((mend.rewrite, tuple(mend.edits.items())), mend)
            ordered = sorted(first.values(), key=lambda mend: (mend.rewrite not in answering, order[mend.rewrite]))
            mended = mended.add(ordered, project)
            # The other functions were swept as they still are.
            names &= {mend.owner.name for mend in ordered}
            project, found = mended.project, []
        return mended

    def _find(self, rule: MendRule, site: FunctionContext, failure: Failure | None) -> list[Mend]:
        """The mends that a rule finds, of the kinds that may be made.

        A rule that raises an error on unusual code finds nothing: rules only propose mends. The error is logged.
        """
        try:
            found = [mend for mend in rule.find(site) if mend.kind in self.kinds]
        except BudgetSpentError:
            raise
        except Exception:
            log.info("the rule %s stumbled over %s", rule.name, site.function.owner.name, exc_info=True)
            return []
        return [replace(mend, because=failure.message if failure else "") for mend in found]

    def _settle(self, version: MendCandidate) -> MendCandidate:
        """Without the mends that it does not need: those in functions no longer read, and single ones.

        The compiler reads only the signature of an ignored function, and mends may have made that readable.
        """
        trial = version.step.trial
        compiled = frozenset(owner.name for owner in trial.compiled)
        known = compiled.union(owner.name for owner in trial.ignored)
        for read in dict.fromkeys((compiled, known)):
            idle = [m for m in version.mended.mends if m.owner.name not in (known if m.left_out else read)]
            version = self._without(version, idle)
        sweeping = {rule.name for rule in self.rules if rule.sweeps}
        mends = version.mended.mends
        single = [[mend] for mend in mends if mend.rewrite not in sweeping]
        # Only a branch that was left out later may have needed the mends of a sweep.
        cut = {mend.owner.name for mend in mends if mend.left_out}
        swept = [m for m in mends if m.rewrite in sweeping and m.owner.name in cut and not m.left_out]
        groups = grouped(((mend.rewrite, mend.because, mend.owner.name), mend) for mend in swept).values()
        for unit in reversed([*groups, *single][-ALLOWANCES["single mends"].steps :]):
            version = self._without(version, unit)
        return version

    def _without(self, version: MendCandidate, mends: Sequence[Mend]) -> MendCandidate:
        fewer = self._look(version.mended.without(mends)) if mends and not self._is_over else None
        if fewer and not fewer.step.trial.ok and any(mend.kind is not MendKind.EXACT for mend in mends):
            fewer = self._look_longer(fewer)
        return fewer if fewer and fewer.step.trial.ok else version
