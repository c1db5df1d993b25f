# what: the target is a lambda
# exit: 3
# target: odd
import torch

odd = lambda x, times: x * times
