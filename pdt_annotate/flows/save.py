"""`save`: writes a file that runs without Python, by the soundest way that answers as the model does on all calls.

Each way is a rung of a ladder. A rung holds if a process without the project loads its file, and the file answers all
calls right. A trace keeps values of the call that it recorded; its file needs the user's consent, or a call of other
sizes and values that it answers right.
"""

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pdt_annotate.captures.table import BY_NAME, EXPORTER
from pdt_annotate.emit.words import at_place, plural
from pdt_annotate.findings.messages.capture_refusals import refusal
from pdt_annotate.flows.annotate import annotate
from pdt_annotate.flows.beyond_examples import meanwhile, review_further, seconds_to_probe
from pdt_annotate.flows.from_files import FilesRun
from pdt_annotate.flows.observe import import_ahead, read_project
from pdt_annotate.flows.saved_programs import CALLS, hash_sources, judge, why_not
from pdt_annotate.flows.trace_mend import mend_trace
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import ATOM, spell
from pdt_annotate.mends.mended import Mended
from pdt_annotate.mends.moves.guard import eager_checks
from pdt_annotate.processes import tasks
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.moves import moves_of, trace
from pdt_annotate.values.budget import ALLOWANCES, Progress
from pdt_annotate.values.capture_results import Baked, Fate, JudgedFile, Rung, SaveAttempt, SavedModel, SaveRequest
from pdt_annotate.values.errors import UserCodeError, UserError
from pdt_annotate.values.mends import Mend, MendLevel
from pdt_annotate.values.outcome import NOTHING_RENDERED, FileChange, Outcome, sources_of
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import NOTHING_FURTHER, Failure
from pdt_annotate.values.version import __version__

TRACES = (("trace", "traced"), ("trace-adapted", "traced, with nested arguments and results"))
MIXED = "traced, with the parts that branch scripted"
COMPILED = "traced, with what decides by values in compiled functions"
EXPORTS = (
    ("export-dynamic", "exported, with dynamic sizes where the model allows them"),
    ("export", "exported, with the sizes of the first call"),
)
BAKED = "baked"  # the word of `--allow`
LISTED = 3  # baked-in values that one line names


def save(options: Options, zygote: Zygote, folder: str, progress: Progress = lambda text: None) -> SavedModel:
    """Save the only target in a directory, under the base name of the output; return the file with its proof.

    Without `file` in the result, no rung holds, and its rungs say why.
    """
    return next(filter(None, _Ladder(options, zygote, folder, progress).climb()))


@dataclass
class _Ladder:
    options: Options
    zygote: Zygote
    folder: str
    progress: Progress
    rungs: list[Rung] = field(default_factory=list)
    hashes: Mapping[str, str] = field(default_factory=dict)
    partial: Sequence[FileChange] = ()  # the changes with which parts of the target script, if the whole does not
    failed_at: Place = NO_PLACE  # the place of the last failure, in the changed files
    needs_consent: bool = False  # a file was right and needs the user's consent

    def climb(self) -> Iterator[SavedModel | None]:
        """Try one rung after the other, the soundest first; yield the file of each that holds, and at last no file."""
        options, target = self.options, self.options.targets[0]
        is_export = options.output.endswith(".pt2")
        self.progress("importing torch and your code")
        import_ahead(options, self.zygote, *([EXPORTER] if is_export else []))
        session = tasks.open_session(options, self.zygote, target, first=True, with_libraries=True)
        self.hashes = hash_sources(tasks.loaded_files(session).values(), options.root)
        if is_export:
            for way, title in EXPORTS:
                yield self._try(title, session, way)
            yield from self._changed(session)
        else:
            yield self._try("scripted without changes", session, "script")
            if not options.types_third_party:  # otherwise libraries may change
                self.zygote.import_libraries(tasks.library_modules(session))
            yield self._annotated()
            if "script" not in options.require:
                yield from self._traced(session)
        yield SavedModel(target, "", tuple(self.rungs))

    def _changed(self, session: Session) -> Iterator[SavedModel | None]:
        """Export the target with changes of code where values of tensors stop torch.export."""
        mended = Mended(read_project(self.options, [session]))
        for _ in range(ALLOWANCES["exports"].steps):
            project, place = mended.project, self.failed_at
            function = project.function_at(place.file, place.line)
            failure = Failure(self.rungs[-1].lacks, place=place)
            site = ExportSite(function, project, failure=failure) if function else None
            more = mended.add(site.changes(), project) if site else mended
            if more.sources == mended.sources:
                return
            mended = more
            changes = mended.on_disk(NOTHING_RENDERED).changes
            title = f"{EXPORTS[0][1]}, with {plural(len(mended.mends), 'change')} of code"
            yield self._try(title, self._open(changes), EXPORTS[0][0], changes=changes, mends=mended.mends)

    def _traced(self, session: Session, outcome: Outcome | None = None) -> Iterator[SavedModel | None]:
        """Trace the target, perhaps with changes of code in the session's sources (`outcome`).

        Before that, try to script the modules that decide by values.
        """
        changes, mends = (outcome.changes, outcome.mends) if outcome else ((), ())
        suffix = f", with {plural(len(mends), 'change')} of code" if mends else ""
        mixes, decides, drawn = not outcome, False, not self.options.no_probe
        for way, title in TRACES:
            self.progress("looking for values that a trace would bake in")
            baking = tasks.find_baked(session, adapted=way == "trace-adapted", drawn=drawn, saved=True)
            if baking.failure:
                self._fails(title + suffix, baking.failure.message, baking.failure.place, changes)
                continue
            baked = tuple({each.place: each for each in reversed(baking.baked)}.values())[::-1]
            decides = decides or bool(baked)
            if baked and mixes:
                mixes = False
                parts = self._open(self.partial, with_libraries=False) if self.partial else session
                yield self._try(MIXED, parts, "trace-mixed", changes=self.partial)
            baked = trace(baked, moves_of(changes))
            yield self._try(title + suffix, session, way, baked=baked, changes=changes, mends=mends)
            if self.needs_consent:
                break
        if decides and not outcome:
            yield from self._compiled_in_traces()

    def _compiled_in_traces(self) -> Iterator[SavedModel | None]:
        """Trace the target with changes of code that put what decides by values into compiled functions."""
        options = replace(self.options, write_back=WriteBack.DIFF, output="")
        seconds = ALLOWANCES["trace mends of a file"].of(options.budget)
        try:
            outcome = mend_trace(options, self.zygote, options.targets[0], self.progress, seconds, saved=True)
        except UserError as error:
            self._fails(COMPILED, error.message, error.place)
            return
        if not outcome.changes:
            for why in outcome.findings[:1]:
                self._fails(COMPILED, why.message, why.place)
            return
        yield from self._traced(self._open(outcome.changes), outcome)

    def _annotated(self) -> SavedModel | None:
        """Script the target with annotations and changes of code, which stay in memory."""
        write_back, mend = WriteBack.DIFF, MendLevel.ALL
        seconds = ALLOWANCES["mends of a file"].of(self.options.budget)
        options = replace(self.options, write_back=write_back, mend=mend, write_partial=True, output="", budget=seconds)
        title = "scripted with annotations and changes of code"
        try:
            run = FilesRun(options=options, progress=self.progress, zygote=self.zygote, trims=False, advises=False)
            outcome = annotate(run)
        except UserError as error:  # annotating has more requirements than saving
            self._fails(title, error.message, error.place)
            return None
        failure, changes = outcome.failure, outcome.all_changes
        if not outcome.verified and failure:
            self.partial = changes
            self._fails(title, refusal(failure), failure.place)
            return None
        if not changes:  # the source verifies, so the rung above has failed for a reason that no change of it mends
            return None
        made = [plural(len(outcome.annotations), "annotation")] if outcome.annotations else []
        if outcome.mends:
            kinds = " and ".join(dict.fromkeys(mend.kind.value for mend in outcome.mends))
            made.append(f"{plural(len(outcome.mends), f'{kinds} change')} of code")
        title = f"scripted with {' and '.join(made)}"
        return self._try(title, self._open(changes), "script", changes=changes, mends=outcome.mends)

    def _open(self, changes: Iterable[FileChange], *, with_libraries: bool = True) -> Session:
        """A session with the target over changed sources."""
        options, sources = replace(self.options, output=""), sources_of(changes)
        return tasks.open_session(options, self.zygote, options.targets[0], sources, with_libraries=with_libraries)

    def _try(
        self,
        title: str,
        session: Session,
        way: str,
        *,
        baked: tuple[Baked, ...] = (),
        changes: Sequence[FileChange] = (),
        mends: tuple[Mend, ...] = (),
    ) -> SavedModel | None:
        """Save the program that a way makes, load it without the project, and compare it on all calls."""
        options = self.options
        self.progress(f"saving it {title}")
        file, calls = (os.path.join(self.folder, name) for name in (os.path.basename(options.output), CALLS))
        known = {"way": title, "sources": self.hashes, "baked": [at_place(each.place, each.message) for each in baked]}
        tried = [{"way": rung.title, "lacks": rung.lacks} for rung in self.rungs]
        metadata = {"pdt-annotate": __version__, "target": options.targets[0].text, **known, "tried": tried}
        request = SaveRequest(file, calls, options.method, options.freeze, options.optimize, metadata)
        try:
            attempt = tasks.save_program(session, BY_NAME[way], request)
            if attempt.failure:
                self._fails(title, attempt.failure.message, attempt.failure.place, changes)
                return None
            if attempt.absent:
                return None
            self.progress(f"proving it: {title}")
            with meanwhile(partial(judge, self.zygote, file, calls, options.root)) as judged_file:
                # Annotated sources were tried on drawn calls while they were verified.
                is_new = way == "script" and not changes
                drawn = partial(tasks.look_further, session, Candidate(), seconds_to_probe(options))
                further = drawn() if is_new else NOTHING_FURTHER
                judged = judged_file()
        except UserCodeError as error:  # it crashed, or took too long
            self._fails(title, error.message, error.place)
            return None
        why = why_not(attempt, judged, further) or self._consent(attempt, judged, baked)
        if why:
            self._fails(title, why.message, why.place)
            return None
        self.rungs.append(Rung(title))
        findings = (*trace(attempt.findings, moves_of(changes)), *review_further(further))
        needs = tuple(f"import {name} before you load the file, which uses its operators" for name in judged.libraries)
        without = "run it with gradients off (torch.no_grad(), torch::NoGradGuard); otherwise "
        notes = (*attempt.notes, *needs, *([without + judged.with_gradients] if judged.with_gradients else []))
        return SavedModel(options.targets[0], file, tuple(self.rungs), judged.calls, baked, findings, mends, notes)

    def _consent(self, attempt: SaveAttempt, judged: JudgedFile, baked: Sequence[Baked]) -> Failure | None:
        """Why a program that keeps values of its call needs the user's consent; None if it does not, or has it."""
        if not baked or BAKED in self.options.allow:
            return None
        right = (call.call for call in judged.calls if call.fate is Fate.SAME and not call.made_from)
        seen = {respect for name in right for respect in attempt.varied.get(name, ())}
        missing = [respect for respect in attempt.respects if respect not in seen]
        if not missing:
            return None
        kept = ", ".join(at_place(each.place, each.message) for each in baked[:LISTED])
        kept += f", and {len(baked) - LISTED} more" if len(baked) > LISTED else ""
        self.needs_consent = True
        calls = f"add a held-back call with other {' and '.join(missing)}, which the trace must pass"
        return Failure(f"it keeps values of the traced call: {kept}; `--allow {BAKED}` saves it anyway, or {calls}")

    def _fails(self, title: str, why: str, place: Place = NO_PLACE, changes: Sequence[FileChange] = ()) -> None:
        self.failed_at = place
        self.rungs.append(trace(Rung(title, why, place), moves_of(changes)))


class ExportSite(FunctionContext):
    """A function in which torch.export stops; its checks are left out of an export, and not of a scripted model."""

    def spell(self, dotted: str) -> str:
        return super().spell("torch.compiler.is_exporting" if dotted == IS_SCRIPTING else dotted)

    def changes(self) -> list[Mend]:
        """Leave out a statement that only checks values; if there is none, write `t.item()` for `int(t)`."""
        return list(eager_checks.RULE.find(self)) or list(self._items())

    def _items(self) -> Iterator[Mend]:
        """Python's `int` needs a known value, and `item` does not."""
        for call in (node for each in self.failing for node in ast.walk(each) if is_call(node, "int")):
            if len(call.args) == 1:
                item = f"{spell(self, call.args[0]).at_least(ATOM)}.item()"
                summary = f"write `{self.source(call)}` as `{item}`"
                yield replace(self.mend(call, summary, [self.replace(call, item)]), rewrite="items")
