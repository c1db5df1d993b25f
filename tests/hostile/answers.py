# === another_type_each_time: returns another type each time
# exit: 3
# forward: return next(answers)
import itertools

answers = itertools.cycle([None, 3, "text", torch.zeros(2), [1], {"a": 1}, (1, 2), 2.5])

# === cyclic_dict: returns a dict that holds itself, deep inside
# exit: 3
# forward: answer = {"x": x}
# forward: answer["again"] = ({"inner": [answer]},)
# forward: return answer

# === fake_tensor: returns a fake tensor, whose mode is gone
# exit: 3
# forward: with FakeTensorMode(allow_non_fake_inputs=True):
# forward:     return torch.empty(3) * x[0, 0]
from torch._subclasses.fake_tensor import FakeTensorMode

# === generator: returns a generator that raises
# exit: 3
# forward: return count()
def count():
    yield 1
    raise RuntimeError("no more")

# === huge_tensor_view: returns an expanded view of a terabyte
# exit: 3
# timeout: 5
# forward: return x.flatten()[:1].expand(1 << 40)

# === itself: returns itself, its class, and the module that it is in
# exit: 3
# forward: return self, Net, sys.modules[__name__], sys._getframe()

# === meta_tensor: returns a tensor without memory
# exit: 3
# forward: return x.to("meta"), torch.empty(10**6, 10**6, device="meta")

# === numbers: returns NaN, infinities, and an int of ten thousand digits
# exit: 3
# forward: return float("nan"), float("-inf"), -0.0, 10**10_000

# === odd_object: returns an object whose every attribute raises
# exit: 3
# forward: return Odd()
class Odd:
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")

    def __eq__(self, other):
        raise SystemExit(3)

    __hash__ = None
    __repr__ = __eq__

# === quantized_tensor: returns a quantized tensor
# forward: return torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)

# === sparse_tensors: returns sparse tensors of each layout
# forward: return x.to_sparse(), x.to_sparse_csr(), x.to_sparse_csc(), torch.eye(4).to_sparse_bsr((2, 2))

# === tensor_subclass: returns a tensor of a subclass whose __torch_function__ raises
# exit: 3
# forward: return x.as_subclass(Odd)
class Odd(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("no function")

# === texts: returns text with halves of characters and escapes
# exit: 3
# forward: return "\udcff\ud800", "\x1b[31m", "::error::", "a\0b"
