"""Runs user code in other processes; the tool's own process never runs any.

A *zygote* imports torch and none of the user's modules. A *session* is a fork of it that imports the user's modules,
and forks again for every task, so that each task starts from the same state, and a crash, a `sys.exit`, an endless loop
or a corrupted compiler stays in its child. A *supervisor* between them watches the time, and ends all processes below
it. Without fork, every task gets a new interpreter that repeats the session's setup. The tool treats an answer as data,
and reads it by its declared type. `tasks` declares each request with the name of the module that answers it: one in
`child`, or in a higher room (`blame`, `captures`), which only a child imports. The function there has the same name.
Its first argument is what the session's setup made (`child/prepared.py`).

In the tool: `zygote`, `session`, `tasks`. In a child: `server` (the programs), `supervisor`, `child`. On both sides:
`wire` (messages), `notes` (the log of a child), `fork` and `process_tree`. `bytecode` is shared by sessions.
"""
