"""The code that answers in a child: any of it may run the user's code.

prepared        sets a session up: imports and builds the target, and makes calls of it
observe_target  the tasks that run the example calls under the tracer
apply           puts a plan's annotations, or mended code, on live objects
attempt         the tasks of a trial: compile the target or a part, and compare its answers
behaviour       the tasks that compare old and new source in Python
probe           the task that looks for traps, and makes drawn calls with `probes`
isolation       work in a fork inside a task, or in place and undone
dependencies    notes the files of a run, for the cache
"""
