# === cycle_of_modules: two modules that hold each other
# exit: 2
# init: self.inner = Inner()
# init: self.inner.outer = self
# forward: return self.inner(x) * times
class Inner(torch.nn.Module):
    def forward(self, x):
        return x

# === factory_of_odd_modules: a factory whose results are another class each time
# target: make
class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times

made = []

def make():
    made.append(type(f"Net{len(made)}", (Net,), {}))
    return made[-1]()

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
# init: self.register_buffer("none", torch.zeros(10))
# init: self.none.untyped_storage().resize_(0)

# === getattr_explodes: __getattr__ raises what is no AttributeError
# exit: 3
class Net(torch.nn.Module):
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")

    def forward(self, x, times):
        return x * times

# === lambda_target: the target is a lambda
# exit: 3
# target: odd
odd = lambda x, times: x * times

# === many_modules: five hundred children
# init: self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(500))

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
# init: self.__dict__["a b"] = 3
# init: self.__dict__["\x1b[31m"] = 3
# init: self.__dict__["class"] = torch.zeros(3)
# init: self.register_buffer("::error", torch.zeros(2))

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
# says: already scripted
class Net(torch.nn.Module):
    def forward(self, x):
        return x

net = torch.jit.script(Net())

# === scripts_itself: is scripted already, inside and outside
# init: self.inner = torch.jit.script(Inner())
# forward: return self.inner(x) * times
class Inner(torch.nn.Module):
    def forward(self, x):
        return x

# === sparse_buffers: buffers that are sparse, nested, quantized, of the meta device, or complex
# exit: 2
# init: self.register_buffer("sparse", torch.eye(3).to_sparse())
# init: self.register_buffer("csr", torch.eye(3).to_sparse_csr())
# init: self.register_buffer("nested", torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]))
# init: self.register_buffer("quantized", torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8))
# init: self.register_buffer("meta", torch.zeros(3, device="meta"))
# init: self.register_buffer("complex", torch.zeros(3, dtype=torch.complex64))

# === specials_raise: __eq__, __hash__, __bool__, __repr__, __len__, __iter__, __contains__ and __dir__ raise
# exit: 2
class Net(torch.nn.Module):
    def no(self, *given):
        raise RuntimeError("no special")

    __eq__ = __hash__ = __bool__ = __repr__ = __str__ = __len__ = __iter__ = __contains__ = __dir__ = no

    def forward(self, x, times):
        return x * times

# === unpicklable: holds what cannot be copied: a generator, a lock, a file, a thread, a weak reference, a frame
# init: self.generator = (i for i in range(3))
# init: self.lock = threading.Lock()
# init: self.file = open(__file__)
# init: self.thread = threading.current_thread()
# init: self.weak = weakref.ref(thing)
# init: self.frame = sys._getframe()
import weakref

class Thing:
    pass

thing = Thing()
