"""Where user code runs; the tool's own process never runs any.

A *zygote* imports torch and nothing of the user's. A *session* is a fork of it that imports the user's modules, and
forks again for every task, so that each task starts from the same state, and a crash, a `sys.exit`, an endless loop or
a poisoned compiler stays in its child. A *supervisor* between them watches the time, and ends all that is below it.
Without fork, every task gets a new interpreter that repeats the session's setup. The tool takes an answer for data, and
reads it by its declared type: `tasks` declares all requests, and the modules in `child` define them.
"""
