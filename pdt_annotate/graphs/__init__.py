"""Captured programs as graphs that people can walk.

read    torch's graphs to `values.graphs`; only a child imports it
"""
