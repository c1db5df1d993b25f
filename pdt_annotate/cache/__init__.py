"""The cache of results without missing annotations: an unchanged target is answered without running it.

An *entry* records, for one set of options, the files, names and directories on which the run depended, and their
content. A *command* records, for one command line, the entries that answer it. Content decides, never a modification
time. The cache's own content raises no error: at worst, a target runs again. `commands.answer` runs before click is
imported.
"""
