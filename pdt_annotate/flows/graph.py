"""`graph`: the computation graph of each target."""

from __future__ import annotations

from pdt_annotate.processes.tasks import open_session, picture
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.progress import Progress


def graph(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> tuple[Graph, ...]:
    """The graph of every target.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    progress("importing torch and your code")
    sessions = [open_session(options, zygote, target) for target in options.targets]
    progress("capturing")
    return tuple(picture(session, options.of, options.call) for session in sessions)
