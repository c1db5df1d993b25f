# what: a factory that returns itself
# exit: 2
# target: make
import torch


def make():
    return make
