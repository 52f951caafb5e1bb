"""Work in captures of other libraries. ``trackgen.interop.torch`` is for torch, which it imports when it is called."""

from . import torch

__all__ = ["torch"]
