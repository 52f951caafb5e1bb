"""DLPack: arrays of other libraries without a copy, in both directions.

The structures are those of dlpack.h, versions 0.8 and 1.0.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object
from dataclasses import dataclass
from typing import Any, Optional

CPU, CUDA, CUDA_HOST, VULKAN = 1, 2, 3, 7
INT, UINT, FLOAT = 0, 1, 2
READ_ONLY = 1

_PLAIN, _USED_PLAIN = b"dltensor", b"used_dltensor"
_VERSIONED, _USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"


class _Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class _DataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Tensor(Structure):
    _fields_ = [
        ("data", c_void_p), ("device", _Device), ("ndim", c_int32), ("dtype", _DataType), ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _ManagedVersioned(Structure):
    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
        ("tensor", _Tensor),
    ]


_api = ctypes.pythonapi
_capsule_new = _api.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_capsule_valid = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_IsValid", _api))
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", _api))
_capsule_rename = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_SetName", _api))
# A capsule that is being destroyed has no references left, so its destructor takes it as an address.
_raw_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_raw_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))

_exports: dict[int, tuple[Any, ...]] = {}
"""What consumers hold: by the address of the managed tensor, the tensor, its arrays of numbers, and the owner."""


def _forget(managed: int) -> None:
    _exports.pop(managed, None)


def _destroy(capsule: int) -> None:
    for name in (_PLAIN, _VERSIONED):
        if _raw_valid(capsule, name):
            _exports.pop(_raw_pointer(capsule, name), None)


_release, _discard = ctypes.CFUNCTYPE(None, c_void_p)(_forget), ctypes.PYFUNCTYPE(None, c_void_p)(_destroy)
# Tensors may be released after this module is gone, when the interpreter ends. So the callbacks are never freed.
for _callback in (_release, _discard):
    ctypes.pythonapi.Py_IncRef(py_object(_callback))
_release_address = ctypes.cast(_release, c_void_p).value
_discard_address = ctypes.cast(_discard, c_void_p)


def _fill(tensor: _Tensor, address: int, device: tuple[int, int], code: int, bits: int, shape: Any, strides: Any) -> None:
    tensor.data, tensor.device = address, _Device(*device)
    tensor.ndim, tensor.dtype = len(shape), _DataType(code, bits, 1)
    tensor.shape, tensor.strides, tensor.byte_offset = shape, strides, 0


def export(
    owner: Any, address: int, device: tuple[int, int], code: int, bits: int, shape: tuple[int, ...],
    strides: tuple[int, ...], read_only: bool, versioned: bool,
) -> Any:
    """Returns a capsule of memory that owner keeps. strides are in elements. A plain capsule has no place for read_only."""
    sizes, steps = (c_int64 * len(shape))(*shape), (c_int64 * len(strides))(*strides)
    managed: Any
    if versioned:
        managed = _ManagedVersioned(major=1, minor=0, flags=READ_ONLY if read_only else 0)
    else:
        managed = _Managed()
    managed.deleter = _release_address
    _fill(managed.tensor, address, device, code, bits, sizes, steps)
    at = ctypes.addressof(managed)
    _exports[at] = (managed, sizes, steps, owner)
    return _capsule_new(at, _VERSIONED if versioned else _PLAIN, _discard_address)


@dataclass
class Imported:
    """Memory of another library. deleter(managed) gives it back, and has to be called once, from C or by ``discard``."""

    address: int
    device: tuple[int, int]
    code: int
    bits: int
    shape: tuple[int, ...]
    contiguous: bool
    read_only: bool
    managed: int
    deleter: int

    def discard(self) -> None:
        """Gives the memory back."""
        if self.deleter:
            ctypes.CFUNCTYPE(None, c_void_p)(self.deleter)(self.managed)


def _contiguous(tensor: _Tensor) -> bool:
    if not tensor.strides or 0 in tensor.shape[: tensor.ndim]:
        return True
    expected = 1
    for size, stride in zip(reversed(tensor.shape[: tensor.ndim]), reversed(tensor.strides[: tensor.ndim])):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def take(source: Any, stream: Optional[int]) -> Imported:
    """Takes the memory of an object that has ``__dlpack__``. stream is the one that will read it, as DLPack counts them."""
    arguments = {} if stream is None else {"stream": stream}
    try:
        capsule = source.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:
        capsule = source.__dlpack__(**arguments)
    managed: Any
    if _capsule_valid(capsule, _VERSIONED):
        at = _capsule_pointer(capsule, _VERSIONED)
        managed = _ManagedVersioned.from_address(at)
        if managed.major != 1:
            raise BufferError(f"version {managed.major} of DLPack is not supported, versions 0 and 1 are")
        used, read_only = _USED_VERSIONED, bool(managed.flags & READ_ONLY)
    elif _capsule_valid(capsule, _PLAIN):
        at = _capsule_pointer(capsule, _PLAIN)
        managed = _Managed.from_address(at)
        used, read_only = _USED_PLAIN, False
    else:
        raise TypeError(f"__dlpack__ of a {type(source).__name__} has not returned a DLPack capsule")
    tensor = managed.tensor
    imported = Imported(
        (tensor.data or 0) + tensor.byte_offset, (tensor.device.type, tensor.device.id), tensor.dtype.code,
        tensor.dtype.bits * tensor.dtype.lanes, tuple(tensor.shape[: tensor.ndim]), _contiguous(tensor), read_only, at,
        managed.deleter or 0,
    )
    _capsule_rename(capsule, used)
    return imported
