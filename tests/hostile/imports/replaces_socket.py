# what: replaces the methods of sockets and connections
# exit: 2
import multiprocessing.connection
import socket
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no talking")


socket.socketpair = no
multiprocessing.connection.Connection.send_bytes = no
multiprocessing.connection.wait = no
