"""What was found to need no annotation, so that an unchanged target is answered without running it.

The cache of a project is a JSON file in the user's own cache directory. An *entry* says of one set of options which
files, names and directories the run depended on and what they held; a *command* says of one command line which entries
answer it. Content decides, never a time of modification. Nothing here raises for what the cache holds or cannot hold:
at worst, a target runs again.

`commands.answer` comes before click is imported, and imports of ours nothing but `store` and what that stands on.
"""
