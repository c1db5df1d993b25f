"""The exit codes of every command; 130 and 70 stand for what ended a command before its time."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_MISSING = 1
EXIT_UNMET = 1
EXIT_USER = 2
EXIT_UNVERIFIED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
SIGNALLED = 128
"""README.md, "Exit codes". A bug of ours is sysexits' EX_SOFTWARE, because Python's own 1 would read as "missing".
What a signal ends has that signal's number above SIGNALLED; Ctrl-C is SIGINT, 2."""
