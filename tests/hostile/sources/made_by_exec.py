# what: a function that exec made, which no file has
# exit: 3
# target: odd
import torch

exec("def odd(x, times):\n    return x * times\n")
