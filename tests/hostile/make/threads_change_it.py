# what: a thread that adds and removes members all the time
# exit: 0 2 3
import threading
import time
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        threading.Thread(target=self.change, daemon=True).start()

    def change(self):
        while True:
            for number in range(50):
                self.__dict__[f"member{number}"] = number
            for number in range(50):
                del self.__dict__[f"member{number}"]
            time.sleep(0.0001)

    def forward(self, x, times):
        return x * times
