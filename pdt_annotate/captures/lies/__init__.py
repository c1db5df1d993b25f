"""Does a trace answer for other calls than the one that it was made from? Found without any held-back call.

The tracer keeps the operators that one call ran. What Python decided on the way, such as which branch, how many rounds
and which number, is baked in. Three ways to see it, each of which misses what another sees:

lines       what the tracer itself warns of, at the user's line
compare     a traced graph as a list of operators, and where two of them differ, line by line
suspects    all of it together, as findings; and calls like an example and unlike it, for a spec that has only one
"""
