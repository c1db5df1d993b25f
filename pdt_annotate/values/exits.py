"""The exit codes of every command and their meanings. Standard library only, and cheap to import."""

EXIT_DONE, EXIT_MISSING, EXIT_UNMET, EXIT_USER, EXIT_UNVERIFIED = 0, 1, 1, 2, 3
EXIT_BUG = 70  # sysexits' EX_SOFTWARE, because Python's own 1 would read as "missing"

EXIT_INTERRUPTED = 130
SIGNALLED = 128  # a process that a signal ends exits with 128 plus the signal's number; Ctrl-C is SIGINT, 2

MEANINGS = {  # the meanings in a word or two, for the documents that a command writes
    EXIT_DONE: "done, or nothing to do",
    EXIT_MISSING: "annotations are missing",
    EXIT_USER: "the command, the inputs or the code is at fault",
    EXIT_UNVERIFIED: "verification failed",
    EXIT_BUG: "a bug of pdt-annotate",
    EXIT_INTERRUPTED: "interrupted",
    129: "ended by SIGHUP",
    143: "ended by SIGTERM",
}

# The meanings for one of several targets.
ENDED = {EXIT_DONE: "done", EXIT_MISSING: "lacking annotations", EXIT_USER: "at fault", EXIT_UNVERIFIED: "not verified"}
EXPLAINED = {  # the meanings for readers of `--help` and of README.md; tools/pages.py copies them there
    EXIT_DONE: "done, or nothing to do",
    EXIT_MISSING: "`--check` found annotations or mends missing, `--exit-non-zero-on-write` wrote some, or "
    "`captures --require` names a way that fails",
    EXIT_USER: "the command, target, spec or your code is at fault",
    EXIT_UNVERIFIED: "the annotated source failed verification, and nothing was written, except by "
    "`--write-partial`; `verify` failed; or `save` found no way that is right",
    EXIT_BUG: "a bug of ours, with a traceback",
    EXIT_INTERRUPTED: "interrupted (143: by SIGTERM, 129: by SIGHUP), with a list of the files written by then",
}

HAS_RESULT = frozenset((EXIT_DONE, EXIT_MISSING, EXIT_UNVERIFIED))
"""The exit codes of a command that did its work, with any result."""
