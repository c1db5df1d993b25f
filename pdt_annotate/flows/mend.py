"""Mends: the search for them over fresh sessions, and what they do in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.observe import observe_over, rebuild
from pdt_annotate.processes.tasks import judge_behaviour, open_session, record_behaviour
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_mends import MendSearch, Version
from pdt_annotate.search.find_plan import find_any_plan
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.values.mends import MendKind
from pdt_annotate.values.outcome import Rendered
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.verdicts import Verdict


@dataclass(frozen=True)
class Mending:
    """Looks for mends of the targets.

    Args:
        is_spent: whether the time for the search is over.
    """

    options: Options
    zygote: Zygote
    progress: Progress
    is_spent: Callable[[], bool]

    def search(self, version: Version, kinds: Collection[MendKind]) -> Version:
        """The version that verifies with mends of some kinds; else the one that came furthest."""
        self.progress("looking for changes of code that let it script")
        return MendSearch(self.look, kinds, self.is_spent).run(version)

    def look(self, mended: Mended) -> Version:
        """A version of the sources, observed and searched for annotations.

        Raises:
            UserError: a target does not build, or an example call raises.
        """
        project, sources = mended.project, mended.sources
        runs = observe_over(self.options, self.zygote, project, sources)
        evidence = Evidence(project, (run.observed for run in runs))
        build_anew = partial(rebuild, self.options, self.zygote, sources=sources)
        trials = Trials(runs, evidence, self.options.returns, build_anew)
        return Version(mended, trials, find_any_plan(trials))


def judge_in_python(options: Options, zygote: Zygote, rendered: Rendered, mended: Mended) -> tuple[Verdict, ...]:
    """Whether every example call does in Python what it did before the mends: two fresh processes a target."""
    sources = {**mended.sources, **{change.file: change.after for change in rendered.changes}}

    def judge() -> Iterator[Verdict]:
        for target in options.targets:
            recorded = record_behaviour(open_session(options, zygote, target))
            yield from judge_behaviour(open_session(options, zygote, target, sources), recorded)

    return tuple(judge())
