"""The exit codes of every command and their meanings. Standard library only, and cheap to import."""

EXIT_DONE, EXIT_MISSING, EXIT_UNMET, EXIT_USER, EXIT_UNVERIFIED = 0, 1, 1, 2, 3
EXIT_BUG = 70  # sysexits' EX_SOFTWARE, because Python's own 1 would read as "missing"

EXIT_INTERRUPTED = 130
SIGNALLED = 128  # a process that a signal ends exits with 128 plus the signal's number; Ctrl-C is SIGINT, 2

MEANINGS = {  # the meanings in a word or two, for the documents that a command writes
    EXIT_DONE: "done, or nothing to do",
    EXIT_MISSING: "annotations are missing",
    EXIT_USER: "an error in the command, the inputs or the code",
    EXIT_UNVERIFIED: "verification failed",
    EXIT_BUG: "a bug in pdt-annotate",
    EXIT_INTERRUPTED: "interrupted",
    129: "ended by SIGHUP",
    143: "ended by SIGTERM",
}

# The meanings for one of several targets.
ENDED = {EXIT_DONE: "done", EXIT_MISSING: "lacking annotations", EXIT_USER: "at fault", EXIT_UNVERIFIED: "not verified"}
EXPLAINED = {  # the meanings for readers of `--help` and of README.md; tools/pages.py copies them there
    EXIT_DONE: "done, or nothing to do",
    EXIT_MISSING: "`--check` found missing annotations or code changes, `--exit-non-zero-on-write` wrote annotations, "
    "or a way of capturing that `captures --require` names failed",
    EXIT_USER: "an error in the command, the target, the spec or your code",
    EXIT_UNVERIFIED: "verification failed, and nothing was written except the parts that `--write-partial` writes; or "
    "`save` found no way of capturing that returns the results of the model",
    EXIT_BUG: "a bug in pdt-annotate, which prints a traceback",
    EXIT_INTERRUPTED: "interrupted, with a list of the files that were already written (after SIGTERM the code is 143, "
    "after SIGHUP 129)",
}

HAS_RESULT = frozenset((EXIT_DONE, EXIT_MISSING, EXIT_UNVERIFIED))
"""The exit codes of a command that did its work, with any result."""
