"""`python -m pdt_annotate`, and the console script."""

import gc
import os
import sys

DONE, AT_FAULT, INTERRUPTED = 0, 2, 130
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> None:
    """Run the command line and leave with its exit code; one that is answered already is not even parsed."""
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules of ours were imported, or an error was told
        from pdt_annotate.writes import describe, written  # noqa: PLC0415 - Ctrl-C may come before any import

        code = INTERRUPTED
        sys.stderr.write(f"error: interrupted; {describe(written)}\n")
    signal = sys.modules.get("signal")  # the answer from the cache does without
    if signal:  # Ctrl-C at the end of a command would be a traceback of the interpreter's
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(_close(code))


def _run(words: list[str]) -> int:
    # Import nothing from where `python -m` was started, the user's code or a stranger's, nor of an overlay.
    overlays = sys.modules.get("pdt_annotate.overlays.kept_overlay")  # where the environment names some
    if overlays:
        overlays.disregard()
    if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] not in ([], [HERE]):
        del sys.path[0]
    from pdt_annotate.values.standard_streams import open_standard_streams  # noqa: PLC0415 - Ctrl-C may come here

    open_standard_streams()
    from pdt_annotate.cache import commands  # noqa: PLC0415

    code = None if _was_ended_here() else commands.answer(words)
    if code is None:
        gc.set_threshold(100_000, 20)  # the trees of sources are large, and have no cycles
        from pdt_annotate import cli  # noqa: PLC0415 - it takes many times what the answer does

        code = cli.main(words)
    return code


def _close(code: int) -> int:
    """The exit code, which is that of an error where a command has not said on stdout all that it had to say."""
    from pdt_annotate.values.standard_streams import lost_output  # noqa: PLC0415

    reason = lost_output()
    if reason:
        sys.stderr.write(f"error: cannot write to stdout: {reason}\n")
    return AT_FAULT if reason and code == DONE else code


def _was_ended_here() -> bool:
    """Whether a run was ended here while it wrote: what it left comes before any answer."""
    from pdt_annotate.writes import pending_near  # noqa: PLC0415

    try:
        return bool(pending_near(os.getcwd()))
    except OSError:  # the working directory is gone
        return False


if __name__ == "__main__":
    main()
