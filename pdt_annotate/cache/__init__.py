"""What was found to need no annotation, so that an unchanged target is answered without running it.

The cache lies in the user's own cache directory, by project. An *entry* says of one set of options which files, names
and directories the run depended on and what they held; a *command* says of one command line which entries answer it.
Content decides, never a time of modification. Nothing here raises for what the cache holds or cannot hold: at worst, a
target runs again.

`commands.answer` comes before the command line is even parsed, so that what it imports decides how long an answer
takes: of the standard library only what is light, of ours nothing but `store`, `state` and `surroundings`.
"""
