"""Facts of a Python file, read once. `module` is one file, which answers with the others; `project` all files.

text, comments          bytes as text and tree, and edits; comments that concern us
definitions, scopes     functions and classes; the names that statements bind
imports, names          what a name means, through imports; how a file spells a class of another module
identifiers             names in Python's normal form; dotted names of modules, from paths
call_sites, uses        calls of a function; the uses of one name in a body
expressions, read_type  the type of an expression; of an annotation or an operator of torch
syntax                  small questions to a syntax tree
moves                   how edits move lines and places (not the moves of mends)
fingerprints            the identity of findings, for baselines and SARIF
read_style              the project's style, from the configuration of its formatters
"""
