"""The values of settings → the Options of one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from pdt_annotate.inputs.spec_source import spec_source
from pdt_annotate.settings.options import TARGET_HINT, Color, Options, OutputFormat, Returns, ThirdParty, WriteBack
from pdt_annotate.values.errors import TargetError, UserError
from pdt_annotate.values.runs import SpecSource, Target

ENUMS: Mapping[str, Callable[[Any], Any]] = {
    "returns": Returns,
    "third_party": ThirdParty,
    "output_format": OutputFormat,
    "color": Color,
}
FIELDS = frozenset(field.name for field in fields(Options))
MADE = frozenset({"root", "stubs"})
"""Fields of the name of a setting, to which more belongs than its value."""

MODES = {"diff": WriteBack.DIFF, "check": WriteBack.CHECK, "stubs": WriteBack.STUBS}


def make_options(targets: Sequence[Target], values: Mapping[str, Any], root: str) -> Options:
    """The options of one run.

    Args:
        targets: what to run; only beside a profile may there be none.
        values: the settings by name; one that is missing is its default.
        root: the root where none is set.

    Raises:
        UserError: the values do not go together, or what they name is not there.
    """
    inputs, args, profiles = values.get("inputs", ""), values.get("arg", ()), values.get("profile", ())
    runs_nothing = bool(profiles) and not inputs and not args
    if not targets and not runs_nothing:
        raise TargetError("no target", hint=TARGET_HINT)
    by_field = {name.replace("-", "_"): value for name, value in values.items()}
    plain = {name: ENUMS.get(name, _same)(by_field[name]) for name in by_field.keys() & FIELDS - MADE}
    return Options(
        targets=tuple(targets),
        spec=SpecSource() if runs_nothing else spec_source(inputs, args),
        root=os.path.abspath(values.get("root") or root),
        write_back=choose_write_back(values),
        stubs=values.get("stubs", ""),
        profiles=profiles,
        verbosity=values.get("verbose", 0) - values.get("quiet", 0),
        **plain,
    )


def choose_write_back(values: Mapping[str, object]) -> WriteBack:
    """Where the result goes.

    Raises:
        UserError: to several places.
    """
    given = [name for name in MODES if values.get(name)]
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name in given)
        raise UserError(f"{names} exclude each other", hint="choose one of them")
    return MODES[given[0]] if given else WriteBack.IN_PLACE


def _same(value: Any) -> Any:
    return value
