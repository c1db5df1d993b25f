"""Calls drawn beside the examples, run both ways, and spelled as a spec has them."""
