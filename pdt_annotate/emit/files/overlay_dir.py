"""`--overlay DIR`: the annotated copies of third-party modules, with a manifest of their originals."""

import os
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from pdt_annotate.emit.files import assert_within
from pdt_annotate.emit.words import plural
from pdt_annotate.overlays import manifest
from pdt_annotate.overlays.manifest import ManifestEntry
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.writes.transaction import write_files


def emit(outcome: Outcome, options: Options) -> str:
    """Write the copies and the manifest, and report that; or raise UserError, with every file as it was."""
    if not options.overlay:
        return ""
    files = plural(len(outcome.overlaid), "third-party file")
    if not options.write_back.value.writes:
        return f"copies of {files} would be written to {options.overlay}"
    manifest.assert_replaceable(options.overlay)
    copies = contents(outcome, options.overlay, options.interpreter.path)
    written = {os.path.join(options.overlay, path): content for path, content in copies}
    assert_within(written, options.overlay)
    write_files(written)
    return f"wrote copies of {files} to {options.overlay}"


def contents(outcome: Outcome, directory: str, path: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The files of an overlay by their path in it; `path` is the import path of the Python that will use it."""
    there = os.path.exists(os.path.join(directory, manifest.MANIFEST))
    entries = dict(manifest.load(directory)) if there else {}
    for module, entry in list(entries.items()):
        file = next(filter(Path.is_file, (Path(base, entry.path) for base in path)), None)
        if file and manifest.digest(file.read_bytes()) != entry.original:
            del entries[module]  # by now another version of the original is installed
    for each in outcome.overlaid:
        change, place = each.change, manifest.copy_path(each.module, each.change.file)
        # The distribution that lists the file, of several that share a package.
        package = place.partition("/")[0].removesuffix(".py")
        sharing = []
        for found in metadata.distributions(path=list(path)):
            declared = found.read_text("top_level.txt")
            installed = (file.parts[0].removesuffix(".py") for file in found.files or ())
            if package in (installed if declared is None else declared.split()):
                sharing.append(found)
        listing = (found for found in sharing if any(str(listed) == place for listed in found.files or ()))
        distribution = next(listing, next(iter(sharing), None))
        name, version = (distribution.metadata["Name"], distribution.version) if distribution else ("", "")
        digests = manifest.digest(change.before), manifest.digest(change.after)
        entries[each.module] = ManifestEntry(each.module, place, name, version, *digests)
        yield place, change.after
    yield manifest.MANIFEST, manifest.dump(entries.values())
