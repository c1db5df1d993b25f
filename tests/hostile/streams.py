# === blocking_pipe: fills a pipe that nobody reads
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
# forward: read, write = os.pipe()
# forward: os.write(write, b"x" * (1 << 22))  # here
# forward: return x * times

# === closes_stdout: closes stdout and stderr as files
# exit: 2
# says: ValueError: I/O operation on closed file
# forward: print("printed")
# forward: return x * times
sys.stdout.close()
sys.stderr.close()

# === closes_the_standard_descriptors: closes descriptors 0, 1 and 2 while it is imported
for descriptor in range(3):
    os.close(descriptor)

# === floods: prints ten megabytes, without an end of line, in every call
# exit: 3
# forward: for _ in range(100):
# forward:     os.write(1, WORDS)
# forward: return x * times
WORDS = b"flood " * (1 << 14)

# === many_files: opens all files that it may
# exit: 3
# forward: try:
# forward:     while len(held) < 100_000:
# forward:         held.append(os.open("/dev/null", os.O_RDONLY))
# forward: except OSError:
# forward:     pass
# forward: return x * times
held = []

# === prints_raw: writes escapes, NUL and half characters to descriptors 1 and 2
# exit: 3
# prints: control characters
# forward: for descriptor in (1, 2):
# forward:     os.write(descriptor, b"\x1b[31mred\x00\xff\xc3")
# forward: return x * times

# === reads_stdin: reads its standard input
# exit: 2
# says: EOFError
# forward: input("what now? ")  # here
# forward: return x * times

# === redirects_descriptors: lets descriptors 1 and 2 lead into a file of its own
# leaves: log.txt
# forward: print("printed")
# forward: return x * times
log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.dup2(log, 1)
os.dup2(log, 2)
