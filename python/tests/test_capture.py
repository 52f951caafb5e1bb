"""Captures of torch, with a stand-in for torch that captures by the CUDA driver: an emulated one, or that of a GPU.

scripts/test-python.sh runs these tests on the emulated driver, which TRACKGEN_LIBCUDA names.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
import types
import warnings
import weakref

import numpy as np
import pytest

import trackgen
from trackgen import errors, exec
from trackgen.interop.torch import registered, retain

pytestmark = pytest.mark.filterwarnings("ignore:.*denormal.*")
CAPTURE_GLOBAL = 0
CAPTURING = 1


class Driver:
    """The CUDA driver, as another library in the process uses it."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        function = None
        for versioned in (name + "_v2", name):
            with contextlib.suppress(AttributeError):
                function = function or getattr(self._library, versioned)
        code = function(*arguments)
        if code:
            raise RuntimeError(f"{name} has returned {code}")


class _InstantiateParams(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64), ("upload", ctypes.c_void_p), ("error", ctypes.c_void_p), ("result", ctypes.c_int)
    ]


class Stream:
    """torch.cuda.Stream"""

    def __init__(self, driver):
        self._driver, handle = driver, ctypes.c_void_p()
        driver.call("cuStreamCreate", ctypes.byref(handle), 1)
        self.cuda_stream = handle.value

    def synchronize(self):
        self._driver.call("cuStreamSynchronize", ctypes.c_void_p(self.cuda_stream))

    def capturing(self):
        status = ctypes.c_int()
        self._driver.call("cuStreamIsCapturing", ctypes.c_void_p(self.cuda_stream), ctypes.byref(status))
        return status.value == CAPTURING


class CUDAGraph:
    """torch.cuda.CUDAGraph"""

    def __init__(self):
        self.graph, self.executable = ctypes.c_void_p(), ctypes.c_void_p()

    def replay(self):
        torch = sys.modules["torch"]
        stream = torch.cuda.current_stream()
        torch.driver.call("cuGraphLaunch", self.executable, ctypes.c_void_p(stream.cuda_stream))
        stream.synchronize()

    def reset(self):
        torch = sys.modules["torch"]
        torch.driver.call("cuGraphExecDestroy", self.executable)
        torch.driver.call("cuGraphDestroy", self.graph)


@pytest.fixture
def torch(monkeypatch):
    path = os.environ.get("TRACKGEN_LIBCUDA")
    if not path:
        if os.environ.get("TRACKGEN_REQUIRE_CUDA") == "1":
            pytest.fail("TRACKGEN_LIBCUDA does not name a driver")
        pytest.skip("needs an emulated CUDA driver; scripts/test-python.sh has one")
    module, cuda = types.ModuleType("torch"), types.ModuleType("torch.cuda")
    module.driver = driver = Driver(path)
    current = [Stream(driver)]

    @contextlib.contextmanager
    def capture(graph):
        stream = ctypes.c_void_p(current[0].cuda_stream)
        driver.call("cuStreamBeginCapture", stream, CAPTURE_GLOBAL)
        try:
            yield
        finally:
            driver.call("cuStreamEndCapture", stream, ctypes.byref(graph.graph))
        params = _InstantiateParams()
        driver.call("cuGraphInstantiateWithParams", ctypes.byref(graph.executable), graph.graph, ctypes.byref(params))

    cuda.current_stream = lambda device=None: current[0]
    cuda.current_device = lambda: 0
    cuda.is_current_stream_capturing = lambda: current[0].capturing()
    cuda.CUDAGraph, cuda.Stream, cuda.graph = CUDAGraph, Stream, capture
    module.cuda = cuda
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setitem(sys.modules, "torch.cuda", cuda)
    return module


@pytest.fixture
def cuda(torch):
    with trackgen.open("cuda:0") as device:
        yield device
        gc.collect()


@pytest.fixture
def generator(cuda):
    with trackgen.TrackGenerator(cuda, {"num_envs": 4}, seed=1234) as made:
        made.generate()
        yield made


@pytest.fixture
def mask(cuda):
    made = trackgen.zeros(4, "int32", cuda)
    made.write([0, 1, 0, 1])
    return made


def _epochs(generator):
    return generator.tracks.epoch.read().tolist()


@pytest.mark.parametrize("conditional", [False, True])
def test_registered(torch, generator, mask, conditional):
    with trackgen.TrackGenerator("cpu", {"num_envs": 4}, seed=1234) as other:
        other.generate()
        wanted = [other.regenerate([0, 1, 0, 1]).center.read() for _ in range(2)]
    before = generator.tracks.center.read()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), registered(graph=graph, conditional=conditional) as context:
        assert context.stream == torch.cuda.current_stream().cuda_stream and context.capturing
        generator.regenerate(mask)
    assert _epochs(generator) == [0, 0, 0, 0], "it was recorded, and has not run"
    np.testing.assert_array_equal(generator.tracks.center.read(), before)
    for rounds in (1, 2):
        graph.replay()
        assert _epochs(generator) == [0, rounds, 0, rounds]
        np.testing.assert_array_equal(generator.tracks.center.read(), wanted[rounds - 1])
    mask.write(0)
    graph.replay()
    assert _epochs(generator) == [0, 2, 0, 2]
    graph.reset()


def test_work_is_recorded_without_registration(torch, generator, mask):
    """R118a"""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        generator.regenerate(mask, stream="torch")
    assert _epochs(generator) == [0, 0, 0, 0]
    graph.replay()
    assert _epochs(generator) == [0, 1, 0, 1]
    graph.reset()


def test_a_stream_that_is_not_captured_is_refused(torch, cuda, generator):
    """R118j"""
    with pytest.raises(errors.CaptureError):
        with registered():
            pass
    assert exec.LaunchContext.for_call(cuda).stream is None


def test_outer_registrations_stay(torch, generator, mask):
    """R118d"""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), registered(graph=graph):
        with registered(conditional=True) as inner:
            assert inner.stream == torch.cuda.current_stream().cuda_stream
            generator.regenerate(mask)
        generator.regenerate(mask)
    graph.replay()
    assert _epochs(generator) == [0, 2, 0, 2]
    graph.reset()


def test_a_graph_keeps_what_is_recorded(torch, cuda, mask):
    """R118g: a replay after close has the same results."""
    generator = trackgen.TrackGenerator(cuda, {"num_envs": 4}, seed=1234)
    generator.generate()
    epoch, center = generator.tracks.epoch, generator.tracks.center
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), registered(graph=graph, conditional=True):
        generator.regenerate(mask)
    generator.close()
    del generator
    gc.collect()
    graph.replay()
    assert epoch.read().tolist() == [0, 1, 0, 1]
    assert not np.isnan(center.read()[:, 0]).any()
    graph.reset()


def test_constructors_are_refused_in_a_capture(torch, cuda):
    """R103"""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), registered(graph=graph):
        with pytest.raises(errors.CaptureError):
            trackgen.TrackGenerator(cuda, {"num_envs": 2})
    graph.replay()
    graph.reset()


def test_modes(torch, generator, mask):
    """R118h"""

    class Relaxed:
        name = "RELAXED"

    for mode in ("global", "thread_local", "relaxed", 2, Relaxed()):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph), registered(graph=graph, capture_mode=mode):
            generator.regenerate(mask)
        graph.reset()
    with pytest.raises(trackgen.ArgumentError, match="no mode") as raised:
        with registered(capture_mode="local"):
            pass
    assert raised.value.allowed == "global, thread_local, relaxed"


def test_work_on_the_stream_of_torch(torch, cuda, generator, mask):
    stream = torch.cuda.Stream(torch.driver)
    generator.regenerate(mask, stream=stream)
    with exec.LaunchContext(cuda, stream="torch"):
        generator.regenerate(mask)
    generator.regenerate(mask, stream=torch.cuda.current_stream().cuda_stream)
    torch.cuda.current_stream().synchronize()
    stream.synchronize()
    assert _epochs(generator) == [0, 3, 0, 3]
    cuda.release_streams()


def test_warning_of_replaced_inputs(torch, cuda):
    """R97"""
    config = trackgen.CourseConfig(tracks={"num_envs": 2}, checkpoints={"spacing": 0.6})
    with trackgen.Course(cuda, config, seed=7) as course:
        first, second = (trackgen.zeros((2, 1, 3), "float32", cuda) for _ in range(2))
        course.bind(first)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph), registered(graph=graph):
            course.step()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            course.bind(first)
            course.step()
        course.bind(second)
        with pytest.warns(trackgen.RebindAfterCaptureWarning):
            course.step()
        graph.reset()


def test_views_have_the_address_of_the_device(cuda, generator):
    center = generator.tracks.center
    interface = center.__cuda_array_interface__
    assert interface["data"] == (center.address, True) and interface["shape"] == center.shape
    assert center.__dlpack_device__() == (2, 0)
    with pytest.raises(AttributeError):
        center.__array_interface__
    with pytest.raises(ValueError):
        center.__dlpack__(stream=0)
    assert center.__dlpack__(stream=-1) is not None and center.__dlpack__(stream=1) is not None
    np.testing.assert_array_equal(np.from_dlpack(_OnHost(center)), center.numpy())
    with pytest.raises(ValueError):
        center.__array__(copy=False)


def test_calls_work_where_torch_works_by_default(torch, cuda, generator):
    stream = Stream(torch.driver)
    assert cuda.stream() == 0  # the legacy default stream
    assert cuda.stream(stream) == stream.cuda_stream
    assert generator.tracks.center.__cuda_array_interface__["stream"] == 1
    asked = []

    class Tensor:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, stream, max_version=None):
            asked.append(stream)
            raise BufferError("only asks")

    for scope in (contextlib.nullcontext(), exec.LaunchContext(cuda, stream)):
        with scope, pytest.raises(BufferError):
            trackgen.from_dlpack(Tensor(), cuda)
    with pytest.raises(BufferError):
        trackgen.from_dlpack(Tensor(), cuda, stream)
    assert asked == [1, stream.cuda_stream, stream.cuda_stream]


def test_streams_are_ordered_without_waiting(torch, cuda, generator):
    ours, theirs = Stream(torch.driver), Stream(torch.driver)
    center, graph = generator.tracks.center, ctypes.c_void_p()
    begin = lambda stream: torch.driver.call("cuStreamBeginCapture", ctypes.c_void_p(stream.cuda_stream), CAPTURE_GLOBAL)
    end = lambda stream: torch.driver.call(
        "cuStreamEndCapture", ctypes.c_void_p(stream.cuda_stream), ctypes.byref(graph)
    )
    begin(ours)  # a stream that waits for one of a capture joins the capture, which shows that it waits
    with exec.LaunchContext(cuda, ours):
        assert center.__dlpack__(stream=theirs.cuda_stream) is not None
    assert theirs.capturing()
    cuda.order(ours.cuda_stream, stream=theirs)
    end(ours)
    torch.driver.call("cuGraphDestroy", graph)
    begin(theirs)  # a capture cannot wait for what is emitted outside of it
    with pytest.raises(trackgen.CaptureError):
        cuda.order(theirs.cuda_stream)
    assert center.__dlpack__(stream=theirs.cuda_stream) is not None
    assert theirs.capturing()
    end(theirs)
    torch.driver.call("cuGraphDestroy", graph)


class _OnHost:
    """Asks for a copy in host memory."""

    def __init__(self, array):
        self._array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **arguments):
        arguments["dl_device"] = (1, 0)
        arguments.pop("stream", None)
        return self._array.__dlpack__(**arguments)


def test_masks_of_the_host_are_copied(generator):
    for _ in range(3):
        generator.regenerate(np.array([0, 1, 0, 0], bool))
    assert _epochs(generator) == [0, 3, 0, 0]


class _Graph:
    pass


class _Slots:
    __slots__ = ()


class Owner:
    pass


def test_retain():
    """R118k"""
    graph, owner = _Graph(), Owner()
    gone = weakref.ref(owner)
    retain(graph, owner, None, owner)
    retain(graph, owner)
    del owner
    gc.collect()
    assert gone() is not None
    del graph
    gc.collect()
    assert gone() is None
    with pytest.raises(TypeError):
        retain(_Slots(), Owner())


def test_retain_keeps_the_memory(device):
    graph, array = _Graph(), trackgen.zeros(4, "int32", device)
    retain(graph, array, trackgen.TrackGenerator(device, {"num_envs": 1}))
    array.close()
    del graph
    gc.collect()


def test_torch_is_imported_when_it_is_called(run):
    ran = run(
        """
        import sys, trackgen, trackgen.interop.torch, trackgen.testing
        assert not {"torch", "jax", "gymnasium"} & set(sys.modules)
        sys.modules["torch"] = None  # an import of it fails
        try:
            with trackgen.interop.torch.registered():
                pass
        except ImportError:
            print("fine")
        """
    )
    assert ran.stdout == "fine\n", ran.stderr
