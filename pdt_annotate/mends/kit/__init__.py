"""The tools of all moves.

context         a function, the facts about it, and edits of it (`FunctionContext`, a "site"); `MendRule`
spelled         expressions: their names, and their text in another place
patterns        expressions as patterns, with their replacements
settled         expressions that configuration alone decides
deciding        tests that configuration decides, and names for their constants
annotations     annotations that are wider than the observed types, or different
blocks          blocks of statements: the names that they read and bind
branches        choices as `if` statements, and code after them in their branches
edit_arguments  edits of the arguments of calls and of parameters
lookups         the names that a function reads and sets in its `**kwargs`
callers         calls between functions of the project
construction    constructors, and the attributes that they set
stored          functions that constructors store in attributes
"""
