# === cycle_of_modules: two modules that hold each other
# exit: 2
class Inner(torch.nn.Module):
    def forward(self, x):
        return x

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.inner.outer = self

    def forward(self, x, times):
        return self.inner(x) * times

# === factory_of_odd_modules: a factory whose results are another class each time
# target: make
import random

class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times

class Other(torch.nn.Module):
    def forward(self, x, times):
        return x + times

calls = []

def make():
    calls.append(1)
    return Net() if len(calls) % 2 else Other()

# === forward_descriptor: forward is a descriptor that gives another function each time
# exit: 3
class Changing:
    def __get__(self, instance, owner):
        return lambda x, times: x * times

class Net(torch.nn.Module):
    forward = Changing()

# === freed_memory: a tensor whose memory is a file that is gone, and one of no memory
# exit: 2
# says: your code crashed its process (SIGSEGV)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("none", torch.zeros(10))
        self.none.untyped_storage().resize_(0)

    def forward(self, x, times):
        return x * times

# === getattr_explodes: __getattr__ raises what is no AttributeError
# exit: 3
class Net(torch.nn.Module):
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")

    def forward(self, x, times):
        return x * times

# === getattr_has_all: __getattr__ has everything
# exit: 3
class Net(torch.nn.Module):
    def __getattr__(self, name):
        return lambda *given, **more: self

    def forward(self, x, times):
        return x * times

# === lambda_target: the target is a lambda
# exit: 3
# target: odd
odd = lambda x, times: x * times

# === many_modules: five hundred children
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(500))

    def forward(self, x, times):
        return x * times

# === new_gives_none: a factory that returns None
# exit: 2
# target: make
def make():
    return None

# === no_super: does not call the constructor of nn.Module
# exit: 2
# says: AttributeError
class Net(torch.nn.Module):
    def __init__(self):
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return x * times

# === odd_member_names: attributes whose names are no identifiers
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["a b"] = 3
        self.__dict__["\x1b[31m"] = 3
        self.__dict__["class"] = torch.zeros(3)
        self.register_buffer("::error", torch.zeros(2))

    def forward(self, x, times):
        return x * times

# === partials: a chain of partials
# exit: 2
# target: odd
import functools

def inner(x, times):
    return x * times

odd = inner
for _ in range(50):
    odd = functools.partial(odd)

# === properties_with_effects: properties that change what they read, and one that raises
# exit: 3
class Net(torch.nn.Module):
    count = 0

    @property
    def more(self):
        Net.count += 1
        return Net.count

    @property
    def less(self):
        raise RuntimeError("less")

    def forward(self, x, times):
        return x * times * self.more

# === scripted_class_bound: the name of the class stands for a scripted instance
# exit: 2
# target: net
# says: scripted already
class Net(torch.nn.Module):
    def forward(self, x):
        return x

net = torch.jit.script(Net())

# === scripts_itself: is scripted already, inside and outside
class Inner(torch.nn.Module):
    def forward(self, x):
        return x

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(Inner())

    def forward(self, x, times):
        return self.inner(x) * times

# === sparse_buffers: buffers that are sparse, nested, quantized, of the meta device, or complex
# exit: 2
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sparse", torch.eye(3).to_sparse())
        self.register_buffer("csr", torch.eye(3).to_sparse_csr())
        self.register_buffer("nested", torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]))
        self.register_buffer("quantized", torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8))
        self.register_buffer("meta", torch.zeros(3, device="meta"))
        self.register_buffer("complex", torch.zeros(3, dtype=torch.complex64))

    def forward(self, x, times):
        return x * times

# === specials_raise: __eq__, __hash__, __bool__, __repr__, __len__, __iter__, __contains__ and __dir__ raise
# exit: 2
class Net(torch.nn.Module):
    def no(self, *given):
        raise RuntimeError("no special")

    __eq__ = __hash__ = __bool__ = __repr__ = __str__ = __len__ = __iter__ = __contains__ = __dir__ = no

    def forward(self, x, times):
        return x * times

# === unpicklable: holds what cannot be copied: a generator, a lock, a file, a thread, a weak reference, a frame
import sys
import threading
import weakref

class Thing:
    pass

thing = Thing()

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = (i for i in range(3))
        self.lock = threading.Lock()
        self.file = open(__file__)
        self.thread = threading.current_thread()
        self.weak = weakref.ref(thing)
        self.frame = sys._getframe()

    def forward(self, x, times):
        return x * times
