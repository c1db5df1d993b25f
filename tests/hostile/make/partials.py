# what: a chain of partials
# exit: 2
# target: odd
import functools
import torch


def inner(x, times):
    return x * times


odd = inner
for _ in range(50):
    odd = functools.partial(odd)
