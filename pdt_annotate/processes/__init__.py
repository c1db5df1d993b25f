"""Where user code runs; the tool's own process never runs any.

A *zygote* imports torch once and nothing of the user's. A *session* is a fork of it that has imported the user's
modules and then forks once more for every task, so that each task starts from the same, never-run state and a crash,
a `sys.exit`, an endless loop or a poisoned compiler stays in its child. Where the platform has no fork, every task
gets a new interpreter that repeats the session's setup.

`tasks` is the typed wall: all that may be asked of a child. Behind it `zygote` and `session` are the tool's ends,
`server` is the children's; `wire` is what passes between them, `fork` one forked process, `child/` what answers.
"""
