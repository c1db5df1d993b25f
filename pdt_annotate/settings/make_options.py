"""The options of one run, from values by option name; the default root; and versions."""

import enum
import os
import platform
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pdt_annotate.inputs.target import spec_source
from pdt_annotate.settings.options import TARGET_HINT, Options, WriteBack
from pdt_annotate.source.identifiers import import_folder
from pdt_annotate.values.errors import TargetError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.paths import lies_in, projects_above
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.version import __version__

PACKAGES = ("torch", "libcst", "MonkeyType")


def make_options(targets: Sequence[Target], start: str, config_file: str = "", **values: Any) -> Options:
    """Return the options of one run from values by option name.

    `start` is the root if the values have none. A missing value is the default; a value that no run uses is ignored.
    Raises a `UserError` if the values contradict each other, or name something that is missing.
    """
    inputs, args, profiles = values.get("inputs", ""), values.get("arg", ()), values.get("profile", ())
    runs_nothing = bool(profiles) and not inputs and not args
    if not targets and not runs_nothing:
        raise TargetError("no target", hint=TARGET_HINT)
    # If nothing is run, the other Python is not started to describe itself: a stranger's branch may have named it.
    if runs_nothing:
        values["python"] = ""
    given = [each for each in WriteBack if values.get(each.option)]
    if len(given) > 1:
        names = " and ".join(f"--{each.option}" for each in given)
        raise UserError(f"{names} exclude each other", hint="choose one of them")
    # Only commands that may write have the option for a diff.
    write_back = given[0] if given else WriteBack.IN_PLACE if WriteBack.DIFF.option in values else WriteBack.NOTHING
    made = {
        "targets": tuple(targets),
        "spec": SpecSource() if runs_nothing else spec_source(inputs, args, *(target.text for target in targets[:1])),
        "root": os.path.abspath(values.get("root") or start),
        "write_back": write_back,
        "config": config_file,
        "profiles": profiles,
        "mend": MendLevel(values["mend"]) if values.get("mend") else None,
        "verbosity": values.get("verbose", 0) - values.get("quiet", 0),
    }
    for each in fields(Options):
        if each.name in values and each.name not in made:
            value = values[each.name]
            made[each.name] = type(each.default)(value) if isinstance(each.default, enum.Enum) else value
    return Options(**made)


def find_root(targets: Sequence[Target]) -> str:
    """Return the nearest project root, upwards from the first target's file or from the working directory.

    Without one: the working directory; for a file that is not below it, the directory that holds its package.
    """
    named = next((os.path.abspath(target.file) for target in targets if target.file), "")
    file = os.path.realpath(named) if named else ""
    here = _marked(Path.cwd()) or Path.cwd()
    own = _marked(Path(named).parent) if named else None
    for project in filter(None, (here if Path(named).is_relative_to(here) else None, own)):
        if named and not lies_in(file, str(project)):  # a link leads out of it, which does not change the project
            return os.path.realpath(project)
    start = Path(file).parent if file else Path.cwd()
    outside = bool(file) and not start.is_relative_to(Path.cwd())
    return str(_marked(start) or (import_folder(file) if outside else Path.cwd()))


def _marked(start: Path) -> Path | None:
    return next(map(Path, projects_above(str(start))), None)


def versions(python: str = "") -> dict[str, str]:
    """Return the versions of the tool, its packages and Python by name; "" for a package that is not installed.

    If `python` runs models, it decides the versions of Python and torch.
    """
    from importlib import metadata  # noqa: PLC0415 - most commands show no versions

    from pdt_annotate.interpreters.interpreter import find_interpreter  # noqa: PLC0415

    def version_of(package: str, **where: Any) -> str:
        return next((each.version for each in metadata.distributions(name=package, **where)), "")

    if python:
        interpreter = find_interpreter(python)
        torch, number = version_of("torch", path=[*interpreter.path]), ".".join(map(str, interpreter.version))
    else:
        torch, number = version_of("torch"), platform.python_version()
    packages = {name: version_of(name) for name in PACKAGES}
    return {"pdt-annotate": __version__, **packages, "torch": torch, "Python": number}
