"""Where user code runs; the tool's own process never runs any.

A *zygote* imports torch once and nothing of the user's. A *session* is a fork of it that has imported the user's
modules and then forks once more for every task, so that each task starts from the same, never-run state and a crash,
a `sys.exit`, an endless loop or a poisoned compiler stays in its child. Where the platform has no fork, every task
gets a new interpreter that repeats the session's setup.

Between a session and the zygote stands a *supervisor*, in which no code of the user's runs: it watches the time, and
ends all that is below it. Nobody believes what a child says but for its form: it is data, read by its declared type.

`tasks` is the typed wall: all that may be asked of a child. Behind it `zygote` and `session` are the tool's ends,
`supervisor` and `server` the children's; `wire` is what passes between them over a `channel`; `fork` is one forked
process, `tree` all those below one, `notes` what one leaves about its end, `child/` what answers.
"""
