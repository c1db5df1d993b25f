"""Sets aside findings that the user asked to ignore: by comments, by settings, and by the baseline.

It does so for findings only. A run fails by a verdict, a fault, or a missing annotation, and none of these goes away.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch

from pdt_annotate.findings.catalogue import entries
from pdt_annotate.flows import baseline
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.settings.options import Options
from pdt_annotate.source.comments import IgnoreComment
from pdt_annotate.source.definitions import Class
from pdt_annotate.source.module import Module, modules_of
from pdt_annotate.values.outcome import Ignored, IgnoredBy, Outcome
from pdt_annotate.values.slots import NO_PLACE, Finding, Owner, Place

CODE = "PDT079"


@dataclass(frozen=True)
class IgnoreRequest:
    """A request to ignore findings, by a prefix of their code or by fingerprint; its source and its place."""

    selector: str
    kind: IgnoredBy
    by: str
    place: Place = NO_PLACE


def set_aside(found: Sequence[tuple[Options, Outcome]], *, whole: bool) -> list[Outcome]:
    """Return the outcomes of one command without ignored findings; the first also reports requests without effect.

    `whole`: no configured target was left out, so a request without effect here has none at all.
    """
    used: set[IgnoreRequest] = set()
    outcomes = [_set_aside(options, outcome, used) for options, outcome in found]
    if not whole or not all(outcome.reviewed for outcome in outcomes):
        return outcomes
    unused: dict[Finding, None] = {}
    for options, outcome in found:
        unused |= dict.fromkeys(_unused(options, outcome, used))
    left = tuple(each for each in unused if not any(_matching(each, _of_settings(found[0][0], each.place.file))))
    return [replace(outcomes[0], findings=(*outcomes[0].findings, *left)), *outcomes[1:]]


def _set_aside(options: Options, outcome: Outcome, used: set[IgnoreRequest]) -> Outcome:
    modules = modules_of({change.file: change.before for change in outcome.all_changes})

    def ask(finding: Finding) -> list[IgnoreRequest]:
        file, line = finding.place.file, finding.place.line
        found = modules(file) if file else None
        comments = [each for each in found.comments.ignores if each.line == line] if found else []
        in_source = (request for comment in comments for request in _of_comment(comment, file))
        return list(_matching(finding, (*in_source, *_of_settings(options, file))))

    outcome = _without(outcome, {finding: ask(finding) for finding in outcome.findings}, used)
    if not options.baseline or options.update_baseline:
        return outcome
    known = {each.fingerprint: _of_entry(options, each) for each in baseline.read(options.baseline)}
    now = {each: mark.fingerprint for each, mark in baseline.know(options.baseline, outcome).items()}
    return _without(outcome, {each: [known[mark]] for each, mark in now.items() if mark in known}, used)


def _without(outcome: Outcome, asked: dict[Finding, list[IgnoreRequest]], used: set[IgnoreRequest]) -> Outcome:
    for requests in asked.values():
        used.update(requests)
    ignored = (Ignored(each, asked[each][0].kind, asked[each][0].by) for each in outcome.findings if asked.get(each))
    findings = tuple(each for each in outcome.findings if not asked.get(each))
    outdated = outcome.outdated.among(findings) if outcome.outdated else None
    return replace(outcome, findings=findings, outdated=outdated, ignored=(*outcome.ignored, *ignored))


def _matching(finding: Finding, requests: Iterable[IgnoreRequest]) -> Iterator[IgnoreRequest]:
    return (request for request in requests if finding.code.startswith(request.selector))


def _of_comment(ignore: IgnoreComment, file: str) -> Iterator[IgnoreRequest]:
    for selector in ignore.selectors:
        text = f"# pdt: ignore[{selector}]" if selector else "# pdt: ignore"
        place = Place(file, ignore.comment.line, ignore.comment.column)
        yield IgnoreRequest(selector, IgnoredBy.IN_SOURCE, text, place)


def _of_settings(options: Options, file: str | None = None) -> Iterator[IgnoreRequest]:
    """Yield the requests of the settings; those for a file only, if one is named, "" for a finding without a place."""
    yield from (IgnoreRequest(each, IgnoredBy.EXTERNAL, f"ignore = {each}") for each in options.ignore)
    for text in options.per_file_ignores:
        pattern, _, selector = text.rpartition(":")
        if file is None or (file and is_in(file, pattern)):
            yield IgnoreRequest(selector, IgnoredBy.EXTERNAL, f"per-file-ignores: {pattern} = {selector}")


def _of_entry(options: Options, known: baseline.KnownFinding) -> IgnoreRequest:
    by = f"baseline: {os.path.basename(options.baseline)}"
    return IgnoreRequest(known.fingerprint, IgnoredBy.EXTERNAL, by, Place(os.path.abspath(options.baseline)))


def is_in(file: str, pattern: str) -> bool:
    """Return whether a pattern matches a file: its name if the pattern has no slash, otherwise its path or a parent's.

    >>> is_in("/project/tests/a/test_net.py", "test_*.py"), is_in("/project/tests/a/test_net.py", "/project/tests")
    (True, True)
    """
    if "/" not in pattern and os.sep not in pattern:
        return fnmatch(os.path.basename(file), pattern)
    path = os.path.abspath(pattern)
    forms = (path, path.replace(f"**{os.sep}", ""))
    names = (os.path.abspath(file), os.path.realpath(file))
    return any(fnmatch(name, form) or fnmatch(name, os.path.join(form, "*")) for form in forms for name in names)


def _unused(options: Options, outcome: Outcome, used: set[IgnoreRequest]) -> Iterator[Finding]:
    """Yield requests without effect: comments in reviewed functions, settings, and entries of the baseline."""
    modules = modules_of({change.file: change.before for change in outcome.all_changes})
    for file in sorted({owner.file for owner in outcome.reviewed}):
        found = modules(file)
        for ignore in found.comments.ignores if found else ():
            if found and _is_reviewed(ignore.line, found, outcome.reviewed):
                unused = (each for each in _of_comment(ignore, file) if each not in used)
                yield from (Finding(CODE, _say(each), each.place) for each in unused)
    asked = (each for each in _of_settings(options) if each not in used)
    yield from (Finding(CODE, f"`{each.by}` matches no finding") for each in asked)
    if not options.baseline or options.update_baseline:
        return
    read = baseline.files_of(options.baseline, outcome)
    known = (each for each in baseline.read(options.baseline) if each.file in read)
    gone = sum(_of_entry(options, each) not in used for each in known)
    if gone:
        said = "1 finding of the baseline does" if gone == 1 else f"{gone} findings of the baseline do"
        yield Finding(CODE, f"{said} not occur any more", Place(os.path.abspath(options.baseline)))


def _is_reviewed(line: int, found: Module, reviewed: Iterable[Owner]) -> bool:
    """Return whether the run looked for findings in a line. Those in a constructor are about its class."""
    function = found.function_at(line)
    if function is not None and not function.owner.qualname.endswith(".__init__"):
        return function.owner in reviewed
    around = [each.owner.qualname for each in found.around(line) if isinstance(each, Class)]
    return not around or any(owner.qualname.startswith(f"{around[-1]}.") for owner in reviewed)


def _say(request: IgnoreRequest) -> str:
    said = f"`{request.by}` matches no finding"
    if any(code.startswith(request.selector) for code in entries()):
        return said
    near = did_you_mean(request.selector, entries(), most=1)
    return f"{said}: no code begins with it" + (f"; {near}" if near else "")
