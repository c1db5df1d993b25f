"""Refuses to write through a link out of where something is to be written. To be asked right before it is written."""

from __future__ import annotations

from collections.abc import Iterable

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import find_way_out, lies_in, named_from

REMOVE = "remove the link, or name another place"


def assert_within(files: Iterable[str], directory: str) -> None:
    """Make sure that all files lie in a directory, whatever links there are.

    Raises:
        UserError: one lies elsewhere.
    """
    for file in files:
        if not lies_in(file, directory):
            message = f"a link leads out of {named_from(directory)}, and nothing is written through it; {NOTHING}"
            raise UserError(message, file=file, hint=REMOVE)


NOTHING = "nothing was written"


def assert_led_by_no_link(file: str, root: str, option: str) -> None:
    """Make sure that a place which somebody named is not another one because of what lies in the project.

    Args:
        file: the place, inside the project or not.
        root: the project.
        option: who named it, for the message.

    Raises:
        UserError: a link in the project leads out of it.
    """
    link = find_way_out(file, root)
    if link:
        where = named_from(link)
        message = f"{option} cannot be written: the link {where} leads out of the project; {NOTHING}"
        raise UserError(message, file=file, hint=REMOVE)
