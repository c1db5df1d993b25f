"""Captured programs as graphs that people can walk.

read             torch's graphs to `values.graphs`; only a child imports it
walk, collapse   who makes and uses a value; modules of a depth as one node each
program          a graph with all that can be done with it, as the library gives it
to_networkx, to_json, to_python, and the formats of the command
"""
