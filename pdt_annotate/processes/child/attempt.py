"""The tasks that run in forked children: everything here may run the user's code.

`prepare` is a session's setup. Its result, the target built and never run, is where each task starts from: `observe`
runs the example calls under the tracer, `attempt` compiles a candidate and compares answers.
"""

from __future__ import annotations

from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import (
    NOTHING,
    Prepared,
    as_if_scripting,
    copy_built,
    export_method,
    is_comparable,
    run_call,
)
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.verdicts import Trial, Verdict
from pdt_annotate.verify.judges import answers
from pdt_annotate.verify.judges.objects import Objects, ScriptedObjects
from pdt_annotate.verify.judges.scripts import Compilation


def attempt(prepared: Prepared, candidate: Candidate, as_scripted: bool = False, optimized: bool = True) -> Trial:
    """Compile the target with a candidate's annotations and, where it compiles, compare its answers.

    Args:
        as_scripted: compare with what eager mode answers where `torch.jit.is_scripting()` is true.
        optimized: compile and run as users will; without, a trial saves time.
    """
    apply(candidate)
    compilation = Compilation(quick=not optimized)
    export_method(prepared)
    compilation.run(prepared.built)
    compiled, ignored = tuple(compilation.compiled), tuple(compilation.ignored)
    if not compilation.verdict.ok:
        return Trial((compilation.verdict,), compiled, ignored)
    verdicts = [compilation.verdict]
    eager = copy_built(prepared)  # compiling changes no state, running does
    scripted = ScriptedObjects(prepared.built, eager) if isinstance(eager, Objects) else compilation.scripted
    jit: Any = torch.jit
    with as_if_scripting() if as_scripted else NOTHING, jit.optimized_execution(optimized):
        for index, (name, call) in enumerate(prepared.calls):
            if is_comparable(prepared, scripted, call):
                verdicts.append(_judge(prepared, eager, scripted, name, call, index))
    return Trial(tuple(verdicts), compiled, ignored)


def _judge(prepared: Prepared, eager: Any, scripted: Any, name: str, call: Call, index: int) -> Verdict:
    def run(which: Any) -> Any:
        specs.seed_generators(prepared.spec.settings.seed + index)
        return run_call(prepared, which, call)

    return answers.judge_call(name, call.held_back, lambda: run(eager), lambda: run(scripted))
