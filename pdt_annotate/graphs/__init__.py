"""Captured programs as graphs that people can walk.

read         torch's graphs to `values.graphs`; only a child imports it
program      a graph with all that can be done with it, as the library returns it
walk         who makes and uses a value, and the same for networkx
collapse     modules as single nodes
to_json, to_python    what programs read
formats      what the command writes, by name: these, and what people look at:
text         a listing
drawing      boxes, frames and edges, made of a graph by `arrange`: `words` names things, `flow` says which values are
             folded into the nodes that take them, and what comes from where
layout       where these are: by Graphviz, or `layered`, our own
svg, dot, html    a drawing, written; `templates` has the picture and the page
"""
