"""Specs: the example calls on which a target is run. One reader a format, found by the file's suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pdt_annotate.inputs.specs.args import parse_args
from pdt_annotate.inputs.specs.calls import check_binding, label
from pdt_annotate.inputs.specs.python_spec import NAMES, read_python
from pdt_annotate.inputs.specs.spec import RunSettings, Spec, seed_generators
from pdt_annotate.inputs.target import did_you_mean_file
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import SpecSource

__all__ = ["RunSettings", "Spec", "check_binding", "label", "read", "seed_generators"]


@dataclass(frozen=True)
class SpecFormat:
    """How a format is read, and how a spec in it gives calls, for the user whose spec gives none."""

    read: Callable[[str, str, object | None], Spec]
    hint: str


def _read_yaml(file: str, name: str, target_object: object | None) -> Spec:
    # Imported when needed: the schema library is slow to import, and a Python spec does without.
    from pdt_annotate.inputs.specs.yaml_spec import read_yaml  # noqa: PLC0415

    return read_yaml(file, name, target_object)


PYTHON = SpecFormat(read_python, f"define {', '.join(NAMES[:-1])} or {NAMES[-1]}, or pick another name with FILE:NAME")
YAML = SpecFormat(_read_yaml, "list example calls under `calls:`")
FORMATS = {".py": PYTHON, ".yaml": YAML, ".yml": YAML, ".json": YAML}


def read(source: SpecSource, target_object: object | None = None) -> Spec:
    """Read the example calls: those of the file, then the one that `--arg` texts make.

    Runs the user's code where the spec does.

    Args:
        target_object: the nn.Module class that is to be constructed, for formats that give only its arguments.

    Raises:
        SpecError: the spec cannot be read, or has no call.
        UserCodeError: code in the spec raised.
    """
    seed_generators(RunSettings().seed)
    spec = _read_file(source, target_object) if source.file else Spec()
    if source.args:
        spec = replace(spec, calls=(*spec.calls, parse_args(source.args)))
    if not spec.calls:
        raise _explain_no_call(source)
    return spec


def _read_file(source: SpecSource, target_object: object | None) -> Spec:
    path = Path(source.file)
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise SpecError(f"{source.file} is not a spec", hint=f"a spec's name ends in {', '.join(FORMATS)}")
    if not path.is_file():
        raise SpecError(f"there is no file {source.file}", hint=did_you_mean_file(source.file))
    return found.read(str(path), source.name, target_object)


def _explain_no_call(source: SpecSource) -> SpecError:
    if not source.file:
        return SpecError("there is no example call", hint="give a file of them with --inputs, or one call with --arg")
    hint = FORMATS[Path(source.file).suffix.lower()].hint
    return SpecError("the spec has no example call", file=source.file, hint=hint)
