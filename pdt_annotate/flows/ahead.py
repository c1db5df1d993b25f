"""What every flow begins with, before there is a process that imports torch."""

from __future__ import annotations

from pdt_annotate import profiles
from pdt_annotate.captures.table import choose
from pdt_annotate.emit.files.atomic import assert_writable
from pdt_annotate.flows import baseline
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.ahead import check_target
from pdt_annotate.settings.options import Options


def check(options: Options) -> None:
    """Tell at once what is wrong, as far as it takes neither torch nor the user's code.

    Raises:
        UserError: a target, a spec or a profile is at fault, there is no such way of capturing, or no writing there.
    """
    choose(options.ways, options.require, options.compare)
    assert_writable(file for file in options.files if file != "-")
    for target in options.targets:
        check_target(target, options.root)
        specs.check(options.spec_of(target))
    profiles.load(options.profiles)
    if options.baseline and not options.update_baseline:
        baseline.read(options.baseline)
    if options.save_profile:
        profiles.check_replaceable(options.save_profile)
