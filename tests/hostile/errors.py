# === control_characters: a message of control characters, escapes, and commands to a CI
# exit: 2
# says: ValueError
# forward: raise ValueError("\x1b[2J\x1b]0;title\x07\r\x00\x9b31m\n::error file=x.py::forged\n\u202egnol")  # here

# === cyclic_cause: exceptions that are each other's cause and context
# exit: 2
# says: ValueError: one
# forward: one, two = ValueError("one"), ValueError("two")
# forward: one.__cause__, two.__cause__ = two, one
# forward: one.__context__, two.__context__ = two, one
# forward: raise one  # here

# === group: a group of exceptions, nested deep
# exit: 2
# says: ExceptionGroup
# forward: error = ValueError("inner")
# forward: for _ in range(500):
# forward:     error = ExceptionGroup("group", [error])
# forward: raise error  # here

# === huge_message: an exception with a message of ten megabytes
# exit: 2
# says: ValueError
# forward: raise ValueError("long " * 2_000_000)  # here

# === raised_through_exec: raises in code of no file, and of one that is not its own
# exit: 2
# says: ValueError: from nowhere
# forward: odd["fail"]()
odd = {}
exec(compile("def fail():\n    raise ValueError('from nowhere')", "/etc/passwd", "exec"), odd)

# === raises_once: raises in its first call alone
# exit: 2
# forward: if not torch.jit.is_scripting():
# forward:     raise ValueError("only in Python")
# forward: return x * times

# === str_raises: an exception whose str and repr raise
# exit: 2
# says: Odd
# forward: raise Odd  # here
class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__

# === syntax_error_elsewhere: a syntax error that names a file of somebody else's
# exit: 2
# says: SyntaxError
# forward: raise SyntaxError("odd", ("/etc/passwd\x1b[31m", 10**9, 10**9, "text"))
