"""`save`: a file of the model that runs without Python."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import TARGETS, options_of
from pdt_annotate.cli.run_options import load_named
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import STDOUT, Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_UNVERIFIED

TAKEN = {"allow": ("baked",), "require": ("script",)}  # the words that `save` takes for an option


@main_group.command(
    short_help="Save a TARGET as a file that runs without Python.", params=[TARGETS, *options_of("save")]
)
def save(targets: tuple[str, ...], **_: Any) -> int:
    """Save a TARGET as a file that runs without Python: -o net.pt (TorchScript) or -o net.pt2 (torch.export).

    Scripting is tried first: with the source as it is, then with annotations and code changes that are made only in
    memory. Tracing is tried next. The file is loaded in a process that cannot import your project, and must return the
    results of the model on every example call.
    """
    loaded = load_named("save", targets)
    options = loaded.runs[0].options
    _check(options, sum(len(run.options.targets) for run in loaded.runs))
    import tempfile  # noqa: PLC0415 - `--help` does not need it

    with working(options) as (zygote, report, progress), tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        from pdt_annotate.emit.files import write_document  # noqa: PLC0415
        from pdt_annotate.flows.save import save as save_target  # noqa: PLC0415
        from pdt_annotate.flows.saved_programs import runner_files  # noqa: PLC0415

        saved = save_target(options, zygote, folder, progress)
        if saved.file:
            write_document(options.output, Path(saved.file).read_bytes())
        if saved.file and options.cpp:
            for name, file in runner_files(saved, folder):
                write_document(os.path.join(options.cpp, name), file.read_bytes())
        report.saved(saved, f"wrote {options.output}" if saved.file else "no file was written")
    return EXIT_DONE if saved.file else EXIT_UNVERIFIED


def _check(options: Options, targets: int) -> None:
    if targets != 1:
        raise UserError(f"`save` writes one file, but {targets} targets are given", hint="name one target")
    if options.output in ("", STDOUT):
        hint = "-o net.pt for TorchScript, -o net.pt2 for torch.export"
        raise UserError("`save` needs the name of the file to write", hint=hint)
    for option, known in TAKEN.items():
        for word in getattr(options, option):
            if word not in known:
                raise UserError(f"--{option} of `save` must be {known[0]}, not {word!r}")
    if options.output.endswith(".pt2"):
        for option in ("method", "freeze", "optimize", "cpp"):
            if getattr(options, option):
                raise UserError(f"--{option} needs a TorchScript file, not .pt2", hint="name a .pt file with -o")


def is_saved(target: str) -> bool:
    """Whether the word is the name of a saved program, and not of a target."""
    return target.endswith((".pt", ".pt2")) and ":" not in target


def verify_saved(targets: Sequence[str]) -> int:
    """Compare a file that `save` wrote with its model, on the example calls of the command line; return the code."""
    if len(targets) > 1:
        raise UserError("`verify` takes one saved file at a time")
    from pdt_annotate.flows import saved_programs as flow  # noqa: PLC0415

    target = str(flow.read_metadata(targets[0])["target"])
    options = replace(load_named("verify", (target,)).runs[0].options, output="")
    import tempfile  # noqa: PLC0415 - `--help` does not need it

    with working(options) as (zygote, report, progress), tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        saved = flow.verify_file(options, zygote, os.path.abspath(targets[0]), folder, progress)
        report.saved(saved, f"{targets[0]} {'is right' if saved.file else 'does not return the results of the model'}")
    return EXIT_DONE if saved.file else EXIT_UNVERIFIED
