"""Test whether every written annotation is needed, and whether every wrong result has a finding.

    python benchmarks/minimal.py [FIXTURE ...]
    python benchmarks/minimal.py TARGET -i SPEC [--root DIR]      # TARGET and files relative to the working directory

Minimality: removes each written annotation of a local, an attribute or a return from the annotated source: one alone,
then all of a kind, then pairs. Verifies the rest in a fresh import. Parameters are always annotated.

Soundness: annotates without the held-back calls, and again for each example call without this call, too. Then makes the
omitted calls on the result. They may raise; but if a result differs from eager mode, there must be a finding.

Prints a line for each subject and for each violation. The exit code is 1 if there are violations. Writes no files.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import left_out
from drops import Added, find_added, without

from pdt_annotate.flows import annotate as flow
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import judge
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import PdtError
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.text_judges import accept_undecided

WRONG = "WRONG without a finding"
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
TIMEOUT = 120.0
"""The time limit for one run of the subject's code, in seconds."""


@dataclass(frozen=True)
class Subject:
    """A target to annotate, and the process in which its code runs."""

    options: Options
    zygote: Zygote

    def annotate(self) -> Outcome:
        return flow.annotate(self.options, self.zygote)

    def annotate_without(self, unseen: frozenset[str]) -> Outcome:
        """Annotate as if the spec did not have the calls with these names."""
        spec = left_out.LeftOut(**vars(self.options.spec), without=unseen)
        return flow.annotate(replace(self.options, spec=spec), self.zygote)

    def verify(self, sources: Mapping[str, bytes]) -> Trial:
        """Judge these sources on all calls, in a fresh import."""
        with self._session(sources) as session:
            return accept_undecided(judge(session, Candidate()))

    def call_names(self) -> list[tuple[str, bool]]:
        with self._session({}) as session:
            names: list[tuple[str, bool]] = session.run(left_out.NAMES, gives=list[tuple[str, bool]])
            return names

    @contextlib.contextmanager
    def _session(self, sources: Mapping[str, bytes]) -> Iterator[Session]:
        (target,) = self.options.targets
        options = self.options
        session = self.zygote.session(left_out.PREPARE, target, options.spec, options.root, sources)
        with contextlib.closing(session):
            yield session


# Minimality.


def sources_without(changes: Sequence[FileChange], dropped: Sequence[Added]) -> dict[str, bytes]:
    """The annotated sources without some of their annotations."""
    return {c.file: without(c.after, [added for added in dropped if added.file == c.file]) for c in changes}


def find_needless(subject: Subject, outcome: Outcome, counts: Counter[str], pairs: int) -> Iterator[str]:
    """The annotations without which the result still verifies, alone or together with others."""
    written = [added for c in outcome.changes for added in find_added(c.file, c.before, c.after)]
    counts.update(added.kind for added in written)

    def is_needless(*dropped: Added) -> bool:
        counts["drops"] += 1
        return subject.verify(sources_without(outcome.changes, dropped)).ok

    alone = [added for added in written if is_needless(added)]
    yield from (f"not needed: {added}" for added in alone)
    for kind in dict.fromkeys(added.kind for added in written):
        of_kind = [added for added in written if added.kind == kind]
        if len(of_kind) > 1 and is_needless(*of_kind):
            yield f"not needed, all of the kind: {', '.join(map(str, of_kind))}"
    needed = [added for added in written if added not in alone]
    for pair in itertools.islice(itertools.combinations(needed, 2), pairs):
        if is_needless(*pair):
            yield f"not needed together: {pair[0]}, {pair[1]}"


# Soundness.


def find_silent(subject: Subject, counts: Counter[str]) -> Iterator[str]:
    """Make the calls that a run did not observe, and yield a line for each notable result: WRONG is a violation.

    No run observes the held-back calls. For each of the other calls, there is a run without it.
    """
    names = subject.call_names()
    examples = [name for name, held_back in names if not held_back]
    held_back = frozenset(name for name, held_back in names if held_back)
    runs = [held_back] if held_back else []
    runs += [held_back | {name} for name in examples] if len(examples) > 1 else []
    for unseen in runs:
        for ending, detail in _leave_out(subject, unseen):
            counts[ending] += 1
            if detail:
                yield f"{ending}: {detail} (without {', '.join(sorted(unseen))})"


def _leave_out(subject: Subject, unseen: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The result of each omitted call, with a detail to print, or ""."""
    try:
        outcome = subject.annotate_without(unseen)
    except PdtError as error:
        yield "not annotated", str(error)
        return
    if not outcome.verified:
        failure = next((verdict.failure for verdict in outcome.verdicts if not verdict.ok), None)
        yield "not verified", failure.message.partition("\n")[0] if failure else "?"
        return
    trial = subject.verify({change.file: change.after for change in outcome.changes})
    failures = {v.failure.call: v.failure for v in trial.verdicts if v.failure and not v.ok and not v.failure.alike}
    codes = sorted({finding.code for finding in outcome.findings})
    for name in sorted(unseen):
        failure = failures.get(name)
        if failure is None:
            yield "sound", ""
        elif failure.text:  # the error of the interpreter: the call raised
            yield "refused", ""
        else:
            yield ("wrong, but reported" if codes else WRONG), f"{name}: {' '.join((failure.message, *codes))}"


# The command line.


def measure(name: str, options: Options, pairs: int) -> int:
    """Measure one subject, print the results, and return the number of violations."""
    start, counts = time.perf_counter(), Counter[str]()
    with left_out.LeavingOut(TIMEOUT) as zygote:
        subject = Subject(options, zygote)
        try:
            outcome = subject.annotate()
        except PdtError as error:
            print(f"{name}: {error}", flush=True)
            return 1
        needless = list(find_needless(subject, outcome, counts, pairs)) if outcome.verified else []
        silent = list(find_silent(subject, counts))
    counted = ", ".join(f"{what} {count}" for what, count in counts.items())
    verified = "verified" if outcome.verified else "not verified"
    print(f"{name}: {verified}; {counted}; {time.perf_counter() - start:.0f} s")
    print("".join(f"  {line}\n" for line in (*needless, *silent)), end="", flush=True)
    return len(needless) + counts[WRONG]


def read_options(target: str, inputs: str, root: str) -> Options:
    targets = (parse(target),)
    return Options(
        targets=targets,
        spec=spec_source(inputs, ()),
        root=os.path.abspath(root) if root else find_root(targets),
        timeout=TIMEOUT,
    )


def measure_fixture(name: str, pairs: int) -> int:
    folder = FIXTURES / name
    (spec,) = folder.glob("spec.*")
    with contextlib.chdir(folder):
        return measure(name, read_options((folder / "target").read_text().strip(), spec.name, "."), pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="FIXTURE|TARGET", help="all fixtures if none")
    parser.add_argument("-i", "--inputs", default="", metavar="SPEC", help="example calls of a target")
    parser.add_argument("--root", default="", metavar="DIR", help="annotate only files in this directory")
    parser.add_argument("--pairs", type=int, default=30, metavar="N", help="maximum number of pairs (%(default)s)")
    options = parser.parse_args()
    # Forked children can import this folder's modules, write no bytecode, and hide the warnings of the subjects.
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    os.environ |= {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
    if options.inputs:
        found = [measure(t, read_options(t, options.inputs, options.root), options.pairs) for t in options.subjects]
    else:
        names = options.subjects or sorted(target.parent.name for target in FIXTURES.glob("*/target"))
        found = [measure_fixture(name, options.pairs) for name in names]
    print(f"{sum(found)} violations in {len(found)} subjects")
    return 1 if sum(found) else 0


if __name__ == "__main__":
    sys.exit(main())
