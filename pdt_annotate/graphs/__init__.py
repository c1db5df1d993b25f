"""Captured programs as graphs that people can walk.

read         torch's graphs to `values.graphs`; only a child imports it
program      a graph with all that can be done with it, as the library gives it
walk         who makes and uses a value
collapse     modules as single nodes, by `grouping`
to_json, to_python, to_networkx    what programs read
formats      what the command writes, by name: these, and what people look at:
text         a listing
drawing      boxes, frames and edges, made of a graph by `arrange`: `words` names things, `folds` says which values
             stand in the nodes that take them, `flow` what comes from where
layout       where these stand
svg, dot, html    a drawing, written
"""
