"""Several files written, all or none, whatever ends the run: an error, a signal, the power.

The new contents and a *list* of the files lie in the user's cache directory before any file is touched. Once the list
is there, the write is finished, by the run itself or by the next command; without a list, no file was changed, and what
lies there is cleared away. A file that holds neither its old nor its new content was edited by somebody, and stays.
"""
