"""The tools of all moves: a function and the facts about it, expressions, blocks, constructors, callers."""
