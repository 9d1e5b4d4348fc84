"""Compiled models run uncompiled while a watch is open; torch's compiler is not imported for it."""

import sys

import torch


class Uncompiled:
    """How many watches are open, and the stance of torch.compiler that they need, once it is there.

    torch.compiler.set_stance imports the compiler, which takes seconds; whatever is compiled has
    imported it. A stance is set once for all watches: each setting its own, they would restore it
    in the wrong order.
    """

    def __init__(self):
        self.open, self.stance = 0, None

    def __enter__(self):
        self.open += 1
        self.look()

    def look(self):
        """Set the stance if the compiler has come since."""
        compiler = sys.modules.get("torch._dynamo")  # while it is imported, only in part
        if self.stance is None and hasattr(compiler, "set_stance"):
            self.stance = torch.compiler.set_stance("force_eager")
            self.stance.__enter__()

    def __exit__(self, *error):
        self.open -= 1
        if not self.open and self.stance is not None:
            stance, self.stance = self.stance, None
            stance.__exit__(*error)


UNCOMPILED = Uncompiled()
