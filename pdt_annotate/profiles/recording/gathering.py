"""What the processes of a program leave, from the directory where they put it to one profile."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate import profiles
from pdt_annotate.interpreters.interpreter import places_of
from pdt_annotate.profiles.profile import Profile, sum_up
from pdt_annotate.profiles.recording.order import PREFIX, Order
from pdt_annotate.profiles.unseen import list_unseen
from pdt_annotate.values.errors import UserError

STARTUP = str(Path(__file__).resolve().parent / "startup")
PARTS = ".parts"
"""What the directory of a profile's parts has after the profile's name."""

LENT_TO_PROGRAMS = ("monkeytype", "mypy_extensions")
"""What the recorder imports."""


@dataclass(frozen=True)
class Gathering:
    """The recording of one program, whose processes are given the order."""

    order: Order

    @classmethod
    def make(cls, label: str, root: str, file: str) -> Gathering:
        """A new one.

        Args:
            label: what runs, for people.
            root: functions in files below it are observed (absolute).
            file: the profile; its parts are in a directory beside it meanwhile.

        Raises:
            UserError: the profile would replace something else.
        """
        profiles.check_replaceable(file)
        return cls(Order(root, os.path.abspath(file + PARTS), uuid.uuid4().hex[:8], label, find_packages()))

    @contextlib.contextmanager
    def parts(self) -> Iterator[Order]:
        """The directory of the parts. Those of this program are removed once they are merged; others are left.

        Raises:
            UserError: it cannot be made.
        """
        order = self.order
        try:
            os.makedirs(order.parts, exist_ok=True)
        except OSError as error:
            message = f"cannot make a directory beside the profile: {error.strerror}"
            raise UserError(message, file=order.parts) from error
        try:
            yield order
            for pattern in (f"{order.session}-*", f".{order.session}-*"):
                for part in Path(order.parts).glob(pattern):
                    part.unlink(missing_ok=True)
        finally:
            with contextlib.suppress(OSError):  # others are in it
                os.rmdir(order.parts)

    def gather(self, file: str) -> tuple[Profile, int]:
        """Merge the parts and save them, if there are any; the profile, and how many processes observed something.

        Raises:
            UserError: it cannot be saved.
        """
        parts = sorted(Path(self.order.parts).glob(f"{self.order.session}-*.sqlite"))
        profile = join_processes(profiles.load([str(part) for part in parts]), self.order)
        if parts:
            self._save(file, profile)
        return profile, len(parts)

    def _save(self, file: str, profile: Profile) -> None:
        try:
            profiles.save(file, profile)
        except UserError as error:
            hint = f"what was observed is in {self.order.parts}: give that to --profile"
            raise UserError(error.message, file=error.file, hint=hint) from error


def join_processes(profile: Profile, order: Order) -> Profile:
    """One recording of all processes, so that the profile does not grow with their number."""
    if not profile.recordings:
        return profile
    return list_unseen(Profile((sum_up(profile, uuid.uuid4().hex, order.label),)), order.root)


def find_packages() -> str:
    """Where the packages are that a Python which lacks them is lent: of each its name and directory."""
    pairs = places_of(("pdt_annotate", *LENT_TO_PROGRAMS)).items()
    return os.pathsep.join(f"{name}={place}" for name, place in pairs)


def environment(order: Order, present: Mapping[str, str]) -> dict[str, str]:
    """The variables by which every Python process below the program is observed."""
    return {**lending(present), **order.variables()}


def lending(present: Mapping[str, str]) -> dict[str, str]:
    """The variables by which a Python is lent our package, where it needs that."""
    path = os.pathsep.join(filter(None, (STARTUP, present.get("PYTHONPATH"))))
    return {"PYTHONPATH": path, f"{PREFIX}PACKAGES": find_packages()}
