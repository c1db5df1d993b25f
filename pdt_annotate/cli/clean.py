"""`pdt-annotate clean`."""

from __future__ import annotations

import os

from pdt_annotate.cache import store
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.saying import say
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE


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
    return EXIT_DONE
