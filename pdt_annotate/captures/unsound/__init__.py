"""Does a trace answer for other calls than the one that it was made from?

The tracer keeps the operators that one call ran. Python's decisions during it are baked in. The tracer warns of some
(`lines`), others show as differences between two traces (`compare_graphs`); `suspects` makes findings of both.
"""
