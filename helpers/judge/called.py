"""Which functions of PyTorch some code calls, however it reaches them."""

from torch.overrides import TorchFunctionMode


class Called(TorchFunctionMode):
    """As `with Called() as called:`; then called.names has their names."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.append(getattr(function, "__name__", ""))
        return function(*args, **(kwargs or {}))
