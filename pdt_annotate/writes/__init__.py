"""Writes several files, all or none, even if an error, a signal or a power failure ends the run.

Before any file is touched, the new contents and a *list* of the files are put into the user's cache directory. Once the
list is there, the write is finished, by the run itself or by the next command. Without a list no file was changed, and
the stored contents are removed. A file with neither its old nor its new content was edited meanwhile, and is kept.
"""
