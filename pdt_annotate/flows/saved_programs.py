"""A saved file: the judge that a rung of `save` needs, `verify` of a file, and its program in C++."""

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pdt_annotate import captures
from pdt_annotate.emit.words import on_calls
from pdt_annotate.flows.beyond_examples import with_further
from pdt_annotate.processes import tasks
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.capture_results import METADATA, Fate, JudgedFile, Rung, SaveAttempt, SavedModel
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.verdicts import NOTHING_FURTHER, Failure, Further, Trial

CALLS = "recorded calls"  # the name of the file with the calls, in the temporary directory


def judge(zygote: Zygote, file: str, calls: str, root: str) -> JudgedFile:
    session = tasks.open_session_of_file(zygote, file, calls, root)
    judged = tasks.judge_file(session)
    session.close()
    return judged


def why_not(attempt: SaveAttempt, judged: JudgedFile, further: Further) -> Failure | None:
    """Why a rung does not hold: the first call that the file cannot make, or answers otherwise."""
    if judged.failure:
        return judged.failure
    wrong = next((each for each in (*attempt.apart, *judged.calls) if each.fate is not Fate.SAME), None)
    if wrong:
        return Failure(f"{on_calls([wrong.call])}, {wrong.message}")
    return with_further(Trial(()), further).failure


def hash_sources(files: Iterable[str], root: str) -> dict[str, str]:
    """The SHA-256 of each source file of the project, by its path from the root."""
    return {os.path.relpath(file, root): hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in sorted(files)}


def verify_file(options: Options, zygote: Zygote, file: str, folder: str, progress: Progress) -> SavedModel:
    """Compare a saved file with the target of the options, which its metadata names, on the calls of the options."""
    metadata, target = read_metadata(file), options.targets[0]
    progress("importing torch and your code")
    session = tasks.open_session(options, zygote, target, first=True)
    calls = os.path.join(folder, CALLS)
    passing, traced = str(metadata["passing"]), bool(metadata["traced"])
    apart = tasks.record_calls(session, passing, calls, traced=traced)
    progress("running the file")
    judged = judge(zygote, file, calls, options.root)
    why = why_not(SaveAttempt(apart=apart), judged, NOTHING_FURTHER)
    hashes = hash_sources(tasks.loaded_files(session).values(), options.root)
    known = metadata["sources"]
    changed = [path for path, digest in hashes.items() if isinstance(known, dict) and known.get(path) != digest]
    notes = [f"source files that have changed since the file was saved: {', '.join(changed)}"] if changed else []
    rung = Rung(str(metadata["way"]), why.message if why else "")
    return SavedModel(target, "" if why else file, (rung,), judged.calls, notes=tuple(notes))


def read_metadata(file: str) -> Mapping[str, object]:
    """The metadata of a file that `save` wrote; raises `UserError` for any other file."""
    try:
        with zipfile.ZipFile(file) as archive:
            name = next(each for each in archive.namelist() if each.endswith(f"/{METADATA}"))
            found: Mapping[str, object] = json.loads(archive.read(name))
            return found
    except OSError as error:
        raise UserError(f"cannot read the file: {error.strerror}", file=file) from None
    except (zipfile.BadZipFile, StopIteration, ValueError) as error:
        hint = f"its archive has no entry {METADATA}" if isinstance(error, StopIteration) else str(error)
        raise UserError("this is not a file that `pdt-annotate save` wrote", file=file, hint=hint) from None


def runner_files(saved: SavedModel, folder: str) -> Iterator[tuple[str, Path]]:
    """The name and the content of each file of a C++ program that makes the example calls of a saved file."""
    written = Path(captures.__file__).with_name("templates")
    yield from ((each.name, each) for each in sorted(written.iterdir()))
    yield os.path.basename(saved.file), Path(saved.file)
    yield "calls.pt", Path(folder, CALLS)
