# what: a function whose code says it is from a file of somebody else's
# exit: 3
# target: odd
import os
import torch

exec(compile("def odd(x, times):\n    return x * times\n", os.__file__, "exec"))
