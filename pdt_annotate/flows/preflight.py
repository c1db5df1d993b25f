"""The checks at the beginning of every flow, before a process imports torch; each raises a `UserError`."""

import os

from pdt_annotate import profiles
from pdt_annotate.captures.table import GRAPHED, choose, find_way
from pdt_annotate.emit.files import assert_led_by_no_link, assert_writable
from pdt_annotate.flows import baseline
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.import_target import check_target
from pdt_annotate.interpreters.interpreter import assert_torch
from pdt_annotate.settings.options import Options


def check(options: Options) -> None:
    """Report all errors that show without torch and the user's code."""
    choose(options.ways, options.require)
    find_way(options.of, "--of", GRAPHED)
    interpreter = options.interpreter
    check_torch(options)
    for target in options.targets:
        if target.file and options.write_back.value.changes_sources:
            assert_led_by_no_link(target.file, options.root, target.text)
        check_target(target, options.root, interpreter.path if options.python else None)
        specs.check(options.spec, interpreter.torch)
    profiles.load(options.profiles)
    if options.save_profile:
        profiles.check_replaceable(options.save_profile)
    check_outputs(options)


def check_outputs(options: Options) -> None:
    """Report before the run that a result cannot be written to its file, or compared with a baseline."""
    for option, place in (options.outputs | options.output_folders).items():
        name = option.partition(" ")[0]
        assert_led_by_no_link(place, options.root, name)
        assert_writable(place, name)
    if options.baseline and not options.update_baseline:
        baseline.read(options.baseline)


def check_torch(options: Options) -> None:
    if not options.runs_nothing:
        assert_torch(options.python, options.root, os.curdir)
