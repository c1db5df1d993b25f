"""The work of the commands and the library, from options to an outcome.

Every flow raises a `UserError` if the target, the spec or the user's code has an error.
"""
