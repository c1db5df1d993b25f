"""Captured programs as graphs that people can walk.

read         torch's graphs to `values.graphs`; only a child imports it
program      a graph with all that can be done with it, as the library returns it: who makes and uses a value, networkx
collapse     modules as single nodes
formats      what the command writes, by name: JSON, a module that runs on torch alone (`to_python`), a listing (`text`)
drawing      boxes, frames and edges, made of a graph by `arrange`: `words` names things, `flow` says what nodes hold
             and what comes from where
dot          a drawing as DOT, and where Graphviz puts its boxes; `layered` is our own layout
html         a drawing as an SVG picture, and as a page; `templates` has both
"""
