"""Unroll: a loop or an index over layers is written so that the compiler can write it out, layer by layer.

Safe because the same layers are called, in the same order.
"""
