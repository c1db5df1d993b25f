"""`pdt-annotate clean`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pdt_annotate.cache import store
from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.saying import say
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import named_from

LEFT = "{} is of an older pdt-annotate, or came with the project: nothing reads it any more, and you may remove it"


@main_group.command()
def clean() -> int:
    """Remove the cache of the project, so that every target runs again."""
    here = os.getcwd()
    root = store.find_root(here) or here
    try:
        removed = store.clean(root)
    except OSError as error:
        raise UserError(f"cannot remove the cache: {error.strerror}", file=error.filename or root) from error
    say(f"removed {removed}" if removed else "there is no cache")
    for former in _former(here):
        say(LEFT.format(named_from(former)))
    return EXIT_DONE


def _former(start: str) -> Iterator[str]:
    """Where older versions may have kept it, from a directory upwards; it is named, and neither read nor removed."""
    places = (str(folder / store.FORMER) for folder in (Path(start), *Path(start).parents))
    return filter(os.path.lexists, places)
