"""`captures`: the table of all ways, or with `--emit` the code that makes one of them work; `graph`; and `save`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdt_annotate.cli.deliver import given_words
from pdt_annotate.cli.entry import errors_in_documents, say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import TARGETS, given_here, options_of
from pdt_annotate.cli.run_options import load_named, load_values
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import STDOUT, Options
from pdt_annotate.values import shell
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_MISSING, EXIT_UNMET, EXIT_UNVERIFIED
from pdt_annotate.values.runs import SpecSource

if TYPE_CHECKING:
    from pdt_annotate.values.capture_results import Captures
    from pdt_annotate.values.graphs import Graph


@main_group.command(params=[TARGETS, *options_of("captures")])
def captures(targets: tuple[str, ...], **_: Any) -> int:
    """Compare scripting, tracing, torch.export, torch.compile and other ways of capturing on each TARGET.

    The table shows for each way whether it captures the model, in how many graphs, and whether the results are right.
    """
    loaded = load_named("captures", targets)
    emit = {"export": emit_export, "trace-mend": emit_trace_mends}.get(loaded.runs[0].options.emit)
    if emit:
        # Check before any of them runs: the output of `--emit` is for one target.
        if sum(len(run.options.targets) for run in loaded.runs) > 1 and any(run.options.output for run in loaded.runs):
            raise UserError("-o names one file, but each target needs a file of its own", hint="name one target")
        return max(emit(run.options) for run in loaded.runs)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import captures_several  # noqa: PLC0415

        return captures_several(loaded.runs, loaded.jobs, present, write_documents)
    options = loaded.runs[0].options
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import captures as flow  # noqa: PLC0415

        found = flow.captures(options, zygote, progress)
    with errors_in_documents([options]):
        code = present(found, options, report)
    write_documents(found, options)
    return code


def present(found: Sequence[Captures], options: Options, report: Any) -> int:
    """Show people the result of each way, and the unmet requirements; return the exit code."""
    from pdt_annotate.emit.terminal.console import print_lines  # noqa: PLC0415
    from pdt_annotate.emit.terminal.message_lines import captures_lines  # noqa: PLC0415

    if options.verbosity >= 0 and not options.output:
        stream = sys.stderr if options.json == "-" else sys.stdout
        print_lines(partial(captures_lines, found, in_full=options.verbosity > 0), options, stream)
    report.unmet(found)
    return EXIT_DONE if all(each.met for captures in found for each in captures.required) else EXIT_UNMET


def write_documents(found: Sequence[Captures], options: Options) -> None:
    from pdt_annotate.emit import html  # noqa: PLC0415
    from pdt_annotate.emit.files import deliver, write_document  # noqa: PLC0415
    from pdt_annotate.emit.machine import json_file  # noqa: PLC0415
    from pdt_annotate.emit.terminal.console import plain_text  # noqa: PLC0415
    from pdt_annotate.emit.terminal.message_lines import captures_lines  # noqa: PLC0415

    if options.output:
        text = plain_text(partial(captures_lines, found, in_full=options.verbosity > 0))
        write_document(options.output, text.encode())
    if options.json:
        deliver(json_file.dump(json_file.captures_document(found)), options.json, sys.stdout.buffer)
    if options.html:
        write_document(options.html, html.captures_page(found).encode())


def emit_export(options: Options) -> int:
    """Write or print the file of every target; return the exit code."""
    command = shell.join(given_words())
    with working(options) as (zygote, report, progress):
        from pdt_annotate.emit.files import write_document  # noqa: PLC0415
        from pdt_annotate.emit.words import plural  # noqa: PLC0415
        from pdt_annotate.flows.captures import export  # noqa: PLC0415

        exported = export(options, zygote, command, progress)
    for each in exported:
        if options.output:
            write_document(options.output, each.text.encode())
        else:
            click.echo(each.text, nl=False)
        calls = plural(len(each.served), "example call")
        done = f"wrote {options.output}" if options.output else "printed"
        report.finished(each.findings, f"{done}; the exported program returns the results of eager mode on {calls}")
    return EXIT_DONE


def emit_trace_mends(options: Options) -> int:
    """Print the changes that each target needs as a diff; return 1 if one needs changes and none verify."""
    with working(options) as (zygote, report, progress):
        from pdt_annotate.emit.files import diff, write_document  # noqa: PLC0415
        from pdt_annotate.flows.trace_mend import mend_trace  # noqa: PLC0415

        outcomes = [mend_trace(options, zygote, target, progress, options.budget) for target in options.targets]
    for outcome in outcomes:
        report.outcome(outcome)
        done = "a plain trace is right, so no change is needed" if outcome.verified else "no change makes a trace right"
        if outcome.changes and options.output:
            write_document(options.output, diff.render(outcome))
            done = f"wrote {options.output}"
        elif outcome.changes:
            done = diff.emit(outcome, options, sys.stdout.buffer)
        report.closing(done, outcome)
    return EXIT_DONE if all(outcome.verified for outcome in outcomes) else EXIT_MISSING


@main_group.command(params=[TARGETS, *options_of("graph")])
def graph(targets: tuple[str, ...], **_: Any) -> int:
    """Show the computation graph of a TARGET, with source lines and shapes.

    A TARGET may also be a file that `save` wrote; its graph has no shapes.
    """
    from pdt_annotate.graphs.graph_formats import TEXT, format_of  # noqa: PLC0415

    if any(map(is_saved, targets)):
        return _graph_saved(targets)
    loaded = load_named("graph", targets)
    formats = [format_of(run.options.format, run.options.output) for run in loaded.runs]
    count = sum(len(run.options.targets) for run in loaded.runs)
    files = [run.options.output for run in loaded.runs if run.options.output not in ("", STDOUT)]
    if count > 1 and files:
        raise UserError(f"one file cannot contain {count} graphs", file=files[0], hint="name one target")
    if count > 1 and set(formats) != {TEXT}:
        hint = "name one target, or --format text"
        raise UserError(f"{count} graphs cannot be written as one document", hint=hint)
    for run, form in zip(loaded.runs, formats, strict=True):
        with working(run.options) as (zygote, _report, progress):
            from pdt_annotate.flows import captures as flow  # noqa: PLC0415

            done = flow.graph(run.options, zygote, progress)
        _show(done, form, run.options)
    return EXIT_DONE


def _graph_saved(targets: Sequence[str]) -> int:
    from pdt_annotate.graphs.graph_formats import format_of  # noqa: PLC0415
    from pdt_annotate.processes import tasks  # noqa: PLC0415

    if len(targets) > 1:
        raise UserError("`graph` accepts one saved file at a time")
    values = load_values("graph", given_here())  # neither the project nor its configuration of targets is needed
    shown = {name: values[name] for name in ("python", "timeout", "color", "format", "depth", "output")}
    options = Options((), SpecSource(), os.getcwd(), **shown)
    with working(options) as (zygote, _report, progress):
        progress("reading the file")
        session = tasks.open_session_of_file(zygote, os.path.abspath(targets[0]), "", options.root)
        found = replace(tasks.picture_file(session), target=targets[0])
    _show([found], format_of(options.format, options.output), options)
    return EXIT_DONE


def _show(graphs: Sequence[Graph], form: str, options: Options) -> None:
    from pdt_annotate.emit.files import deliver  # noqa: PLC0415
    from pdt_annotate.emit.terminal.console import print_text  # noqa: PLC0415
    from pdt_annotate.graphs.graph_formats import FORMATS, MOST_BOXES, TEXT, GraphView  # noqa: PLC0415
    from pdt_annotate.graphs.listing import render  # noqa: PLC0415

    if form in ("svg", "dot") and options.verbosity >= 0 and not options.depth:
        # A picture of many nodes is slow to read, and an option reduces them.
        count = sum(1 for graph in graphs for _ in graph.walk())
        if count > 2 * MOST_BOXES:
            say(f"{count} nodes; --depth 1 draws each module as one node, and -o NAME.html writes all depths")
    to_file = options.output not in ("", STDOUT)
    folder = os.path.dirname(os.path.abspath(options.output)) if to_file else os.getcwd()
    view = GraphView(options.depth, options.root, folder)
    if form == TEXT and not to_file:
        print_text(lambda width: "\n".join(render(view.of(each), width) for each in graphs), options, sys.stdout)
    else:
        document = b"".join(FORMATS[form](each, view) for each in graphs)
        deliver(document, options.output or STDOUT, sys.stdout.buffer)


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
    _check_save(options, sum(len(run.options.targets) for run in loaded.runs))
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


def _check_save(options: Options, targets: int) -> None:
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
