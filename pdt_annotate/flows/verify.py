"""`verify`: the targets as they stand on disk, judged as the result of an annotation would be."""

from __future__ import annotations

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.flows.review import make_outcome
from pdt_annotate.processes.tasks import judge
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_blame import find_culprits
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Candidate
from pdt_annotate.verify.judging import accept_alike, join_trials


def verify(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Script the targets as they are and compare their answers; where one fails, find who is at fault.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    project, runs = observe_targets(options, zygote, progress)
    evidence = Evidence(project, (run.observed for run in runs))

    progress("scripting and comparing answers")
    each = [accept_alike(judge(run.session, Candidate())) for run in runs]
    joined = join_trials(each)
    if not joined.ok:
        progress("looking for who is at fault")
    blame = () if joined.ok else find_culprits(Trials(runs, evidence, options.returns), Plan(), each)
    return make_outcome(options, evidence, joined, blame)
