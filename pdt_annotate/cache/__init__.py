"""What was found to need no annotation, so that an unchanged target is answered without running it.

An *entry* says of one set of options which files, names and directories the run depended on and what they held; a
*command* says of one command line which entries answer it. Content decides, never a time of modification. The content
of the cache raises no error: at worst, a target runs again. `commands.answer` runs before click is imported.
"""
