"""Decide: a test whose outcome configuration or None settles is written so that the compiler folds it.

Safe because both forms have the same outcome for every value that the test can meet.
"""
