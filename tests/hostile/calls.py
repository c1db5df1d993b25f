# === adds_members: registers members while it is called
# exit: 3
class Net(torch.nn.Module):
    def forward(self, x, times):
        self.register_buffer(f"more{len(self._buffers)}", x.clone())
        self.add_module(f"inner{len(self._modules)}", torch.nn.Identity())
        del self.training
        return x * times

# === asynchronous: forward is a coroutine
# exit: 3
class Net(torch.nn.Module):
    async def forward(self, x, times):
        return x * times

# === changes_its_file: appends to its own source file in every call
# exit: 3
# may change its source
class Net(torch.nn.Module):
    def forward(self, x, times):
        with open(__file__, "a") as file:
            file.write("# more\n")
        return x * times

# === child_holds_the_pipe: a child in a session of its own holds all descriptors open for a long time
# exit: 3
import os
import time

class Net(torch.nn.Module):
    def forward(self, x, times):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
        return x * times

# === crashes_in_a_thread: a thread crashes while the main one waits
# exit: 2
# says: your code crashed its process (SIGSEGV)
import ctypes
import threading

class Net(torch.nn.Module):
    def forward(self, x, times):
        threading.Thread(target=ctypes.string_at, args=(0,)).start()
        threading.Event().wait()

# === default_type_in_a_call: changes torch's defaults in a call
# exit: 3
class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
        torch.set_grad_enabled(False)
        return result

# === executes_another: becomes another program
# exit: 2
# says: your code ended its process with exit status 0
import os

class Net(torch.nn.Module):
    def forward(self, x, times):
        os.execv("/bin/true", ["true"])

# === exits: sys.exit in a call
# exit: 2
# says: it called sys.exit
import sys

class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.exit("\x1b[31mgone")  # here

# === hangs_the_second_time: never ends its second call
# timeout: 3
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x, times):
        self.calls += 1
        while self.calls > 1:
            pass
        return x * times

# === interrupts: raises KeyboardInterrupt in a call
# exit: 2
# says: KeyboardInterrupt
class Net(torch.nn.Module):
    def forward(self, x, times):
        raise KeyboardInterrupt  # here

# === mutates_example_list: fills and empties the list that it is given
# arg: [1, 2]
# arg: 3
class Net(torch.nn.Module):
    def forward(self, x, times):
        x.clear()
        x.append(times)
        return torch.zeros(times)

# === mutates_inputs: changes the tensors that it is given, resizes and frees them
# exit: 3
class Net(torch.nn.Module):
    def forward(self, x, times):
        x.resize_(7).zero_()
        x.untyped_storage().resize_(0)
        return torch.zeros(2) * times

# === notimplemented: raises NotImplementedError without words, from torch's own forward
# exit: 2
# says: NotImplementedError
class Net(torch.nn.Module):
    pass

# === raises: raises in a call
# exit: 2
# says: ValueError: not like this
class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("not like this")  # here

# === raises_the_limit: raises the limit of recursion until the stack is gone
# exit: 2
import sys

class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.setrecursionlimit(1 << 30)
        return self(x, times)

# === random_answers: answers by the clock
# exit: 3
import time

class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times * (time.perf_counter_ns() % 1000)

# === recurses: recurses without end
# exit: 2
# says: RecursionError
# says: at recurses.py:
class Net(torch.nn.Module):
    def forward(self, x, times):
        return self.forward(x, times)

# === regular_expression_that_never_ends: stays in C for ever, with the lock of the interpreter held
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import re

class Net(torch.nn.Module):
    def forward(self, x, times):
        re.match(r"(a+)+$", "a" * 64 + "b")
        return x * times

# === returns_twice: forks, and both come back from the call
# exit: 3
import os

class Net(torch.nn.Module):
    def forward(self, x, times):
        os.fork()
        return x * times

# === stop_iteration: raises StopIteration, which contexts made of generators take for their own
# exit: 2
# says: StopIteration
class Net(torch.nn.Module):
    def forward(self, x, times):
        raise StopIteration(3)  # here

# === timer_that_raises: a timer whose handler raises again and again, whatever runs
# exit: 0 2
import signal

def ring(number, frame):
    raise RuntimeError("rang")

signal.signal(signal.SIGALRM, ring)

class Net(torch.nn.Module):
    def forward(self, x, times):
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        return x * times

# === wants_all_memory: asks for more memory than there is
# exit: 2
# says: RuntimeError
class Net(torch.nn.Module):
    def forward(self, x, times):
        return torch.empty(1 << 50)  # here

# === yields: forward is a generator
# exit: 3
class Net(torch.nn.Module):
    def forward(self, x, times):
        yield x * times
