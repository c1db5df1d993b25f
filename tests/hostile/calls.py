# === adds_members: registers members while it is called
# exit: 3
# forward: self.register_buffer(f"more{len(self._buffers)}", x.clone())
# forward: self.add_module(f"inner{len(self._modules)}", torch.nn.Identity())
# forward: del self.training
# forward: return x * times

# === asynchronous: forward is a coroutine
# exit: 3
class Net(torch.nn.Module):
    async def forward(self, x, times):
        return x * times

# === changes_its_file: appends to its own source file in every call
# exit: 3
# may change its source
# forward: with open(__file__, "a") as file:
# forward:     file.write("# more\n")
# forward: return x * times

# === crashes_in_a_thread: a thread crashes while the main one waits
# exit: 2
# says: your code crashed its process (SIGSEGV)
# forward: threading.Thread(target=ctypes.string_at, args=(0,)).start()
# forward: threading.Event().wait()

# === default_type_in_a_call: changes torch's defaults in a call
# exit: 3
# forward: result = x * times
# forward: torch.set_default_dtype(torch.float64)
# forward: torch.set_default_device("meta")
# forward: torch.set_grad_enabled(False)
# forward: return result

# === executes_another: becomes another program
# exit: 2
# says: your code ended its process with exit status 0
# forward: os.execv("/bin/true", ["true"])

# === exits: sys.exit in a call
# exit: 2
# says: it called sys.exit
# forward: sys.exit("\x1b[31mgone")  # here

# === mutates_example_list: fills and empties the list that it is given
# arg: [1, 2]
# arg: 3
# forward: x.clear()
# forward: x.append(times)
# forward: return torch.zeros(times)

# === mutates_inputs: changes the tensors that it is given, resizes and frees them
# exit: 3
# forward: x.resize_(7).zero_()
# forward: x.untyped_storage().resize_(0)
# forward: return torch.zeros(2) * times

# === notimplemented: raises NotImplementedError without words, from torch's own forward
# exit: 2
# says: NotImplementedError
class Net(torch.nn.Module):
    pass

# === raises_the_limit: raises the limit of recursion until the stack is gone
# exit: 2
# forward: sys.setrecursionlimit(1 << 30)
# forward: return self(x, times)

# === random_answers: answers by the clock
# exit: 3
# forward: return x * times * (time.perf_counter_ns() % 1000)

# === recurses: recurses without end
# exit: 2
# says: RecursionError
# says: at recurses.py:
# forward: return self.forward(x, times)

# === regular_expression_that_never_ends: stays in C for ever, with the lock of the interpreter held
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
# forward: re.match(r"(a+)+$", "a" * 64 + "b")
# forward: return x * times
import re

# === returns_twice: forks, and both come back from the call
# exit: 3
# forward: os.fork()
# forward: return x * times

# === stop_iteration: raises StopIteration, which contexts made of generators take for their own
# exit: 2
# says: StopIteration
# forward: raise StopIteration(3)  # here

# === stops_itself: stops its process, as Ctrl-Z does
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
# forward: os.kill(os.getpid(), signal.SIGSTOP)

# === timer_that_raises: a timer whose handler raises again and again, whatever runs
# exit: 0 2
# forward: signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
# forward: return x * times
def ring(number, frame):
    raise RuntimeError("rang")

signal.signal(signal.SIGALRM, ring)

# === wants_all_memory: asks for more memory than there is
# exit: 2
# says: RuntimeError
# forward: return torch.empty(1 << 50)  # here

# === yields: forward is a generator
# exit: 3
# forward: yield x * times
