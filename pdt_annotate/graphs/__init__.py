"""Captured programs as graphs that people can walk.

read          torch's graphs to `values.graphs`; only a child imports it
program       a graph with its operations, as the library returns it: makers and users of a value, networkx
collapse      modules as single nodes
graph_formats the command's output by format: JSON, a module that runs on torch alone (`to_python`), a `listing`
drawing       boxes, frames and edges, made of a graph by `arrange`; `node_names` has names, `flow` finds text and edges
dot           a drawing as DOT
layered       the layout of a drawing
html          a drawing as an SVG picture, and as a page; `templates` has both
"""
