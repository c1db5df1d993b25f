# what: a factory that returns None
# exit: 2
# target: make
import torch


def make():
    return None
