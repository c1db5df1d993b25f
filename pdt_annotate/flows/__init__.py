"""What the commands and the library do, from options to an outcome.

Every flow raises a `UserError` where the target, the spec or the user's code is at fault.
"""
