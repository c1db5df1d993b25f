"""Guard: a statement that only eager mode needs runs behind `is_scripting`.

Safe because Python runs it as before.
"""
