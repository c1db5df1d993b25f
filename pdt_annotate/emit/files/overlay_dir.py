"""`--overlay DIR`: the annotated copies of third-party modules, below a manifest of what they stand for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata

from pdt_annotate.emit.files.atomic import write_all
from pdt_annotate.emit.words import plural
from pdt_annotate.overlays import manifest
from pdt_annotate.overlays.manifest import ManifestEntry
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.outcome import Outcome, Overlaid

WRITTEN = (WriteBack.IN_PLACE, WriteBack.STUBS)
"""The other ways of writing back write nothing."""


def emit(outcome: Outcome, options: Options) -> str:
    """Write the copies, and the manifest last; an overlay that is there already is brought up to date.

    Returns:
        what was done, in a clause; "" where no overlay is asked for.

    Raises:
        UserError: a file cannot be written, or the directory holds something else. Every file is then as it was.
    """
    if not options.overlay:
        return ""
    files = plural(len(outcome.overlaid), "third-party file")
    if options.write_back not in WRITTEN:
        return f"{files} would be kept in {options.overlay}"
    manifest.assert_replaceable(options.overlay)
    write_all({os.path.join(options.overlay, path): content for path, content in contents(outcome, options.overlay)})
    return f"kept {files} in {options.overlay}"


def contents(outcome: Outcome, directory: str) -> Iterator[tuple[str, bytes]]:
    """The files of an overlay, by their path in it."""
    owners = metadata.packages_distributions() if outcome.overlaid else {}
    entries = {each.module: describe(each, owners) for each in outcome.overlaid}
    for each in outcome.overlaid:
        yield entries[each.module].path, each.change.after
    yield manifest.MANIFEST, manifest.dump((_still_valid(directory) | entries).values())


def describe(overlaid: Overlaid, owners: Mapping[str, list[str]]) -> ManifestEntry:
    """What the manifest says of one copy.

    Args:
        overlaid: the module and its change.
        owners: by top-level package, the names of the distributions that install something into it.
    """
    change, path = overlaid.change, manifest.copy_path(overlaid.module, overlaid.change.file)
    found = _distribution(owners.get(overlaid.module.partition(".")[0], ()), path)
    return ManifestEntry(
        module=overlaid.module,
        path=path,
        distribution=found.metadata["Name"] if found else "",
        version=found.version if found else "",
        original=manifest.digest(change.before),
        annotated=manifest.digest(change.after),
    )


def _distribution(names: Iterable[str], path: str) -> metadata.Distribution | None:
    """Of the distributions that share a package, the one that lists the file."""
    found = [metadata.distribution(name) for name in names]
    listing = (each for each in found if any(str(file) == path for file in each.files or ()))
    return next(listing, next(iter(found), None))


def _still_valid(directory: str) -> dict[str, ManifestEntry]:
    """The entries of an overlay but for those whose original is installed in another version by now."""
    if not os.path.exists(os.path.join(directory, manifest.MANIFEST)):
        return {}
    return {module: entry for module, entry in manifest.load(directory).items() if not _is_outdated(entry)}


def _is_outdated(entry: ManifestEntry) -> bool:
    installed = (os.path.join(base, entry.path) for base in sys.path)
    file = next(filter(os.path.isfile, installed), None)
    if file is None:
        return False
    with open(file, "rb") as stream:
        return manifest.digest(stream.read()) != entry.original
